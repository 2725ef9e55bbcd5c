package time

import (
	"context"
	"errors"
	"net/netip"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/types/known/emptypb"
	"google.golang.org/protobuf/types/known/timestamppb"

	timepb "github.com/ichor-os/ichor/api/time"
	clusterspec "github.com/ichor-os/ichor/node/cluster/spec"
	"github.com/ichor-os/ichor/node/time/spec"
	"github.com/ichor-os/ichor/resource"
	"github.com/ichor-os/ichor/resource/value"
)

// peer is the time service of another node; ahead is nil where its servers do
// not answer.
type peer struct {
	timepb.TimeServiceClient
	ahead *time.Duration
}

func (p peer) Time(context.Context, *emptypb.Empty, ...grpc.CallOption) (*timepb.TimeResponse, error) {
	if p.ahead == nil {
		return nil, status.Error(codes.Unavailable, "no time server answers")
	}
	time.Sleep(20 * time.Millisecond)
	now := timestamppb.New(time.Now().Add(*p.ahead))
	time.Sleep(20 * time.Millisecond)
	return &timepb.TimeResponse{Messages: []*timepb.Time{{Server: "s", Localtime: now, Remotetime: now}}}, nil
}

func TestSync_FollowsOtherNodesWhereNoServerAnswersAndSaysSo(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := &world{}
		down := true
		w.offset = func(int) (time.Duration, error) {
			if down {
				return 0, errors.New("network is unreachable")
			}
			return 0, nil
		}
		ahead := 3 * time.Second
		peers := map[string]peer{"10.5.0.2": {}, "10.5.0.3": {}}
		y := &Sync{Clock: w, Ask: w.ask, Peer: func(address netip.Addr) (timepb.TimeServiceClient, func() error, error) {
			w.mu.Lock()
			defer w.mu.Unlock()
			p, ok := peers[address.String()]
			if !ok {
				t.Errorf("%s is asked, which is this node or a worker", address)
			}
			return p, func() error { return nil }, nil
		}}
		engine, _ := run(t, y, "")
		err := engine.Commit(t.Context(), "test", func(s *resource.Session) error {
			clusterspec.Identities.Put(s, "local", clusterspec.IdentitySpec{NodeID: "self"})
			for name, m := range map[string]clusterspec.MemberSpec{
				"self":   {NodeID: "self", MachineType: value.MachineTypeControlplane, Addresses: []netip.Addr{netip.MustParseAddr("10.5.0.1")}},
				"a":      {NodeID: "a", MachineType: value.MachineTypeControlplane, Addresses: []netip.Addr{netip.MustParseAddr("10.5.0.2")}},
				"b":      {NodeID: "b", MachineType: value.MachineTypeControlplane, Addresses: []netip.Addr{netip.MustParseAddr("10.5.0.3")}},
				"worker": {NodeID: "w", MachineType: value.MachineTypeWorker, Addresses: []netip.Addr{netip.MustParseAddr("10.5.0.4")}},
			} {
				clusterspec.Members.Put(s, name, m)
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		after(2 * time.Minute)
		now, source := look(t, engine)
		if now.Spec.Synced || !strings.Contains(source.Problem, "unreachable") || !strings.Contains(source.Problem, "10.5.0.3") {
			t.Errorf("status %+v, source %+v; want both failures", now.Spec, source)
		}
		w.mu.Lock()
		peers["10.5.0.3"] = peer{ahead: &ahead}
		w.mu.Unlock()
		after(2 * time.Minute)
		now, source = look(t, engine)
		if !now.Spec.Synced || source.Source != spec.SourcePeer || source.Server != "10.5.0.3" || !strings.Contains(source.Problem, "unreachable") {
			t.Errorf("status %+v, source %+v; want the time of 10.5.0.3, and why", now.Spec, source)
		}
		if len(w.steps) == 0 || w.steps[0] != ahead {
			t.Errorf("steps %v, want one of %s", w.steps, ahead)
		}
		w.mu.Lock()
		down = false
		w.mu.Unlock()
		after(10 * time.Minute)
		if _, source = look(t, engine); source.Source != spec.SourceServer || source.Problem != "" {
			t.Errorf("source %+v, want the server again", source)
		}
	})
}
