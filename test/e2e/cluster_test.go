// Package e2e makes real clusters and looks at them from outside.
//
// The tests run with ICHOR_E2E=1, as root, with built assets; they leave nothing
// behind, whatever happens.
package e2e

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/types/known/emptypb"

	resourcepb "github.com/ichor-os/ichor/api/cosi/resource"
	machinepb "github.com/ichor-os/ichor/api/machine"
	"github.com/ichor-os/ichor/client"
	"github.com/ichor-os/ichor/localcluster"
	"github.com/ichor-os/ichor/localcluster/namespaces"
	"github.com/ichor-os/ichor/version"
)

func TestMain(m *testing.M) {
	namespaces.RunIfChild()
	running, _ = signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	go func() {
		<-running.Done()
		destroyAll()
		os.Exit(1)
	}()
	os.Exit(m.Run())
}

// running ends when the tests are interrupted; no cleanup of a test runs then.
var running context.Context

// made are the clusters that tests made; it is locked while one is being made.
var made struct {
	sync.Mutex
	clusters []localcluster.Options
}

// destroyAll leaves nothing of the clusters of interrupted tests.
func destroyAll() {
	made.Lock()
	defer made.Unlock()
	for _, options := range made.clusters {
		err := namespaces.Store{Root: options.State}.Destroy(context.Background(), options.Name)
		if err := errors.Join(err, os.RemoveAll(filepath.Dir(options.State))); err != nil {
			fmt.Fprintf(os.Stderr, "clean up after an interruption: %v\n", err)
		}
	}
}

// create makes a cluster unless the tests are interrupted meanwhile.
func create(options localcluster.Options) (*localcluster.Cluster, error) {
	made.Lock()
	defer made.Unlock()
	made.clusters = append(made.clusters, options)
	return localcluster.Create(running, options)
}

// makeCluster makes a cluster that is gone when the test ends.
func makeCluster(t *testing.T, options localcluster.Options) *localcluster.Cluster {
	t.Helper()
	if os.Getenv("ICHOR_E2E") != "1" {
		t.Skip("needs ICHOR_E2E=1, root and built assets")
	}
	options.State = t.TempDir()
	options.Progress = func(e localcluster.Event) { t.Logf("%7.2fs %-24s %s", e.Since.Seconds(), e.Node, e.Step) }
	before := traces(t, options)
	t.Cleanup(func() {
		if t.Failed() {
			showConsoles(t, options.State)
		}
		store := namespaces.Store{Root: options.State}
		if err := store.Destroy(context.Background(), options.Name); err != nil {
			t.Error(err)
		}
		within(t, 10*time.Second, "nothing of the cluster is left", func() error {
			if diff := cmp.Diff(before, traces(t, options)); diff != "" {
				return errors.New(diff)
			}
			return nil
		})
	})
	cluster, err := create(options)
	if err != nil {
		showKubernetes(t, cluster)
		t.Fatal(err)
	}
	return cluster
}

func showConsoles(t *testing.T, state string) {
	t.Helper()
	paths, _ := filepath.Glob(filepath.Join(state, "*", "*", namespaces.ConsoleFile))
	for _, path := range paths {
		text, _ := os.ReadFile(path)
		lines := strings.Split(string(text), "\n")
		t.Logf("%s:\n%s", path, strings.Join(lines[max(0, len(lines)-60):], "\n"))
	}
}

// showKubernetes prints what pods wait for, and what happened to them last.
func showKubernetes(t *testing.T, cluster *localcluster.Cluster) {
	t.Helper()
	if cluster == nil || len(cluster.Kubeconfig) == 0 {
		return
	}
	api, err := localcluster.NewAPI(cluster.Kubeconfig)
	if err != nil {
		t.Log(err)
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	var pods struct {
		Items []struct {
			Metadata struct{ Name string }
			Status   struct {
				Phase             string
				ContainerStatuses []struct {
					Name         string
					Ready        bool
					RestartCount int
					State        map[string]any
				}
			}
		}
	}
	var events struct {
		Items []struct {
			Type, Reason, Message string
			InvolvedObject        struct{ Name string }
		}
	}
	t.Log(api.Get(ctx, "/api/v1/pods", &pods), api.Get(ctx, "/api/v1/events", &events))
	for _, pod := range pods.Items {
		t.Logf("%s: %s %+v", pod.Metadata.Name, pod.Status.Phase, pod.Status.ContainerStatuses)
	}
	for _, event := range events.Items {
		if event.Type != "Normal" {
			t.Logf("%s: %s: %s", event.InvolvedObject.Name, event.Reason, event.Message)
		}
	}
}

func within(t *testing.T, bound time.Duration, what string, try func() error) {
	t.Helper()
	deadline := time.Now().Add(bound)
	for {
		err := try()
		if err == nil {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("not within %s: %s: %v", bound, what, err)
		}
		time.Sleep(100 * time.Millisecond)
	}
}

// traces is what a cluster could leave on this computer: mounts, control groups,
// interfaces, routes, settings, and processes that name its folder.
func traces(t *testing.T, options localcluster.Options) map[string][]string {
	t.Helper()
	found := map[string][]string{}
	read := func(path string) string {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		return strings.TrimSpace(string(text))
	}
	found["mounts"] = strings.Split(read("/proc/self/mounts"), "\n")
	found["routes"] = strings.Split(read("/proc/net/route"), "\n")
	for _, pattern := range []string{"/sys/fs/cgroup/ichor/", "/sys/fs/cgroup/*/ichor/"} {
		// A folder per cluster, with what tells apart those of other tests.
		paths, err := filepath.Glob(pattern + options.Name + ".*")
		if err != nil {
			t.Fatal(err)
		}
		for _, path := range paths {
			if text, err := os.ReadFile(filepath.Join(path, ".outside", "cgroup.procs")); err == nil && len(text) > 0 && !names(options.State, strings.Fields(string(text))) {
				continue
			}
			found["cgroups"] = append(found["cgroups"], path)
		}
	}
	links, err := os.ReadDir("/sys/class/net")
	if err != nil {
		t.Fatal(err)
	}
	for _, link := range links {
		found["links"] = append(found["links"], link.Name())
	}
	for _, setting := range []string{"vm/overcommit_memory", "vm/panic_on_oom", "kernel/panic", "kernel/panic_on_oops", "kernel/keys/root_maxkeys", "net/ipv4/ip_forward"} {
		found["settings"] = append(found["settings"], setting+"="+read("/proc/sys/"+setting))
	}
	processes, err := filepath.Glob("/proc/[0-9]*")
	if err != nil {
		t.Fatal(err)
	}
	for _, process := range processes {
		if names(options.State, []string{filepath.Base(process)}) {
			found["processes"] = append(found["processes"], process)
		}
	}
	return found
}

// names reports whether one of the processes has the folder in its arguments.
func names(folder string, pids []string) bool {
	for _, pid := range pids {
		line, err := os.ReadFile("/proc/" + pid + "/cmdline")
		if err == nil && strings.Contains(string(line), folder) {
			return true
		}
	}
	return false
}

func TestCluster_OneNode(t *testing.T) {
	cluster := makeCluster(t, localcluster.Options{Name: "e2e-one", ControlPlanes: 1})
	api, err := cluster.Client()
	if err != nil {
		t.Fatal(err)
	}
	defer api.Close()
	node := client.WithNode(t.Context(), cluster.Spec.Nodes[0].Address.String())

	t.Run("version is the contract's", func(t *testing.T) {
		response, err := api.Machine.Version(node, &emptypb.Empty{})
		if err != nil {
			t.Fatal(err)
		}
		if got := response.GetMessages()[0].GetVersion().GetTag(); got != version.Contract {
			t.Errorf("tag = %s, want %s", got, version.Contract)
		}
	})
	t.Run("services are healthy", func(t *testing.T) {
		response, err := api.Machine.ServiceList(node, &emptypb.Empty{})
		if err != nil {
			t.Fatal(err)
		}
		healthy := map[string]bool{}
		for _, s := range response.GetMessages()[0].GetServices() {
			healthy[s.GetId()] = s.GetState() == "Running" && s.GetHealth().GetHealthy()
		}
		want := map[string]bool{"machined": true, "apid": true, "trustd": true, "containerd": true, "etcd": true, "kubelet": true}
		if diff := cmp.Diff(want, healthy); diff != "" {
			t.Errorf("healthy services (-want +got):\n%s", diff)
		}
	})
	t.Run("logs are there and an unknown one is named", func(t *testing.T) {
		for id, want := range map[string]string{"machined": "node waits for its config", "etcd": "etcd-version", "nothing": `log "nothing" was not registered`} {
			if got := logOf(t, node, api, id); !strings.Contains(got, want) {
				t.Errorf("log %s lacks %q:\n%.500s", id, want, got)
			}
		}
	})
	t.Run("resources tell what the machine is and does", func(t *testing.T) {
		for _, want := range []struct{ namespace, kind, id, text string }{
			{"runtime", "MachineStatuses.runtime.talos.dev", "machine", "stage: running"},
			{"runtime", "Services.v1alpha1.talos.dev", "etcd", "healthy: true"},
			{"network", "HostnameStatuses.net.talos.dev", "hostname", "e2e-one-controlplane-1"},
			{"config", "MachineConfigs.config.talos.dev", "v1alpha1", "controlplane"},
			{"config", "MachineTypes.config.talos.dev", "machine-type", "controlplane"},
		} {
			got, err := resourceOf(node, api, want.namespace, want.kind, want.id)
			if err != nil || !strings.Contains(got, want.text) {
				t.Errorf("%s %s = %.200q, %v; want %q in it", want.kind, want.id, got, err, want.text)
			}
		}
	})
	t.Run("a file is read", func(t *testing.T) {
		stream, err := api.Machine.Read(node, &machinepb.ReadRequest{Path: "/etc/hostname"})
		if err != nil {
			t.Fatal(err)
		}
		data, err := stream.Recv()
		if err != nil || string(data.GetBytes()) != "e2e-one-controlplane-1\n" {
			t.Errorf("hostname = %q, %v", data.GetBytes(), err)
		}
	})
	t.Run("the root is read-only and config is refused without certificate", func(t *testing.T) {
		stranger, err := client.New(client.Options{Endpoints: []string{cluster.Spec.Nodes[0].Loopback.String()}, Insecure: true})
		if err != nil {
			t.Fatal(err)
		}
		defer stranger.Close()
		if _, err := stranger.Machine.Version(t.Context(), &emptypb.Empty{}); err == nil {
			t.Error("a caller without a certificate is answered")
		}
	})
	t.Run("bootstrap repeated changes nothing", func(t *testing.T) {
		if _, err := api.Machine.Bootstrap(node, &machinepb.BootstrapRequest{}); err != nil {
			t.Errorf("second bootstrap = %v, want nil", err)
		}
	})
	t.Run("a killed service comes back", func(t *testing.T) { killedServiceComesBack(t, cluster, api, node) })
	t.Run("a reboot brings the cluster back", func(t *testing.T) { rebootBringsBack(t, cluster, api, node) })
}

func logOf(t *testing.T, ctx context.Context, api *client.Client, id string) string {
	t.Helper()
	stream, err := api.Machine.Logs(ctx, &machinepb.LogsRequest{Id: id, TailLines: -1})
	if err != nil {
		t.Fatal(err)
	}
	var text strings.Builder
	for {
		data, err := stream.Recv()
		if errors.Is(err, io.EOF) {
			return text.String()
		}
		if err != nil {
			t.Fatal(err)
		}
		text.Write(data.GetBytes())
		//lint:ignore SA1019 the reason is in this field, as clients expect
		text.WriteString(data.GetMetadata().GetError())
	}
}

// killedServiceComesBack kills apid from outside, as a crash would.
func killedServiceComesBack(t *testing.T, cluster *localcluster.Cluster, api *client.Client, node context.Context) {
	paths, err := filepath.Glob("/sys/fs/cgroup/*/ichor/" + cluster.Spec.ID + "/" + cluster.Spec.Nodes[0].Name + "/system/apid/cgroup.procs")
	if err != nil || len(paths) == 0 {
		paths = []string{"/sys/fs/cgroup/ichor/" + cluster.Spec.ID + "/" + cluster.Spec.Nodes[0].Name + "/system/apid/cgroup.procs"}
	}
	text, err := os.ReadFile(paths[0])
	if err != nil {
		t.Fatal(err)
	}
	pid, err := strconv.Atoi(strings.TrimSpace(string(text)))
	if err != nil {
		t.Fatal(err)
	}
	if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	within(t, 20*time.Second, "apid answers again", func() error {
		ctx, cancel := context.WithTimeout(node, 2*time.Second)
		defer cancel()
		_, err := api.Machine.Version(ctx, &emptypb.Empty{})
		return err
	})
}

func rebootBringsBack(t *testing.T, cluster *localcluster.Cluster, api *client.Client, node context.Context) {
	if _, err := api.Machine.Reboot(node, &machinepb.RebootRequest{}); err != nil {
		t.Fatal(err)
	}
	kubernetes, err := localcluster.NewAPI(cluster.Kubeconfig)
	if err != nil {
		t.Fatal(err)
	}
	within(t, time.Minute, "the API server goes away or the node starts again", func() error {
		response, err := api.Machine.ServiceList(node, &emptypb.Empty{})
		if err != nil {
			return nil
		}
		for _, s := range response.GetMessages()[0].GetServices() {
			if s.GetId() == "kubelet" && s.GetState() != "Running" {
				return nil
			}
		}
		return errors.New("kubelet still runs")
	})
	within(t, 2*time.Minute, "the node is Ready again", func() error {
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
		defer cancel()
		if _, err := api.Machine.Version(node, &emptypb.Empty{}); err != nil {
			return err
		}
		if err := kubernetes.DeploymentReady(ctx, "kube-system", "coredns"); err != nil {
			return err
		}
		states, err := kubernetes.Nodes(ctx)
		if err == nil && !states[cluster.Spec.Nodes[0].Name] {
			err = errors.New("not Ready")
		}
		return err
	})
}

// resourceOf reads one resource's spec as YAML.
func resourceOf(ctx context.Context, api *client.Client, namespace, kind, id string) (string, error) {
	response, err := api.Resources.Get(ctx, &resourcepb.GetRequest{Namespace: namespace, Type: kind, Id: id})
	if err != nil {
		return "", err
	}
	return response.GetResource().GetSpec().GetYamlSpec(), nil
}
