package e2e

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
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
)

// callBound is the time that a caller gives each call under load.
const callBound = 10 * time.Second

// TestCluster_SurvivesKills kills apid, trustd and containerd at random under
// load, for as long as ICHOR_KILL says (20 s). All come back, no call outlives
// its bound, no zombie stays, and etcd, which was not killed, runs on with its
// log complete.
func TestCluster_SurvivesKills(t *testing.T) {
	lasts := 20 * time.Second
	if text := os.Getenv("ICHOR_KILL"); text != "" {
		var err error
		if lasts, err = time.ParseDuration(text); err != nil {
			t.Fatal(err)
		}
	}
	cluster := makeCluster(t, localcluster.Options{Name: "e2e-kill", ControlPlanes: 1})
	api, err := cluster.Client()
	if err != nil {
		t.Fatal(err)
	}
	defer api.Close()
	node := client.WithNode(t.Context(), cluster.Spec.Nodes[0].Address.String())
	etcd := pidOf(t, cluster, "etcd", "etcd")
	kubelet := pidOf(t, cluster, "kubelet", "kubelet")
	if etcd == 0 || kubelet == 0 {
		t.Fatalf("etcd is process %d, kubelet %d; want both running", etcd, kubelet)
	}

	ctx, cancel := context.WithCancel(node)
	var load sync.WaitGroup
	var calls, failed, lines atomic.Int64
	for range 4 {
		load.Go(func() { callOn(ctx, t, api, &calls, &failed) })
	}
	load.Go(func() { printOn(ctx, t, etcd, &lines) })
	killed := killFor(t, cluster, lasts)
	cancel()
	load.Wait()
	t.Logf("killed %v; %d calls, %d of them failed; %d lines", killed, calls.Load(), failed.Load(), lines.Load())

	within(t, time.Minute, "all services are healthy again", func() error { return allHealthy(node, api) })
	if got := pidOf(t, cluster, "etcd", "etcd"); got != etcd {
		t.Errorf("etcd is process %d, was %d: it was not killed", got, etcd)
	}
	if got := pidOf(t, cluster, "kubelet", "kubelet"); got != kubelet {
		t.Errorf("kubelet is process %d, was %d: it was not killed", got, kubelet)
	}
	within(t, 5*time.Second, "no zombie is left", func() error { return zombies(t, cluster) })
	within(t, 5*time.Second, "the log has every line once, in order", func() error {
		return completeLog(logOf(t, node, api, "etcd"), lines.Load())
	})
	t.Run("an image is imported afterwards", func(t *testing.T) { importDockerImage(t, node, api) })
}

// killFor kills one service after the other and counts.
func killFor(t *testing.T, cluster *localcluster.Cluster, lasts time.Duration) map[string]int {
	t.Helper()
	seed := uint64(time.Now().UnixNano())
	random := rand.New(rand.NewPCG(seed, 0))
	t.Logf("seed %d", seed)
	killed := map[string]int{}
	for deadline := time.Now().Add(lasts); time.Now().Before(deadline); {
		name := []string{"apid", "trustd", "containerd"}[random.IntN(3)]
		if pid := pidOf(t, cluster, name, name); pid != 0 {
			if err := syscall.Kill(pid, syscall.SIGKILL); err != nil && !errors.Is(err, syscall.ESRCH) {
				t.Fatal(err)
			}
			killed[name]++
		}
		time.Sleep(time.Duration(200+random.IntN(1000)) * time.Millisecond)
	}
	return killed
}

// callOn calls until ctx is done; calls may fail but not outlive their bound.
func callOn(ctx context.Context, t *testing.T, api *client.Client, calls, failed *atomic.Int64) {
	for i := 0; ctx.Err() == nil; i++ {
		bounded, cancel := context.WithTimeout(ctx, callBound)
		begun := time.Now()
		var err error
		switch i % 4 {
		case 0:
			_, err = api.Machine.Version(bounded, &emptypb.Empty{})
		case 1:
			_, err = api.Machine.ServiceList(bounded, &emptypb.Empty{})
		case 2:
			_, err = drain(api.Machine.Logs(bounded, &machinepb.LogsRequest{Id: "kubelet", TailLines: 20}))
		case 3:
			_, err = drain(api.Resources.List(bounded, &resourcepb.ListRequest{Namespace: "runtime", Type: "Services.v1alpha1.talos.dev"}))
		}
		cancel()
		if took := time.Since(begun); took > callBound+time.Second {
			t.Errorf("call %d hung for %s: %v", i%4, took, err)
		}
		calls.Add(1)
		if err != nil && ctx.Err() == nil {
			failed.Add(1)
			time.Sleep(10 * time.Millisecond)
		}
	}
}

// printOn prints numbered lines as the process would itself: into its output,
// which its shim reads.
func printOn(ctx context.Context, t *testing.T, pid int, lines *atomic.Int64) {
	output, err := os.OpenFile(fmt.Sprintf("/proc/%d/fd/1", pid), os.O_WRONLY, 0)
	if err != nil {
		t.Error(err)
		return
	}
	defer output.Close()
	for ticker := time.NewTicker(10 * time.Millisecond); ; {
		select {
		case <-ctx.Done():
			ticker.Stop()
			return
		case <-ticker.C:
		}
		if _, err := fmt.Fprintf(output, "numbered line %d\n", lines.Load()+1); err != nil {
			t.Error(err)
			return
		}
		lines.Add(1)
	}
}

func completeLog(text string, want int64) error {
	next := int64(1)
	for line := range strings.Lines(text) {
		number, ok := strings.CutPrefix(strings.TrimSpace(line), "numbered line ")
		if !ok {
			continue
		}
		if number != strconv.FormatInt(next, 10) {
			return fmt.Errorf("line %s comes where line %d should", number, next)
		}
		next++
	}
	if next != want+1 {
		return fmt.Errorf("%d lines, want %d", next-1, want)
	}
	return nil
}

func allHealthy(node context.Context, api *client.Client) error {
	bounded, cancel := context.WithTimeout(node, 2*time.Second)
	defer cancel()
	response, err := api.Machine.ServiceList(bounded, &emptypb.Empty{})
	if err != nil {
		return err
	}
	healthy := map[string]bool{}
	for _, s := range response.GetMessages()[0].GetServices() {
		healthy[s.GetId()] = s.GetState() == "Running" && s.GetHealth().GetHealthy()
	}
	want := map[string]bool{"machined": true, "apid": true, "trustd": true, "containerd": true, "etcd": true, "kubelet": true}
	if diff := cmp.Diff(want, healthy); diff != "" {
		return errors.New(diff)
	}
	return nil
}

// pidOf finds the process of a service of the first node, by the name of its
// program; 0 if there is none.
func pidOf(t *testing.T, cluster *localcluster.Cluster, service, program string) int {
	t.Helper()
	group := filepath.Join("ichor", cluster.Spec.ID, cluster.Spec.Nodes[0].Name, "system", service, "cgroup.procs")
	paths, err := filepath.Glob("/sys/fs/cgroup/*/" + group)
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range append(paths, filepath.Join("/sys/fs/cgroup", group)) {
		text, _ := os.ReadFile(path)
		for _, pid := range strings.Fields(string(text)) {
			command, err := os.ReadFile("/proc/" + pid + "/cmdline")
			first, _, _ := bytes.Cut(command, []byte{0})
			if err != nil || filepath.Base(string(first)) != program {
				continue
			}
			number, err := strconv.Atoi(pid)
			if err != nil {
				t.Fatal(err)
			}
			return number
		}
	}
	return 0
}

// zombies returns an error that names the dead which the node's PID 1 has not
// buried.
func zombies(t *testing.T, cluster *localcluster.Cluster) error {
	t.Helper()
	status, err := namespaces.Store{Root: cluster.State}.Show(cluster.Spec.Name)
	if err != nil {
		t.Fatal(err)
	}
	paths, err := filepath.Glob("/proc/[0-9]*/stat")
	if err != nil {
		t.Fatal(err)
	}
	var found []string
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			continue // it ended meanwhile
		}
		state := strings.Fields(string(text[bytes.LastIndexByte(text, ')')+1:]))
		if len(state) > 1 && state[0] == "Z" && state[1] == strconv.Itoa(status.Nodes[0].PID) {
			found = append(found, string(text))
		}
	}
	if len(found) > 0 {
		return fmt.Errorf("zombies: %q", found)
	}
	return nil
}
