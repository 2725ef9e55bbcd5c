// Package audit holds the command that shows and verifies the audit trail of
// nodes.
package audit

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"google.golang.org/protobuf/types/known/timestamppb"

	ichorpb "github.com/ichor-os/ichor/api/ichor"
	"github.com/ichor-os/ichor/cli/output"
	"github.com/ichor-os/ichor/cli/target"
	"github.com/ichor-os/ichor/client"
)

// New makes the command audit. Env is like [os.LookupEnv].
func New(env func(name string) (string, bool)) *cobra.Command {
	var (
		since  string
		known  string
		verify bool
	)
	command := &cobra.Command{
		Use:   "audit",
		Short: "Show the records of API calls on nodes, or check that none was changed",
		Args:  cobra.NoArgs,
	}
	t := target.New(command, env)
	format := target.AddFormat(command)
	flags := command.Flags()
	flags.StringVar(&since, "since", "", "leave out older records: a duration like 2h, or a time like 2026-01-31T12:00:00Z")
	flags.BoolVar(&verify, "verify", false, "check the chain of records against the signed heads; fails if it does not hold")
	flags.StringVar(&known, "head", "", "with --verify: a head kept from earlier that the chain must hold, as SEQUENCE:HASH")
	command.RunE = func(cmd *cobra.Command, _ []string) error {
		if known != "" && !verify {
			return errors.New("--head is for --verify: add it")
		}
		if verify {
			return verifyTrail(cmd, t, format, known)
		}
		kind, err := format.Parse()
		if err != nil {
			return err
		}
		request, err := sinceRequest(since, time.Now())
		if err != nil {
			return err
		}
		return show(cmd, t, kind, request)
	}
	return command
}

// sinceRequest reads the flag --since.
func sinceRequest(text string, now time.Time) (*ichorpb.AuditRecordsRequest, error) {
	if text == "" {
		return &ichorpb.AuditRecordsRequest{}, nil
	}
	if age, err := time.ParseDuration(text); err == nil {
		return &ichorpb.AuditRecordsRequest{Since: timestamppb.New(now.Add(-age))}, nil
	}
	at, err := time.Parse(time.RFC3339, text)
	if err != nil {
		return nil, fmt.Errorf("--since %q is neither a duration like 2h nor a time like 2026-01-31T12:00:00Z", text)
	}
	return &ichorpb.AuditRecordsRequest{Since: timestamppb.New(at)}, nil
}

const row = "%-20s %-24s %-9s %-26s %-22s %-50s %-18s %-10s %s\n"

func show(cmd *cobra.Command, t *target.Target, kind output.Format, request *ichorpb.AuditRecordsRequest) error {
	return t.Run(cmd, func(ctx context.Context, s *target.Session) error {
		stream, err := ichorpb.NewAuditClient(s.Conn()).Records(s.All(ctx), request)
		if err != nil {
			return err
		}
		first := true
		return client.Collect(stream, func(item *ichorpb.AuditItem) error {
			node := s.Name(client.Node(item))
			if kind != output.Table {
				object, err := target.ObjectOf(node, item)
				if err != nil {
					return err
				}
				return output.Write(cmd.OutOrStdout(), kind, object)
			}
			if item.GetRecord() == nil {
				return nil // the head is for programs
			}
			if first {
				first = false
				if _, err := fmt.Fprintf(cmd.OutOrStdout(), row, "NODE", "TIME", "KIND", "CALLER", "PEER", "METHOD", "CODE", "TOOK", "DETAILS"); err != nil {
					return err
				}
			}
			return writeRecord(cmd, node, item.GetRecord())
		})
	})
}

func writeRecord(cmd *cobra.Command, node string, r *ichorpb.AuditRecord) error {
	kind, caller, took := r.GetKind(), strings.Join(r.GetRoles(), ","), ""
	if kind == "call" {
		kind = r.GetPhase()
	}
	if r.GetCommonName() != "" {
		caller = r.GetCommonName()
	}
	if r.GetMaintenance() {
		caller = "(maintenance)"
	}
	if r.GetDuration() != nil {
		took = r.GetDuration().AsDuration().Round(10 * time.Microsecond).String()
	}
	_, err := fmt.Fprintf(cmd.OutOrStdout(), row, node, r.GetTime().AsTime().Format("2006-01-02T15:04:05.000Z"), kind,
		caller, r.GetPeer(), strings.TrimPrefix(r.GetMethod(), "/"), r.GetCode(), took, details(r))
	return err
}

func details(r *ichorpb.AuditRecord) string {
	var parts []string
	add := func(key, value string) {
		if value != "" {
			parts = append(parts, key+"="+value)
		}
	}
	add("part", r.GetPart())
	add("request", r.GetRequestId())
	add("by", r.GetForwardedBy())
	add("targets", strings.Join(r.GetTargets(), ","))
	for _, key := range slices.Sorted(maps.Keys(r.GetParameters())) {
		add(key, strconv.Quote(r.GetParameters()[key]))
	}
	if r.GetLost() > 0 {
		add("lost", strconv.FormatUint(r.GetLost(), 10))
	}
	if r.GetReason() != "" {
		add("reason", strconv.Quote(r.GetReason()))
	}
	if r.GetError() != "" {
		add("error", strconv.Quote(r.GetError()))
	}
	return strings.Join(parts, " ")
}

// parseHead reads the flag --head.
func parseHead(text string) (*ichorpb.AuditHead, error) {
	if text == "" {
		return nil, nil
	}
	number, hash, ok := strings.Cut(text, ":")
	sequence, err := strconv.ParseUint(number, 10, 64)
	if !ok || err != nil || len(hash) != 64 {
		return nil, fmt.Errorf("--head %q is not SEQUENCE:HASH with a SHA-256 in hexadecimal", text)
	}
	return &ichorpb.AuditHead{Sequence: sequence, Hash: hash}, nil
}

func verifyTrail(cmd *cobra.Command, t *target.Target, format *target.Format, known string) error {
	head, err := parseHead(known)
	if err != nil {
		return err
	}
	var broken []string
	err = target.Query[*ichorpb.AuditVerification]{
		Ask: func(ctx context.Context, s *target.Session) ([]*ichorpb.AuditVerification, error) {
			response, err := ichorpb.NewAuditClient(s.Conn()).Verify(s.All(ctx), &ichorpb.AuditVerifyRequest{Known: head})
			for _, m := range response.GetMessages() {
				if len(m.GetProblems()) > 0 {
					broken = append(broken, s.Name(client.Node(m)))
				}
			}
			return response.GetMessages(), err
		},
		Header: []string{"RESULT", "RECORDS", "FIRST", "LAST", "HEAD", "FINDINGS"},
		Rows: func(m *ichorpb.AuditVerification) [][]string {
			result, found := "ok", append(append([]string{}, m.GetProblems()...), m.GetGaps()...)
			if !m.GetOk() {
				result = "BROKEN"
			}
			signed := ""
			if m.GetHead() != nil {
				signed = fmt.Sprintf("%d:%s", m.GetHead().GetSequence(), m.GetHead().GetHash())
			}
			if len(found) == 0 {
				found = []string{""}
			}
			rows := [][]string{{
				result, strconv.FormatUint(m.GetRecords(), 10), strconv.FormatUint(m.GetFirst(), 10),
				strconv.FormatUint(m.GetLast(), 10), signed, found[0],
			}}
			for _, more := range found[1:] {
				rows = append(rows, []string{"", "", "", "", "", more})
			}
			return rows
		},
	}.Run(cmd, t, format)
	if len(broken) > 0 {
		return errors.Join(err, fmt.Errorf("the audit trail does not hold on %s: keep its files and find out who could write them", strings.Join(broken, ", ")))
	}
	return err
}
