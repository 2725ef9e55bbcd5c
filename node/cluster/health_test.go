//lint:file-ignore SA1019 the metadata of merged answers is what nodes send

package cluster

import (
	"context"
	"encoding/json"
	"io/fs"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/durationpb"

	clusterpb "github.com/ichor-os/ichor/api/cluster"
	commonpb "github.com/ichor-os/ichor/api/common"
	machinepb "github.com/ichor-os/ichor/api/machine"
	"github.com/ichor-os/ichor/client/health"
	"github.com/ichor-os/ichor/node/access"
)

// apid answers for one control plane node, whose kubelet may be down.
type apid struct {
	grpc.ClientConnInterface
	kubelet string
	roles   []string
}

func (a *apid) Invoke(ctx context.Context, method string, _, reply any, _ ...grpc.CallOption) error {
	sent, _ := metadata.FromOutgoingContext(ctx)
	a.roles = sent.Get(access.MetadataKey)
	from := &commonpb.Metadata{Hostname: "10.0.0.2"}
	var services []*machinepb.ServiceInfo
	for id, state := range map[string]string{"apid": "Running", "etcd": "Running", "kubelet": a.kubelet} {
		services = append(services, &machinepb.ServiceInfo{Id: id, State: state, Health: &machinepb.ServiceHealth{Healthy: true}})
	}
	answers := map[string]proto.Message{
		"Version":     &machinepb.VersionResponse{},
		"ServiceList": &machinepb.ServiceListResponse{Messages: []*machinepb.ServiceList{{Metadata: from, Services: services}}},
		"EtcdMemberList": &machinepb.EtcdMemberListResponse{Messages: []*machinepb.EtcdMembers{{
			Metadata: from, Members: []*machinepb.EtcdMember{{Hostname: "cp", PeerUrls: []string{"https://10.0.0.2:2380"}}},
		}}},
	}
	proto.Merge(reply.(proto.Message), answers[method[strings.LastIndex(method, "/")+1:]])
	return nil
}

type kubernetes struct{}

func (kubernetes) Get(_ context.Context, path string, into any) error {
	text := `{"items":[{"metadata":{"name":"pod"},"spec":{"nodeName":"cp"},"status":{"phase":"Running","conditions":[{"type":"Ready","status":"True"}]}}]}`
	if path == "/api/v1/nodes" {
		text = `{"items":[{"metadata":{"name":"cp","labels":{"node-role.kubernetes.io/control-plane":""}},
			"status":{"conditions":[{"type":"Ready","status":"True"}],"addresses":[{"type":"InternalIP","address":"10.0.0.2"}]}}]}`
	}
	return json.Unmarshal([]byte(text), into)
}

// heard is the stream of a caller with the role of a reader.
type heard struct {
	grpc.ServerStream
	ctx   context.Context
	lines []string
}

func (h *heard) Context() context.Context { return h.ctx }
func (h *heard) Send(p *clusterpb.HealthCheckProgress) error {
	h.lines = append(h.lines, p.GetMessage())
	return nil
}

func check(ctx context.Context, a *apid) (*heard, error) {
	stream := &heard{ctx: metadata.NewIncomingContext(ctx, metadata.Pairs(access.MetadataKey, "os:reader"))}
	h := Health{API: a, Kubernetes: func(string) (health.Kubernetes, error) { return kubernetes{}, nil }}
	return stream, h.HealthCheck(&clusterpb.HealthCheckRequest{WaitTimeout: durationpb.New(time.Minute)}, stream)
}

func TestHealthCheck_TellsEachStepAndAsksAsItsCaller(t *testing.T) {
	a := &apid{kubelet: "Running"}
	stream, err := check(t.Context(), a)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Contains(stream.lines, "waiting for all nodes to be Ready and schedulable: OK") || !slices.Contains(stream.lines, "waiting for CoreDNS to be ready: OK") {
		t.Errorf("messages = %q", stream.lines)
	}
	if !slices.Equal(a.roles, []string{"os:reader"}) {
		t.Errorf("other nodes were asked as %q, want the caller's role", a.roles)
	}
}

func TestHealthCheck_SaysWhatIsWrongWhenTheTimeIsUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		_, err := check(t.Context(), &apid{kubelet: "Failed"})
		if status.Code(err) != codes.FailedPrecondition || !strings.Contains(err.Error(), "10.0.0.2: service kubelet is in state Failed") {
			t.Errorf("got %v, want the service that is not healthy", err)
		}
	})
}

func TestHealthCheck_AWorkerNamesWhomToAsk(t *testing.T) {
	h := Health{Kubernetes: func(string) (health.Kubernetes, error) { return nil, fs.ErrNotExist }}
	err := h.HealthCheck(&clusterpb.HealthCheckRequest{}, &heard{ctx: t.Context()})
	if status.Code(err) != codes.FailedPrecondition || !strings.Contains(err.Error(), "control plane node") {
		t.Errorf("got %v", err)
	}
}
