//lint:file-ignore SA1019 the metadata of merged answers is what nodes send

package client

import (
	"context"
	"errors"
	"io"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	commonpb "github.com/ichor-os/ichor/api/common"
	machinepb "github.com/ichor-os/ichor/api/machine"
)

func failed(node string, code codes.Code, text string) *commonpb.Metadata {
	return &commonpb.Metadata{Hostname: node, Error: text, Status: status.New(code, text).Proto()}
}

func TestAnswers_OneFailureDoesNotHideTheOthers(t *testing.T) {
	good := &machinepb.Hostname{Metadata: &commonpb.Metadata{Hostname: "10.5.0.2"}, Hostname: "n1"}

	answers, err := Answers([]*machinepb.Hostname{
		{Metadata: failed("10.5.0.3", codes.Unavailable, `connection error: desc = "transport: Error while dialing: dial tcp 10.5.0.3:50000: connection refused"`)},
		good,
		{Metadata: failed("10.5.0.5", codes.Unavailable, "no time server answers")},
		{Metadata: &commonpb.Metadata{Hostname: "10.5.0.4", Error: "an old node has no status"}},
	})

	if len(answers) != 1 || answers[0] != good || Node(answers[0]) != "10.5.0.2" {
		t.Errorf("answers: %v", answers)
	}

	var all NodeErrors
	if !errors.As(err, &all) || len(all) != 3 {
		t.Fatalf("errors: %v", err)
	}

	if status.Code(all[0]) != codes.Unavailable || all[2].Node != "10.5.0.4" {
		t.Errorf("errors: %v", all)
	}

	want := "10.5.0.3: out of reach: dial tcp 10.5.0.3:50000: connection refused: check that the node is up, and that the endpoint can reach it\n" +
		"10.5.0.5: no time server answers\n10.5.0.4: an old node has no status"
	if err.Error() != want {
		t.Errorf("got %q, want %q", err, want)
	}
}

func TestAnswers_NoFailureIsNoError(t *testing.T) {
	answers, err := Answers([]*machinepb.Hostname{{Hostname: "n1"}})
	if err != nil || len(answers) != 1 {
		t.Errorf("got %v, %v", answers, err)
	}
}

// items is a stream that has been read from elsewhere.
type items struct {
	list []*commonpb.Data
	end  error
}

func (s *items) Recv() (*commonpb.Data, error) {
	if len(s.list) == 0 {
		return nil, s.end
	}

	item := s.list[0]
	s.list = s.list[1:]

	return item, nil
}

func TestCollect_GoesOnAfterAFailedNode(t *testing.T) {
	stream := &items{end: io.EOF, list: []*commonpb.Data{
		{Bytes: []byte("a")},
		{Metadata: failed("", codes.Unknown, `log "kubelt" was not registered`)},
		{Bytes: []byte("b")},
	}}

	var got []string

	err := Collect(stream, func(d *commonpb.Data) error {
		got = append(got, string(d.GetBytes()))
		return nil
	})

	if diff := cmp.Diff([]string{"a", "b"}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}

	if err == nil || err.Error() != `log "kubelt" was not registered` {
		t.Errorf("got %v", err)
	}
}

func TestCollect_EndsWithTheStreamOrItsReader(t *testing.T) {
	broken := errors.New("broken")

	err := Collect(&items{end: broken, list: []*commonpb.Data{{Metadata: failed("n1", codes.NotFound, "gone")}}},
		func(*commonpb.Data) error { return nil })
	if !errors.Is(err, broken) || !strings.Contains(err.Error(), "n1: gone") {
		t.Errorf("got %v", err)
	}

	err = Collect(&items{end: io.EOF, list: []*commonpb.Data{{}, {}}}, func(*commonpb.Data) error { return broken })
	if !errors.Is(err, broken) {
		t.Errorf("got %v", err)
	}
}

func TestForEach_AsksAllAndKeepsEachError(t *testing.T) {
	var (
		mu    sync.Mutex
		asked = map[string][]string{}
	)

	broken := errors.New("broken")

	err := ForEach(t.Context(), []string{"n1", "n2", "n3"}, func(ctx context.Context, node string) error {
		mu.Lock()
		asked[node] = targets(ctx)
		mu.Unlock()

		switch node {
		case "n2":
			return status.Error(codes.NotFound, "no such thing")
		case "n3":
			return broken
		}

		return nil
	})

	want := map[string][]string{"n1": {"n1"}, "n2": {"n2"}, "n3": {"n3"}}
	if diff := cmp.Diff(want, asked); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}

	var all NodeErrors
	if !errors.As(err, &all) || len(all) != 2 || all[0].Node != "n2" || status.Code(all[0]) != codes.NotFound {
		t.Fatalf("got %v", err)
	}

	if !errors.Is(err, broken) {
		t.Errorf("%v does not hold what ask returned", err)
	}
}

func TestForEach_WithoutNodesAsksTheEndpoint(t *testing.T) {
	calls := 0

	err := ForEach(t.Context(), nil, func(ctx context.Context, node string) error {
		calls++

		if node != "" || targets(ctx) != nil {
			t.Errorf("node %q, targets %q", node, targets(ctx))
		}

		return nil
	})
	if err != nil || calls != 1 {
		t.Errorf("%d calls, %v", calls, err)
	}
}
