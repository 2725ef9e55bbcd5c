//lint:file-ignore SA1019 the metadata of merged answers is what nodes send

package apid

import (
	"context"
	"net"
	"strconv"
	"strings"
	"testing"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/types/known/emptypb"

	commonpb "github.com/ichor-os/ichor/api/common"
	resourcepb "github.com/ichor-os/ichor/api/cosi/resource"
	machinepb "github.com/ichor-os/ichor/api/machine"
	"github.com/ichor-os/ichor/client"
	"github.com/ichor-os/ichor/node/apid/settings"
	"github.com/ichor-os/ichor/pki"
	"github.com/ichor-os/ichor/pki/talosconfig"
)

// user returns a client with a talosconfig of the given roles, by way of the
// node as its endpoint.
func (n *testNode) user(roles ...string) *client.Client {
	n.t.Helper()

	pair := n.issue(pki.Template{Organizations: roles, Usages: pki.ClientAuth})
	file := talosconfig.NewContext([]string{net.JoinHostPort(n.address, strconv.Itoa(n.port))},
		pki.EncodeCertificate(n.authority.Certificate), pair)

	options, err := client.FromContext("lab", file, nil)
	if err != nil {
		n.t.Fatal(err)
	}

	return n.connect(options)
}

func (n *testNode) connect(options client.Options) *client.Client {
	n.t.Helper()

	c, err := client.New(options)
	if err != nil {
		n.t.Fatal(err)
	}

	n.t.Cleanup(func() { _ = c.Close() })

	return c
}

// What a user sees of a cluster with a dead node: the answers of the others,
// and which one did not answer.
func TestClient_SeesEachNode(t *testing.T) {
	first, second, nodes := threeNodes(t)
	first.machined.set(hostnameAnswer("one"))
	second.machined.set(hostnameAnswer("two"))

	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()

	user := first.user("os:reader")

	response, err := user.Machine.Hostname(client.WithNodes(ctx, nodes...), &emptypb.Empty{})
	if err != nil {
		t.Fatal(err)
	}

	answers, err := client.Answers(response.GetMessages())
	if len(answers) != 2 || client.Node(answers[0]) != "127.0.0.2" || client.Node(answers[1]) != "127.0.0.1" {
		t.Errorf("answers: %v", answers)
	}

	if err == nil || !strings.HasPrefix(err.Error(), "127.0.0.3: out of reach") {
		t.Errorf("error: %v", err)
	}

	first.machined.set(answerWith(nil, &commonpb.Data{Bytes: []byte("line")}))
	second.machined.set(answerWith(nil, &commonpb.Data{Bytes: []byte("line")}))

	stream, err := user.Machine.Logs(client.WithNodes(ctx, nodes...), &machinepb.LogsRequest{Id: "kubelet"})
	if err != nil {
		t.Fatal(err)
	}

	lines := 0

	err = client.Collect(stream, func(*commonpb.Data) error { lines++; return nil })
	if lines != 2 || err == nil || !strings.HasPrefix(err.Error(), "127.0.0.3: out of reach") {
		t.Errorf("%d lines, error: %v", lines, err)
	}
}

func TestClient_AsksResourcesNodeByNode(t *testing.T) {
	first, second, nodes := threeNodes(t)
	user := first.user("os:reader")

	err := client.ForEach(t.Context(), nodes, func(ctx context.Context, _ string) error {
		_, err := user.Resources.Get(ctx, &resourcepb.GetRequest{Type: "Members.cluster.talos.dev"})
		return err
	})

	if err == nil || !strings.HasPrefix(err.Error(), "127.0.0.3: ") || strings.Count(err.Error(), "\n") != 0 {
		t.Errorf("error: %v", err)
	}

	if len(first.machined.taken()) != 1 || len(second.machined.taken()) != 1 {
		t.Error("the other nodes were not asked once each")
	}
}

func TestClient_LearnsWhatToDo(t *testing.T) {
	f := newFixture(t)
	node := f.start("127.0.0.1", settings.Worker)
	fresh := f.start("127.0.0.2", settings.Maintenance)
	address := net.JoinHostPort(fresh.address, strconv.Itoa(f.port))

	for name, test := range map[string]struct {
		call func() error
		code codes.Code
		want []string
	}{
		"role missing": {func() error {
			_, err := node.user("os:reader").Machine.Reboot(t.Context(), &machinepb.RebootRequest{})
			return err
		}, codes.PermissionDenied, []string{"not allowed", "os:operator", "os:reader"}},
		"worker as endpoint": {func() error {
			_, err := node.user("os:reader").Machine.Version(client.WithNode(t.Context(), "127.0.0.2"), &emptypb.Empty{})
			return err
		}, codes.PermissionDenied, []string{"control plane node as endpoint"}},
		"too much of a node without configuration": {func() error {
			_, err := fresh.connect(client.Options{Endpoints: []string{address}, Insecure: true}).Machine.
				EtcdLeaveCluster(t.Context(), &machinepb.EtcdLeaveClusterRequest{})
			return err
		}, codes.PermissionDenied, []string{"apply a machine configuration first"}},
	} {
		t.Run(name, func(t *testing.T) {
			err := test.call()
			if status.Code(err) != test.code {
				t.Fatalf("got %v, want code %s", err, test.code)
			}

			for _, part := range test.want {
				if !strings.Contains(err.Error(), part) {
					t.Errorf("%q does not contain %q", err, part)
				}
			}
		})
	}
}
