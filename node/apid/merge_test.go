//lint:file-ignore SA1019 the metadata of merged answers is what clients of the API expect

package apid

import (
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/testing/protocmp"
	"google.golang.org/protobuf/types/known/emptypb"

	commonpb "github.com/ichor-os/ichor/api/common"
	machinepb "github.com/ichor-os/ichor/api/machine"
	"github.com/ichor-os/ichor/node/apid/settings"
)

// threeNodes starts two nodes that live and names a third that does not.
func threeNodes(t *testing.T) (first, second *testNode, targets []string) {
	t.Helper()

	f := newFixture(t)
	first = f.start("127.0.0.1", settings.ControlPlane)
	second = f.start("127.0.0.2", settings.Worker)

	return first, second, []string{"127.0.0.2", "127.0.0.3", "127.0.0.1"}
}

func TestMerge_UnaryWithOneDeadNode(t *testing.T) {
	first, second, targets := threeNodes(t)
	first.machined.set(hostnameAnswer("one"))
	second.machined.set(answerWith(nil, &machinepb.HostnameResponse{Messages: []*machinepb.Hostname{
		{Hostname: "two", Metadata: &commonpb.Metadata{Hostname: "its own idea"}},
	}}))

	response, err := machinepb.NewMachineServiceClient(first.client("os:reader")).Hostname(toNodes(t.Context(), targets...), &emptypb.Empty{})
	if err != nil {
		t.Fatal(err)
	}

	messages := response.GetMessages()
	if len(messages) != 3 {
		t.Fatalf("got %d messages: %v", len(messages), response)
	}

	for i, want := range []*machinepb.Hostname{
		{Hostname: "two", Metadata: &commonpb.Metadata{Hostname: "127.0.0.2"}},
		nil,
		{Hostname: "one", Metadata: &commonpb.Metadata{Hostname: "127.0.0.1"}},
	} {
		if diff := cmp.Diff(want, messages[i], protocmp.Transform()); want != nil && diff != "" {
			t.Errorf("message %d (-want +got):\n%s", i, diff)
		}
	}

	dead := messages[1].GetMetadata()
	if dead.GetHostname() != "127.0.0.3" || dead.GetError() == "" || codes.Code(dead.GetStatus().GetCode()) != codes.Unavailable {
		t.Errorf("dead node: got %v", dead)
	}
}

// The status of a target comes through whole, with its details.
func TestMerge_StatusOfATargetIsKept(t *testing.T) {
	first, second, _ := threeNodes(t)
	failure, err := status.New(codes.NotFound, "no such service").WithDetails(&commonpb.Error{Message: "kubelt"})
	if err != nil {
		t.Fatal(err)
	}

	second.machined.set(answerWith(failure.Err()))

	response, err := machinepb.NewMachineServiceClient(first.client("os:admin")).
		ServiceStop(toNodes(t.Context(), "127.0.0.2"), &machinepb.ServiceStopRequest{Id: "kubelt"})
	if err != nil {
		t.Fatal(err)
	}

	want := &machinepb.ServiceStopResponse{Messages: []*machinepb.ServiceStop{
		{Metadata: &commonpb.Metadata{Hostname: "127.0.0.2", Error: "no such service", Status: failure.Proto()}},
	}}
	if diff := cmp.Diff(want, response, protocmp.Transform()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestMerge_StreamsWithOneDeadNode(t *testing.T) {
	first, second, targets := threeNodes(t)
	first.machined.set(answerWith(nil, &commonpb.Data{Bytes: []byte("a")}, &commonpb.Data{Bytes: []byte("b")}))
	second.machined.set(answerWith(status.Error(codes.DataLoss, "log rotated away"), &commonpb.Data{Bytes: []byte("c")}))

	stream, err := machinepb.NewMachineServiceClient(first.client("os:reader")).Logs(toNodes(t.Context(), targets...), &machinepb.LogsRequest{})
	if err != nil {
		t.Fatal(err)
	}

	got := map[string]string{}
	failed := map[string]codes.Code{}

	for {
		item, err := stream.Recv()
		if errors.Is(err, io.EOF) {
			break
		}

		if err != nil {
			t.Fatal(err)
		}

		host := item.GetMetadata().GetHostname()
		got[host] += string(item.GetBytes())

		if item.GetMetadata().GetError() != "" {
			failed[host] = codes.Code(item.GetMetadata().GetStatus().GetCode())
		}
	}

	if diff := cmp.Diff(map[string]string{"127.0.0.1": "ab", "127.0.0.2": "c", "127.0.0.3": ""}, got); diff != "" {
		t.Errorf("content (-want +got):\n%s", diff)
	}

	if diff := cmp.Diff(map[string]codes.Code{"127.0.0.2": codes.DataLoss, "127.0.0.3": codes.Unavailable}, failed); diff != "" {
		t.Errorf("failures (-want +got):\n%s", diff)
	}
}

func TestMerge_UploadReachesEachNode(t *testing.T) {
	first, second, targets := threeNodes(t)
	received := make(chan string, 2)

	collect := func(_ string, stream grpc.ServerStream) error {
		var all []byte

		for {
			var request frame

			if err := stream.RecvMsg(&request); err == io.EOF {
				break
			} else if err != nil {
				return err
			}

			var data commonpb.Data
			if err := proto.Unmarshal(request.data.Materialize(), &data); err != nil {
				return err
			}

			all = append(all, data.GetBytes()...)
		}

		received <- string(all)

		content, err := proto.Marshal(&machinepb.EtcdRecoverResponse{Messages: []*machinepb.EtcdRecover{{}}})
		if err != nil {
			return err
		}

		return stream.SendMsg(newFrame(content))
	}
	first.machined.set(collect)
	second.machined.set(collect)

	stream, err := machinepb.NewMachineServiceClient(first.client("os:admin")).EtcdRecover(toNodes(t.Context(), targets...))
	if err != nil {
		t.Fatal(err)
	}

	for _, part := range []string{"snap", "shot"} {
		if err := stream.Send(&commonpb.Data{Bytes: []byte(part)}); err != nil {
			t.Fatal(err)
		}
	}

	response, err := stream.CloseAndRecv()
	if err != nil {
		t.Fatal(err)
	}

	for range 2 {
		if got := <-received; got != "snapshot" {
			t.Errorf("a node received %q", got)
		}
	}

	var failed []string

	for _, message := range response.GetMessages() {
		if message.GetMetadata().GetError() != "" {
			failed = append(failed, message.GetMetadata().GetHostname())
		}
	}

	if len(response.GetMessages()) != 3 || !cmp.Equal(failed, []string{"127.0.0.3"}) {
		t.Errorf("got %v", response)
	}
}

func TestMerge_TargetsInOneValueOrSeveral(t *testing.T) {
	first, second, _ := threeNodes(t)
	first.machined.set(hostnameAnswer("one"))
	second.machined.set(hostnameAnswer("two"))

	for _, targets := range [][]string{{"127.0.0.1", "127.0.0.2"}, {"127.0.0.1, 127.0.0.2"}, {"127.0.0.1,127.0.0.2", "127.0.0.1"}} {
		response, err := machinepb.NewMachineServiceClient(first.client("os:reader")).Hostname(toNodes(t.Context(), targets...), &emptypb.Empty{})
		if err != nil {
			t.Fatal(err)
		}

		if got := len(response.GetMessages()); got != 2 {
			t.Errorf("%q: %d messages, want 2", targets, got)
		}
	}
}

// Methods whose answers have no room for a name, or whose package is not for
// many, are refused rather than garbled.
func TestMerge_RefusesWhatCannotBeMerged(t *testing.T) {
	first, second, _ := threeNodes(t)
	conn := first.client("os:admin")

	for _, method := range []string{
		"/cosi.resource.State/Get",
		"/cosi.resource.State/Watch",
		"/machine.ImageService/List",
		"/machine.ImageService/Pull",
		"/machine.ImageService/Verify",
		"/machine.ImageService/Remove",
		"/machine.StorageService/Statfs",
		"/machine.DebugService/ContainerRun",
		"/machine.LifecycleService/Upgrade",
		"/machine.MachineService/NoSuchMethod",
	} {
		err := rawCall(t, conn, method, "nodes", "127.0.0.1", "nodes", "127.0.0.2")
		if status.Code(err) != codes.InvalidArgument || !strings.Contains(err.Error(), "node") {
			t.Errorf("%s: got %v, want InvalidArgument that names the way", method, err)
		}
	}

	if calls := append(first.machined.taken(), second.machined.taken()...); len(calls) != 0 {
		t.Errorf("calls reached a machined: %v", calls)
	}
}

// One target in nodes is as good as in node where nothing has to be merged.
func TestMerge_OneTargetNeedsNoMerging(t *testing.T) {
	first, second, _ := threeNodes(t)

	err := rawCall(t, first.client("os:reader"), "/machine.ImageService/List", "nodes", "127.0.0.2")
	checkReached(t, second, "/machine.ImageService/List", "os:reader", err, true, []string{"os:reader"})
}

func TestMerge_OneRefusalForAllTargets(t *testing.T) {
	first, second, targets := threeNodes(t)

	err := rawCall(t, first.client("os:reader"), "/machine.MachineService/Reboot", "nodes", strings.Join(targets, ","))
	checkReached(t, second, "/machine.MachineService/Reboot", "os:reader", err, false, nil)
}

func FuzzMerge_ReadsAnyResponse(f *testing.F) {
	good, err := proto.Marshal(&machinepb.HostnameResponse{Messages: []*machinepb.Hostname{{Hostname: "a"}, {Hostname: "b"}}})
	if err != nil {
		f.Fatal(err)
	}

	f.Add(good)
	f.Add([]byte{0x0a, 0xff})
	f.Add(protowire.AppendVarint(protowire.AppendTag(nil, 1, protowire.VarintType), 7))

	f.Fuzz(func(t *testing.T, response []byte) {
		var before machinepb.HostnameResponse

		host, err := hostField("node")
		if err != nil {
			t.Fatal(err)
		}

		merged, err := appendResponse(nil, response, host)
		if err != nil || proto.Unmarshal(response, &before) != nil {
			return
		}

		var after machinepb.HostnameResponse
		if err := proto.Unmarshal(merged, &after); err != nil {
			t.Fatalf("response %x is readable, merged %x is not: %v", response, merged, err)
		}

		for i, message := range before.GetMessages() {
			if message.Metadata == nil {
				message.Metadata = &commonpb.Metadata{}
			}

			message.Metadata.Hostname = "node"

			if !proto.Equal(message, after.GetMessages()[i]) {
				t.Errorf("message %d: got %v, want %v", i, after.GetMessages()[i], message)
			}
		}
	})
}
