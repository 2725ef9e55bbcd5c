package apid

import (
	"bytes"
	"context"
	"io"
	"slices"
	"strings"
	"testing"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/emptypb"

	commonpb "github.com/ichor-os/ichor/api/common"
	machinepb "github.com/ichor-os/ichor/api/machine"
	"github.com/ichor-os/ichor/node/access"
	"github.com/ichor-os/ichor/node/apid/settings"
	"github.com/ichor-os/ichor/pki"
)

// answerWith answers a call with messages, then ends it with err.
func answerWith(err error, messages ...proto.Message) func(string, grpc.ServerStream) error {
	return func(_ string, stream grpc.ServerStream) error {
		if err := drain(stream); err != nil {
			return err
		}

		for _, message := range messages {
			content, err := proto.Marshal(message)
			if err != nil {
				return err
			}

			if err := stream.SendMsg(newFrame(content)); err != nil {
				return err
			}
		}

		return err
	}
}

func hostnameAnswer(name string) func(string, grpc.ServerStream) error {
	return answerWith(nil, &machinepb.HostnameResponse{Messages: []*machinepb.Hostname{{Hostname: name}}})
}

func toNodes(ctx context.Context, targets ...string) context.Context {
	return metadata.NewOutgoingContext(ctx, metadata.MD{"nodes": targets})
}

func toNode(ctx context.Context, target string) context.Context {
	return metadata.AppendToOutgoingContext(ctx, "node", target)
}

func TestForward_OneToOneIsByteForByte(t *testing.T) {
	f := newFixture(t)
	first := f.start("127.0.0.1", settings.ControlPlane)
	second := f.start("127.0.0.2", settings.Worker)

	second.machined.set(hostnameAnswer("two"))

	response, err := machinepb.NewMachineServiceClient(first.client("os:reader")).Hostname(toNode(t.Context(), "127.0.0.2"), &emptypb.Empty{})
	if err != nil {
		t.Fatal(err)
	}

	want := &machinepb.HostnameResponse{Messages: []*machinepb.Hostname{{Hostname: "two"}}}
	if !proto.Equal(response, want) {
		t.Errorf("got %v, want %v: nothing may be added", response, want)
	}

	if calls := first.machined.taken(); len(calls) != 0 {
		t.Errorf("the endpoint answered too: %v", calls)
	}

	got := second.machined.taken()[0].md
	if !slices.Equal(got.Get(access.MetadataKey), []string{"os:reader"}) || !slices.Equal(got.Get("proxyfrom"), []string{"127.0.0.1"}) {
		t.Errorf("metadata at the target: %v", got)
	}

	if len(got.Get("node")) != 0 {
		t.Errorf("the target was told a target: %v", got)
	}
}

// Forwarding nodes hold the role of an impersonator; a caller without any role
// must not come out of it with theirs.
func TestForward_RolesAreTheCallers(t *testing.T) {
	f := newFixture(t)
	first := f.start("127.0.0.1", settings.ControlPlane)
	second := f.start("127.0.0.2", settings.ControlPlane)

	for _, role := range []string{"os:reader", "os:etcd:backup", "os:impersonator"} {
		err := rawCall(t, first.client(role), "/machine.MachineService/Reset", "node", "127.0.0.2", access.MetadataKey, "os:reader")
		checkReached(t, second, "/machine.MachineService/Reset", role, err, false, nil)
	}

	err := rawCall(t, first.client("os:admin"), "/machine.MachineService/Reset", "node", "127.0.0.2")
	checkReached(t, second, "/machine.MachineService/Reset", "os:admin", err, true, []string{"os:admin"})
}

func TestForward_OwnNamesAreAnsweredWithoutADetour(t *testing.T) {
	f := newFixture(t)
	node := f.start("127.0.0.1", settings.Worker, func(n *testNode, _ *Options) {
		n.settings.Self = []string{"127.0.0.1", "rack4-n2", "fd00::5"}
	})

	for _, target := range []string{"127.0.0.1", "rack4-n2", "fd00:0::0:5", "::ffff:127.0.0.1"} {
		err := rawCall(t, node.client("os:reader"), version, "node", target)
		checkReached(t, node, version, target, err, true, []string{"os:reader"})
	}
}

func TestForward_MemberNamesAreResolvedByTheCluster(t *testing.T) {
	f := newFixture(t)
	first := f.start("127.0.0.1", settings.ControlPlane, func(n *testNode, _ *Options) {
		n.settings.Members = map[string]string{"rack4-n2": "127.0.0.2"}
	})
	second := f.start("127.0.0.2", settings.Worker, func(n *testNode, _ *Options) {
		n.settings.Server = f.issue(pki.Template{Names: []string{"rack4-n2"}})
	})

	err := rawCall(t, first.client("os:reader"), version, "node", "rack4-n2")
	checkReached(t, second, version, "rack4-n2", err, true, []string{"os:reader"})
}

// A node whose certificate is for other names is not believed to be the target.
func TestForward_TargetHasToProveItsName(t *testing.T) {
	f := newFixture(t)
	first := f.start("127.0.0.1", settings.ControlPlane)
	second := f.start("127.0.0.2", settings.Worker, func(n *testNode, _ *Options) {
		n.settings.Server = f.issue(pki.Template{Names: []string{"127.0.0.9"}})
	})

	err := rawCall(t, first.client("os:admin"), version, "node", "127.0.0.2")
	if status.Code(err) != codes.Unavailable || len(second.machined.taken()) != 0 {
		t.Errorf("got %v, want Unavailable", err)
	}
}

func TestForward_WorkersRefuse(t *testing.T) {
	f := newFixture(t)
	worker := f.start("127.0.0.1", settings.Worker)
	other := f.start("127.0.0.2", settings.ControlPlane)

	for _, md := range [][]string{{"node", "127.0.0.2"}, {"nodes", "127.0.0.2"}, {"nodes", "127.0.0.1", "nodes", "127.0.0.2"}} {
		err := rawCall(t, worker.client("os:admin"), version, md...)
		if status.Code(err) != codes.PermissionDenied || !strings.Contains(err.Error(), "control plane") {
			t.Errorf("%v: got %v, want PermissionDenied that names the way", md, err)
		}
	}

	if calls := append(worker.machined.taken(), other.machined.taken()...); len(calls) != 0 {
		t.Errorf("calls reached a machined: %v", calls)
	}

	// It answers for itself, by name too.
	err := rawCall(t, worker.client("os:admin"), version, "nodes", "127.0.0.1")
	checkReached(t, worker, version, "os:admin", err, true, []string{"os:admin"})
}

func TestForward_MaintenanceForwardsNothing(t *testing.T) {
	f := newFixture(t)
	node := f.start("127.0.0.1", settings.Maintenance)
	f.start("127.0.0.2", settings.ControlPlane)

	if err := rawCall(t, node.clientWith(nil), version, "node", "127.0.0.2"); status.Code(err) != codes.PermissionDenied {
		t.Errorf("got %v, want PermissionDenied", err)
	}
}

// A node that gets a call from another one answers it, whatever targets it
// names, so that two nodes cannot send a call to and fro.
func TestForward_LoopEndsAtTheFirstHop(t *testing.T) {
	f := newFixture(t)
	first := f.start("127.0.0.1", settings.ControlPlane)
	second := f.start("127.0.0.2", settings.ControlPlane)

	for _, md := range [][]string{{"node", "127.0.0.1"}, {"nodes", "127.0.0.1"}, {"nodes", "127.0.0.1", "nodes", "127.0.0.2"}} {
		err := rawCall(t, second.client("os:impersonator"), version,
			append(md, "proxyfrom", "127.0.0.1", access.MetadataKey, "os:reader")...)
		checkReached(t, second, version, strings.Join(md, " "), err, true, []string{"os:reader"})
	}

	if calls := first.machined.taken(); len(calls) != 0 {
		t.Errorf("the call went on: %v", calls)
	}
}

// A worker has no key of the CA and no client certificate to forward with: it
// serves, and does not loop.
func TestS06_WorkerWithoutAuthorityKeyServes(t *testing.T) {
	f := newFixture(t)
	worker := f.start("127.0.0.1", settings.Worker)

	err := rawCall(t, worker.client("os:reader"), version)
	checkReached(t, worker, version, "os:reader", err, true, []string{"os:reader"})

	err = rawCall(t, worker.client("os:impersonator"), version, "node", "127.0.0.2", "proxyfrom", "127.0.0.2", access.MetadataKey, "os:reader")
	checkReached(t, worker, version, "os:reader", err, true, []string{"os:reader"})
}

func TestForward_RefusesWhatIsNoTarget(t *testing.T) {
	node := newFixture(t).start("127.0.0.1", settings.ControlPlane)
	conn := node.client("os:admin")

	for name, md := range map[string][]string{
		"port":                {"node", "127.0.0.2:22"},
		"path":                {"node", "unix:///run/x"},
		"empty":               {"node", ""},
		"two in node":         {"node", "127.0.0.2", "node", "127.0.0.3"},
		"both keys":           {"node", "127.0.0.2", "nodes", "127.0.0.3"},
		"port in one of many": {"nodes", "127.0.0.1", "nodes", "127.0.0.2:22"},
		"too many":            {"nodes", "a" + strings.Repeat(",a", 1) + manyNames(257)},
	} {
		if err := rawCall(t, conn, version, md...); status.Code(err) != codes.InvalidArgument {
			t.Errorf("%s: got %v, want InvalidArgument", name, err)
		}
	}
}

func manyNames(n int) string {
	var b strings.Builder

	for i := range n {
		b.WriteString(",n" + strings.Repeat("x", i))
	}

	return b.String()
}

func TestForward_DeadTargetIsUnavailable(t *testing.T) {
	node := newFixture(t).start("127.0.0.1", settings.ControlPlane)

	if err := rawCall(t, node.client("os:admin"), version, "node", "127.0.0.3"); status.Code(err) != codes.Unavailable {
		t.Errorf("got %v, want Unavailable", err)
	}
}

func TestForward_OneConnectionServesManyCalls(t *testing.T) {
	f := newFixture(t)
	first := f.start("127.0.0.1", settings.ControlPlane)
	second := f.start("127.0.0.2", settings.Worker)
	conn := first.client("os:reader")

	for range 20 {
		if err := rawCall(t, conn, version, "node", "127.0.0.2"); err != nil {
			t.Fatal(err)
		}
	}

	if held := second.server.connections.Held(); held != 1 {
		t.Errorf("%d connections for 20 calls", held)
	}

	// With a new identity the node connects anew, and the old connection goes.
	first.settings.Client = f.issue(pki.Template{Organizations: []string{"os:impersonator"}})
	first.use()

	if err := rawCall(t, conn, version, "node", "127.0.0.2"); err != nil {
		t.Fatal(err)
	}
}

// A conversation in both directions goes through two nodes as it is.
func TestForward_StreamsInBothDirections(t *testing.T) {
	f := newFixture(t)
	first := f.start("127.0.0.1", settings.ControlPlane)
	second := f.start("127.0.0.2", settings.Worker)

	second.machined.set(func(_ string, stream grpc.ServerStream) error {
		for {
			var request frame

			if err := stream.RecvMsg(&request); err == io.EOF {
				return status.Error(codes.Aborted, "done")
			} else if err != nil {
				return err
			}

			if err := stream.SendMsg(&request); err != nil {
				return err
			}
		}
	})

	stream, err := machinepb.NewDebugServiceClient(first.client("os:admin")).ContainerRun(toNode(t.Context(), "127.0.0.2"))
	if err != nil {
		t.Fatal(err)
	}

	for _, text := range []string{"ls\n", "exit\n"} {
		request := &machinepb.DebugContainerRunRequest{Request: &machinepb.DebugContainerRunRequest_StdinData{StdinData: []byte(text)}}
		if err := stream.Send(request); err != nil {
			t.Fatal(err)
		}

		response, err := stream.Recv()
		if err != nil {
			t.Fatal(err)
		}

		if !bytes.Equal(response.GetStdoutData(), []byte(text)) {
			t.Errorf("echo of %q: got %v", text, response)
		}
	}

	if err := stream.CloseSend(); err != nil {
		t.Fatal(err)
	}

	if _, err := stream.Recv(); status.Code(err) != codes.Aborted {
		t.Errorf("end: got %v, want Aborted", err)
	}
}

// An end from the caller's side reaches the method that serves it.
func TestForward_CancelReachesTheTarget(t *testing.T) {
	f := newFixture(t)
	first := f.start("127.0.0.1", settings.ControlPlane)
	second := f.start("127.0.0.2", settings.Worker)
	ended := make(chan struct{})

	second.machined.set(func(_ string, stream grpc.ServerStream) error {
		content, err := proto.Marshal(&commonpb.Data{Bytes: []byte("line")})
		if err != nil {
			return err
		}

		if err := stream.SendMsg(newFrame(content)); err != nil {
			return err
		}

		<-stream.Context().Done()
		close(ended)

		return stream.Context().Err()
	})

	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()

	stream, err := machinepb.NewMachineServiceClient(first.client("os:reader")).Logs(toNode(ctx, "127.0.0.2"), &machinepb.LogsRequest{Follow: true})
	if err != nil {
		t.Fatal(err)
	}

	if _, err := stream.Recv(); err != nil {
		t.Fatal(err)
	}

	cancel()
	<-ended
}
