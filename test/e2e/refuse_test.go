package e2e

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"
	"google.golang.org/protobuf/types/known/durationpb"
	"google.golang.org/protobuf/types/known/emptypb"

	machinepb "github.com/ichor-os/ichor/api/machine"
	"github.com/ichor-os/ichor/api/served"
	"github.com/ichor-os/ichor/client"
	"github.com/ichor-os/ichor/localcluster"
	"github.com/ichor-os/ichor/localcluster/namespaces"
	"github.com/ichor-os/ichor/pki/talosconfig"
)

// permitted reads from the reference which roles may call each method.
func permitted(t *testing.T) map[string][]string {
	t.Helper()
	file, err := os.Open("../../api/testdata/reference/rbac.tsv")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	out := map[string][]string{}
	for lines := bufio.NewScanner(file); lines.Scan(); {
		if columns := strings.Split(lines.Text(), "\t"); strings.HasPrefix(columns[0], "/") {
			out[columns[0]] = strings.Fields(columns[1])
		}
	}
	if len(out) < 80 {
		t.Fatalf("only %d methods in the reference", len(out))
	}
	return out
}

// empty calls a method with an empty request and reads what comes for a moment.
func empty(ctx context.Context, conn grpc.ClientConnInterface, method string) error {
	ctx, cancel := context.WithTimeout(ctx, 2*time.Second)
	defer cancel()
	service, name, _ := strings.Cut(strings.TrimPrefix(method, "/"), "/")
	found, err := protoregistry.GlobalFiles.FindDescriptorByName(protoreflect.FullName(service))
	if err != nil {
		return err
	}
	about := found.(protoreflect.ServiceDescriptor).Methods().ByName(protoreflect.Name(name))
	if !about.IsStreamingClient() && !about.IsStreamingServer() {
		return conn.Invoke(ctx, method, &emptypb.Empty{}, &emptypb.Empty{})
	}
	stream, err := conn.NewStream(ctx, &grpc.StreamDesc{ServerStreams: true, ClientStreams: true}, method)
	if err != nil {
		return err
	}
	if err := stream.SendMsg(&emptypb.Empty{}); err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	if err := stream.CloseSend(); err != nil {
		return err
	}
	for {
		if err := stream.RecvMsg(&emptypb.Empty{}); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return err
		}
	}
}

// as connects with a certificate of one role, newly signed by the node.
func as(t *testing.T, node context.Context, cluster *localcluster.Cluster, api *client.Client, role string) *client.Client {
	t.Helper()
	answer, err := api.Machine.GenerateClientConfiguration(node, &machinepb.GenerateClientConfigurationRequest{
		Roles: []string{role}, CrtTtl: durationpb.New(time.Hour),
	})
	if err != nil {
		t.Fatal(err)
	}
	made, err := talosconfig.Parse(answer.GetMessages()[0].GetTalosconfig())
	if err != nil {
		t.Fatal(err)
	}
	found, err := made.Get("")
	if err != nil {
		t.Fatal(err)
	}
	options, err := client.FromContext(role, found, []string{cluster.Spec.Nodes[0].Loopback.String()})
	if err != nil {
		t.Fatal(err)
	}
	c, err := client.New(options)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	return c
}

// everyMethodWithEveryRole calls each method with each role but an
// administrator's: it is refused, or gets to what serves it. Of those that are
// not refused, only the ones of a reader are called, as they change nothing.
func everyMethodWithEveryRole(t *testing.T, node context.Context, cluster *localcluster.Cluster, api *client.Client) {
	want := permitted(t)
	for _, role := range []string{"os:operator", "os:reader", "os:etcd:backup", "os:image:verifier", "os:meta:writer"} {
		conn := as(t, node, cluster, api, role).Conn()
		refused, answered := 0, 0
		for method, allowed := range want {
			_, missing := served.Reasons()[method]
			switch {
			case !slices.Contains(allowed, role):
				refused++
				if err := empty(node, conn, method); status.Code(err) != codes.PermissionDenied {
					t.Errorf("%s as %s: got %v, want PermissionDenied", method, role, err)
				}
			case slices.Contains(allowed, "os:reader"):
				answered++
				code := status.Code(empty(node, conn, method))
				if code == codes.PermissionDenied || code == codes.Unauthenticated || code == codes.Unimplemented != missing {
					t.Errorf("%s as %s: got %s; it is on the list of what is not served: %v", method, role, code, missing)
				}
			}
		}
		t.Logf("%s: %d methods refused, %d answered", role, refused, answered)
	}
}

// localSockets calls the node's local sockets as a process that is not of the
// node's own: what a container would be that got hold of them.
func localSockets(t *testing.T, cluster *localcluster.Cluster) {
	found, err := namespaces.Store{Root: cluster.State}.Show(cluster.Spec.Name)
	if err != nil {
		t.Fatal(err)
	}
	for _, socket := range []string{"apid/apid.sock", "machined/machine.sock"} {
		path := filepath.Join(fmt.Sprintf("/proc/%d/root/system/run", found.Nodes[0].PID), socket)
		conn, err := grpc.NewClient("passthrough:///local", grpc.WithTransportCredentials(insecure.NewCredentials()),
			grpc.WithContextDialer(func(ctx context.Context, _ string) (net.Conn, error) {
				return (&net.Dialer{}).DialContext(ctx, "unix", path)
			}))
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		for _, claim := range [][]string{{}, {"talos-role", "os:admin"}, {"talos-role", "os:admin", "node", "127.0.0.1"}} {
			ctx, cancel := context.WithTimeout(metadata.AppendToOutgoingContext(t.Context(), claim...), 5*time.Second)
			_, err := machinepb.NewMachineServiceClient(conn).Version(ctx, &emptypb.Empty{})
			cancel()
			if status.Code(err) != codes.PermissionDenied {
				t.Errorf("%s claiming %q: got %v, want PermissionDenied", socket, claim, err)
			}
		}
	}
}
