package etcd

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.etcd.io/etcd/api/v3/etcdserverpb"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/status"

	commonpb "github.com/ichor-os/ichor/api/common"
	machinepb "github.com/ichor-os/ichor/api/machine"
)

// fake is a cluster behind one or more addresses.
type fake struct {
	etcdserverpb.UnimplementedClusterServer
	etcdserverpb.UnimplementedMaintenanceServer

	mu      sync.Mutex
	members []*etcdserverpb.Member
	removes []error // what remove answers, in order
	calls   []string
	blobs   [][]byte
}

func (f *fake) note(call string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.calls = append(f.calls, call)
}

func (f *fake) MemberList(context.Context, *etcdserverpb.MemberListRequest) (*etcdserverpb.MemberListResponse, error) {
	f.note("list")
	return &etcdserverpb.MemberListResponse{Members: f.members}, nil
}

func (f *fake) MemberPromote(context.Context, *etcdserverpb.MemberPromoteRequest) (*etcdserverpb.MemberPromoteResponse, error) {
	f.note("promote")
	return &etcdserverpb.MemberPromoteResponse{}, nil
}

func (f *fake) MemberRemove(context.Context, *etcdserverpb.MemberRemoveRequest) (*etcdserverpb.MemberRemoveResponse, error) {
	f.note("remove")
	f.mu.Lock()
	defer f.mu.Unlock()
	if len(f.removes) == 0 {
		return &etcdserverpb.MemberRemoveResponse{}, nil
	}
	err := f.removes[0]
	f.removes = f.removes[1:]
	return &etcdserverpb.MemberRemoveResponse{}, err
}

func (f *fake) Snapshot(_ *etcdserverpb.SnapshotRequest, stream grpc.ServerStreamingServer[etcdserverpb.SnapshotResponse]) error {
	for _, blob := range f.blobs {
		if err := stream.Send(&etcdserverpb.SnapshotResponse{Blob: blob}); err != nil {
			return err
		}
	}
	return nil
}

var (
	dead = netip.MustParseAddr("10.9.0.1")
	live = netip.MustParseAddr("10.9.0.2")
	self = netip.MustParseAddr("10.9.0.3")
)

// serve gives a connect function: dead takes connections and never answers, all
// others lead to f.
func serve(t *testing.T, f *fake) func(netip.Addr) (*grpc.ClientConn, error) {
	t.Helper()
	listen := func() net.Listener {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { l.Close() })
		return l
	}
	server, answers, silent := grpc.NewServer(), listen(), listen()
	etcdserverpb.RegisterClusterServer(server, f)
	etcdserverpb.RegisterMaintenanceServer(server, f)
	go func() { _ = server.Serve(answers) }()
	t.Cleanup(server.Stop)
	return func(address netip.Addr) (*grpc.ClientConn, error) {
		to := answers
		if address == dead {
			to = silent
		}
		f.note("ask " + address.String())
		return grpc.NewClient(to.Addr().String(), grpc.WithTransportCredentials(insecure.NewCredentials()))
	}
}

func member(id uint64, address netip.Addr, learner bool) *etcdserverpb.Member {
	return &etcdserverpb.Member{ID: id, PeerURLs: []string{"https://" + netip.AddrPortFrom(address, 2380).String()}, IsLearner: learner}
}

func TestBR38_PromotionCostsADeadMemberOnceAndAsksOthersOnly(t *testing.T) {
	f := &fake{members: []*etcdserverpb.Member{member(1, dead, false), member(2, live, false), member(3, self, true)}}
	c := Client{Addresses: []netip.Addr{dead, live}, connect: serve(t, f), timeout: time.Second}
	if err := c.Promote(t.Context(), Settings{Advertised: []netip.Addr{self}}); err != nil {
		t.Fatal(err)
	}
	want := []string{"ask 10.9.0.1", "ask 10.9.0.2", "list", "ask 10.9.0.2", "promote"}
	if diff := cmp.Diff(want, f.calls); diff != "" {
		t.Errorf("calls (-want +got):\n%s", diff)
	}
}

func TestBR38_LeavingEndsWellWhenTheMemberIsOutAlready(t *testing.T) {
	f := &fake{
		members: []*etcdserverpb.Member{member(2, live, false), member(3, self, false)},
		removes: []error{
			status.Error(codes.Unavailable, "etcdserver: server stopped"), status.Error(codes.Unavailable, "etcdserver: server stopped"),
			status.Error(codes.NotFound, "etcdserver: member not found"),
		},
	}
	c := Client{Addresses: []netip.Addr{self}, connect: serve(t, f), timeout: time.Second}
	if err := c.remove(t.Context(), Settings{Advertised: []netip.Addr{self}}); err != nil {
		t.Errorf("leave = %v, want success", err)
	}
	// The member that leaves is asked last.
	want := []string{"ask 10.9.0.3", "list", "ask 10.9.0.2", "remove", "ask 10.9.0.3", "remove", "ask 10.9.0.2", "remove"}
	if diff := cmp.Diff(want, f.calls); diff != "" {
		t.Errorf("calls (-want +got):\n%s", diff)
	}
}

func TestRemove_RefusesTheLastVoter(t *testing.T) {
	f := &fake{members: []*etcdserverpb.Member{member(2, live, true), member(3, self, false)}}
	c := Client{Addresses: []netip.Addr{self}, connect: serve(t, f)}
	if err := c.remove(t.Context(), Settings{Advertised: []netip.Addr{self}}); !errors.Is(err, ErrLast) {
		t.Errorf("leave = %v, want ErrLast", err)
	}
}

func TestRemove_OfANodeThatIsNoMemberIsDone(t *testing.T) {
	f := &fake{members: []*etcdserverpb.Member{member(2, live, false)}}
	c := Client{Addresses: []netip.Addr{live}, connect: serve(t, f)}
	if err := c.remove(t.Context(), Settings{Advertised: []netip.Addr{self}}); err != nil {
		t.Errorf("leave = %v, want nil", err)
	}
}

// received collects what a stream is sent.
type received struct {
	grpc.ServerStream
	ctx  context.Context
	data bytes.Buffer
}

func (r *received) Context() context.Context { return r.ctx }
func (r *received) Send(d *commonpb.Data) error {
	r.data.Write(d.GetBytes())
	return nil
}

func TestEtcdSnapshot_ChecksWhatItPassesOn(t *testing.T) {
	database := bytes.Repeat([]byte("page"), 1000)
	sum := sha256.Sum256(database)
	whole := append(bytes.Clone(database), sum[:]...)
	wrong := bytes.Clone(whole)
	wrong[7]++
	for name, test := range map[string]struct {
		blobs [][]byte
		want  codes.Code
	}{
		"sum in a blob of its own": {[][]byte{database[:100], database[100:], sum[:]}, codes.OK},
		"sum across blobs":         {[][]byte{whole[:len(whole)-10], whole[len(whole)-10:]}, codes.OK},
		"a changed byte":           {[][]byte{wrong}, codes.DataLoss},
		"cut short":                {[][]byte{whole[:2000]}, codes.DataLoss},
		"nothing":                  {nil, codes.DataLoss},
	} {
		r := RPC{Membership: func() *Membership { return &Membership{} }, connect: serve(t, &fake{blobs: test.blobs})}
		stream := &received{ctx: t.Context()}
		err := r.EtcdSnapshot(&machinepb.EtcdSnapshotRequest{}, stream)
		if status.Code(err) != test.want {
			t.Errorf("%s: %v, want %s", name, err, test.want)
		}
		if got, want := stream.data.Bytes(), bytes.Join(test.blobs, nil); !bytes.Equal(got, want) {
			t.Errorf("%s: %d bytes passed on, want %d", name, len(got), len(want))
		}
	}
}

func TestRPC_SaysThatAWorkerRunsNoEtcd(t *testing.T) {
	r := RPC{Membership: func() *Membership { return nil }}
	_, err := r.EtcdAlarmList(t.Context(), nil)
	if status.Code(err) != codes.FailedPrecondition || !strings.Contains(err.Error(), "control plane") {
		t.Errorf("error = %v, want FailedPrecondition that names a control plane node", err)
	}
}

// Defragment takes as long as there are data, which may be minutes.
func (f *fake) Defragment(ctx context.Context, _ *etcdserverpb.DefragmentRequest) (*etcdserverpb.DefragmentResponse, error) {
	bound, ok := ctx.Deadline()
	if !ok || time.Until(bound) < time.Minute {
		return nil, status.Errorf(codes.DeadlineExceeded, "there are only %s for it", time.Until(bound))
	}
	return &etcdserverpb.DefragmentResponse{}, nil
}

func TestEtcdDefragment_HasTimeForALargeDatabase(t *testing.T) {
	r := RPC{Membership: func() *Membership { return &Membership{} }, connect: serve(t, &fake{})}
	if _, err := r.EtcdDefragment(t.Context(), nil); err != nil {
		t.Error(err)
	}
}

func TestFailed_KeepsWhatAMemberSaysAndTellsItFromSilence(t *testing.T) {
	said := func(c codes.Code) error {
		return errors.Join(fmt.Errorf("ask etcd member: %w", status.Error(c, "etcdserver: no")))
	}
	for name, test := range map[string]struct {
		err  error
		code codes.Code
		text string
	}{
		"unknown member": {said(codes.NotFound), codes.NotFound, "etcdserver: no"},
		"bad version":    {said(codes.InvalidArgument), codes.InvalidArgument, "etcdserver: no"},
		"unreachable":    {said(codes.Unavailable), codes.Unavailable, "ask etcd member"},
		"alone":          {fmt.Errorf("ask: %w", errAlone), codes.FailedPrecondition, "nobody"},
	} {
		if err := failed(test.err); status.Code(err) != test.code || !strings.Contains(err.Error(), test.text) {
			t.Errorf("%s: got %v, want %s with %q", name, err, test.code, test.text)
		}
	}
}
