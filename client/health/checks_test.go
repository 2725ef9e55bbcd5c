//lint:file-ignore SA1019 the metadata of merged answers is what nodes send

package health

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"google.golang.org/grpc"
	"google.golang.org/protobuf/types/known/emptypb"

	commonpb "github.com/ichor-os/ichor/api/common"
	machinepb "github.com/ichor-os/ichor/api/machine"
)

// world is a cluster that works, for tests to break.
type world struct {
	machinepb.MachineServiceClient
	services map[string][]*machinepb.ServiceInfo // by node
	members  map[string][]*machinepb.EtcdMember  // by node
	objects  map[string]any                      // answers of Kubernetes, by path and label
}

func working() *world {
	w := &world{services: map[string][]*machinepb.ServiceInfo{}, members: map[string][]*machinepb.EtcdMember{}, objects: map[string]any{}}
	for _, node := range []string{"10.0.0.2", "10.0.0.3"} {
		for _, id := range []string{"apid", "kubelet", "etcd"} {
			w.services[node] = append(w.services[node], &machinepb.ServiceInfo{Id: id, State: "Running", Health: &machinepb.ServiceHealth{Healthy: true}})
		}
	}
	w.members["10.0.0.2"] = []*machinepb.EtcdMember{{Hostname: "cp", PeerUrls: []string{"https://10.0.0.2:2380"}}}
	item := func(name, address, role string) map[string]any {
		return map[string]any{
			"metadata": map[string]any{"name": name, "labels": map[string]string{role: ""}},
			"status": map[string]any{
				"conditions": []any{map[string]string{"type": "Ready", "status": "True"}},
				"addresses":  []any{map[string]string{"type": "InternalIP", "address": address}},
			},
		}
	}
	w.objects["/api/v1/nodes"] = []any{item("cp", "10.0.0.2", controlPlaneLabel), item("w", "10.0.0.3", "x")}
	for _, app := range []string{"kube-apiserver", "kube-controller-manager", "kube-scheduler", "kube-proxy", "kube-dns"} {
		w.objects[app] = []any{pod(app+"-cp", "cp", "True")}
	}
	w.objects["kube-proxy"] = append(w.objects["kube-proxy"].([]any), pod("kube-proxy-w", "w", "True"))
	w.objects["/api/v1/namespaces/kube-system/configmaps"] = []any{map[string]any{"data": map[string]string{
		"objects": `[{"kind":"DaemonSet","name":"kube-proxy"},{"kind":"Deployment","name":"coredns"}]`,
	}}}
	return w
}

func pod(name, node, ready string) map[string]any {
	return map[string]any{
		"metadata": map[string]any{"name": name}, "spec": map[string]any{"nodeName": node},
		"status": map[string]any{"phase": "Running", "conditions": []any{map[string]string{"type": "Ready", "status": ready}}},
	}
}

func (w *world) ServeHTTP(response http.ResponseWriter, request *http.Request) {
	key := request.URL.Path
	if label := request.URL.Query().Get("labelSelector"); label != "" {
		key = strings.TrimPrefix(label, "k8s-app=")
	}
	_ = json.NewEncoder(response).Encode(map[string]any{"items": w.objects[key]})
}

func (w *world) Version(context.Context, *emptypb.Empty, ...grpc.CallOption) (*machinepb.VersionResponse, error) {
	return &machinepb.VersionResponse{}, nil
}

func (w *world) ServiceList(context.Context, *emptypb.Empty, ...grpc.CallOption) (*machinepb.ServiceListResponse, error) {
	response := &machinepb.ServiceListResponse{}
	for node, services := range w.services {
		response.Messages = append(response.Messages, &machinepb.ServiceList{Metadata: &commonpb.Metadata{Hostname: node}, Services: services})
	}
	return response, nil
}

func (w *world) EtcdMemberList(context.Context, *machinepb.EtcdMemberListRequest, ...grpc.CallOption) (*machinepb.EtcdMemberListResponse, error) {
	response := &machinepb.EtcdMemberListResponse{}
	for node, members := range w.members {
		response.Messages = append(response.Messages, &machinepb.EtcdMembers{Metadata: &commonpb.Metadata{Hostname: node}, Members: members})
	}
	return response, nil
}

// firstFault runs the checks once, in their order.
func (w *world) firstFault(t *testing.T) (name string, fault error) {
	t.Helper()
	server := httptest.NewServer(w)
	defer server.Close()
	c := &Cluster{
		Machine: w, First: "10.0.0.2",
		Connect: func(context.Context, string) (Kubernetes, error) {
			return &web{server: server.URL, http: server.Client()}, nil
		},
	}
	for _, check := range c.Checks() {
		if err := check.Try(t.Context()); err != nil {
			return check.Name, err
		}
	}
	return "", nil
}

func TestChecks_NameThePartThatIsBroken(t *testing.T) {
	node := func(w *world, i int) map[string]any { return w.objects["/api/v1/nodes"].([]any)[i].(map[string]any) }
	for name, test := range map[string]struct {
		breakIt     func(w *world)
		check, want string
	}{
		"nothing":            {func(*world) {}, "", ""},
		"no control plane":   {func(w *world) { w.objects["/api/v1/nodes"] = []any{} }, "all nodes to be known", "no control plane node"},
		"apid":               {func(w *world) { w.services["10.0.0.3"][0].State = "Failed" }, "apid to be healthy on all nodes", "10.0.0.3: service apid is in state Failed"},
		"kubelet":            {func(w *world) { w.services["10.0.0.3"][1].Health = nil }, "kubelet to be healthy on all nodes", "10.0.0.3: service kubelet is not healthy"},
		"etcd":               {func(w *world) { w.services["10.0.0.2"][2].State = "Waiting" }, "etcd to be healthy on control plane nodes", "Waiting"},
		"another membership": {func(w *world) { w.members["10.0.0.2"][0].PeerUrls = []string{"https://10.0.0.9:2380"} }, "etcd members to be the control plane nodes", "10.0.0.2 is no member of etcd"},
		"a learner":          {func(w *world) { w.members["10.0.0.2"][0].IsLearner = true }, "etcd members to be the control plane nodes", "member cp does not vote yet"},
		"a member too many": {func(w *world) {
			w.members["10.0.0.2"] = append(w.members["10.0.0.2"], &machinepb.EtcdMember{Hostname: "old", PeerUrls: []string{"https://10.0.0.9:2380"}})
		}, "etcd members to be the control plane nodes", "10.0.0.9, which is no control plane node"},
		"not Ready": {func(w *world) {
			node(w, 1)["status"].(map[string]any)["conditions"] = []any{map[string]string{"type": "Ready", "status": "False", "message": "no network"}}
		}, "all nodes to be Ready and schedulable", "node w is not Ready: no network"},
		"cordoned":   {func(w *world) { node(w, 1)["spec"] = map[string]any{"unschedulable": true} }, "all nodes to be Ready and schedulable", "node w is cordoned"},
		"static pod": {func(w *world) { w.objects["kube-scheduler"] = []any{} }, "static pods of the control plane to be ready", "no pod of kube-scheduler on cp"},
		"kube-proxy": {func(w *world) { w.objects["kube-proxy"] = []any{pod("kube-proxy-w", "w", "False")} }, "kube-proxy to be ready", "pod kube-proxy-w is not ready"},
		"kube-proxy is missing on a node": {
			func(w *world) { w.objects["kube-proxy"] = []any{pod("kube-proxy-cp", "cp", "True")} }, "kube-proxy to be ready", "no pod of kube-proxy on w",
		},
		"kube-proxy is missing": {func(w *world) { w.objects["kube-proxy"] = []any{} }, "kube-proxy to be ready", "no pod of kube-proxy, which"},
		"CoreDNS is missing":    {func(w *world) { w.objects["kube-dns"] = []any{} }, "CoreDNS to be ready", "no pod of coredns, which"},
		"CoreDNS of another system is missing": {func(w *world) {
			w.objects["kube-dns"], w.objects["/api/v1/namespaces/kube-system/configmaps"] = []any{}, []any{}
			w.objects["/apis/apps/v1/namespaces/kube-system/deployments"] = []any{map[string]any{}}
		}, "CoreDNS to be ready", "no pod of coredns, which"},
		"no add-ons by config": {func(w *world) {
			w.objects["kube-dns"], w.objects["kube-proxy"], w.objects["/api/v1/namespaces/kube-system/configmaps"] = []any{}, []any{}, []any{}
		}, "", ""},
		"CoreDNS": {func(w *world) { w.objects["kube-dns"] = []any{pod("coredns-x", "w", "False")} }, "CoreDNS to be ready", "pod coredns-x is not ready"},
	} {
		t.Run(name, func(t *testing.T) {
			w := working()
			test.breakIt(w)
			check, err := w.firstFault(t)
			if check != test.check || (err != nil && !strings.Contains(err.Error(), test.want)) {
				t.Errorf("check %q failed with %v; want %q with a part %q", check, err, test.check, test.want)
			}
		})
	}
}

func TestChecks_ControlPlaneNodesAgreeOnMembers(t *testing.T) {
	w := working()
	w.members["10.0.0.4"] = []*machinepb.EtcdMember{{Hostname: "other"}}
	c := &Cluster{Machine: w, ControlPlane: []string{"10.0.0.2", "10.0.0.4"}}
	if err := c.sameMembers(t.Context()); err == nil || !strings.Contains(err.Error(), "10.0.0.2 knows the members cp, but 10.0.0.4 knows other") {
		t.Errorf("got %v", err)
	}
}
