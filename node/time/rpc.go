// Package time keeps the node's clock in step with time servers, and compares it
// with them.
//
// ReconcileSync derives whom to ask; Sync asks several servers, takes the best of
// those that agree, tells spikes from changes, and slews or steps the clock. In
// namespaces a node shares the computer's clock and cannot set it: Sync tells
// that then. Package beevik/ntp speaks the protocol (RFC 5905). Clocks of devices
// (PTP) and servers that prove who they are (NTS, RFC 8915) are not read.
package time

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/beevik/ntp"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/types/known/emptypb"
	"google.golang.org/protobuf/types/known/timestamppb"

	timepb "github.com/ichor-os/ichor/api/time"
	configspec "github.com/ichor-os/ichor/node/config/spec"
	"github.com/ichor-os/ichor/node/time/spec"
	"github.com/ichor-os/ichor/resource"
)

// DefaultServer is asked where the config names none.
const DefaultServer = "time.cloudflare.com"

// askTimeout bounds a question to one server.
const askTimeout = 5 * time.Second

// Service serves time.TimeService.
type Service struct {
	timepb.UnimplementedTimeServiceServer
	Engine *resource.Engine
}

// Time implements TimeService: it asks the servers of the config in turn.
func (s Service) Time(ctx context.Context, _ *emptypb.Empty) (*timepb.TimeResponse, error) {
	servers, err := s.servers(ctx)
	if err != nil {
		return nil, err
	}
	var failures []string
	for _, server := range servers {
		answer, err := ask(ctx, server)
		if err == nil {
			return answer, nil
		}
		failures = append(failures, err.Error())
	}
	return nil, status.Errorf(codes.Unavailable, "no time server answers: %s", strings.Join(failures, "; "))
}

// TimeCheck implements TimeService: it asks the server that the caller names.
func (Service) TimeCheck(ctx context.Context, in *timepb.TimeRequest) (*timepb.TimeResponse, error) {
	if in.GetServer() == "" {
		return nil, status.Error(codes.InvalidArgument, "check time: name a server")
	}
	answer, err := ask(ctx, in.GetServer())
	if err != nil {
		return nil, status.Errorf(codes.Unavailable, "%v", err)
	}
	return answer, nil
}

func ask(ctx context.Context, server string) (*timepb.TimeResponse, error) {
	if strings.HasPrefix(server, "/") {
		return nil, fmt.Errorf("ask time server: %s: clocks of devices are not read yet", server)
	}
	timeout := askTimeout
	if deadline, ok := ctx.Deadline(); ok {
		timeout = min(timeout, time.Until(deadline))
	}
	if timeout <= 0 {
		return nil, fmt.Errorf("ask time server: %s: %w", server, context.DeadlineExceeded)
	}
	got, err := ntp.QueryWithOptions(server, ntp.QueryOptions{Timeout: timeout})
	if err == nil {
		err = got.Validate()
	}
	if err != nil {
		return nil, fmt.Errorf("ask time server: %s: %w", server, err)
	}
	now := time.Now()
	return &timepb.TimeResponse{Messages: []*timepb.Time{{
		Server: server, Localtime: timestamppb.New(now), Remotetime: timestamppb.New(now.Add(got.ClockOffset)),
	}}}, nil
}

// servers are those of the config; one that switched time sync off still names
// whom it would ask.
func (s Service) servers(ctx context.Context) ([]string, error) {
	servers := []string{DefaultServer}
	err := s.Engine.View(ctx, func(session *resource.Session) error {
		config, ok, err := configspec.Config(session)
		if err != nil {
			return status.Errorf(codes.Internal, "%v", err)
		}
		if ok {
			if named := named(config); len(named) > 0 {
				servers = named
				return nil
			}
		}
		if told, ok := spec.TimeServerStatuses.Get(session, networkServers); ok && len(told.TimeServers) > 0 {
			servers = told.TimeServers
		}
		return nil
	})
	return servers, err
}
