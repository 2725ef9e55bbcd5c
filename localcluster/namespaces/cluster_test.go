package namespaces

import (
	"context"
	"errors"
	"net/netip"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestMain(m *testing.M) {
	RunIfChild()
	os.Exit(m.Run())
}

// testRootfs is the least that a node needs: its program and mount points.
func testRootfs(t *testing.T) string {
	t.Helper()
	if os.Geteuid() != 0 {
		t.Skip("needs root: namespaces, control groups and mounts")
	}
	root := t.TempDir()
	for _, folder := range []string{"proc", "sys", "dev", "run", "tmp", "system", "var", "etc", "opt", "usr/bin"} {
		if err := os.MkdirAll(filepath.Join(root, folder), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	build := exec.CommandContext(t.Context(), "go", "build", "-o", filepath.Join(root, initPath), "./testdata/init")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("build init: %v\n%s", err, out)
	}
	return root
}

// eventually polls, as what it looks at is made by other processes.
func eventually(t *testing.T, what string, ok func() bool) {
	t.Helper()
	for deadline := time.Now().Add(20 * time.Second); time.Now().Before(deadline); time.Sleep(10 * time.Millisecond) {
		if ok() {
			return
		}
	}
	t.Fatalf("did not happen within 20s: %s", what)
}

func console(t *testing.T, node NodeStatus) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(node.Folder, ConsoleFile))
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		t.Fatal(err)
	}
	return string(text)
}

func show(t *testing.T, s Store, name string) Status {
	t.Helper()
	status, err := s.Show(name)
	if err != nil {
		t.Fatal(err)
	}
	return status
}

func mustBeGone(t *testing.T, s Store, name string, pids []int) {
	t.Helper()
	groups, err := hostGroups("/sys/fs/cgroup")
	if err != nil {
		t.Fatal(err)
	}
	for _, base := range groups.bases {
		if _, err := os.Stat(filepath.Join(base, groupRoot, s.group(name))); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("cgroup of %s is left in %s: %v", name, base, err)
		}
	}
	if _, err := os.Stat(s.cluster(name)); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("folder of %s is left: %v", name, err)
	}
	for _, pid := range pids {
		eventually(t, "a process of the cluster ends", func() bool {
			return errors.Is(syscall.Kill(pid, 0), syscall.ESRCH)
		})
	}
}

func create(t *testing.T, name string, nodes ...Node) (Store, Status) {
	t.Helper()
	s := Store{Root: t.TempDir()}
	t.Cleanup(func() {
		if err := s.Destroy(context.Background(), name); err != nil {
			t.Error(err)
		}
	})
	if _, err := s.Create(t.Context(), Spec{Name: name, Rootfs: testRootfs(t), Nodes: nodes}); err != nil {
		t.Fatal(err)
	}
	status := show(t, s, name)
	for _, node := range status.Nodes {
		eventually(t, node.Name+" is up", func() bool { return strings.Contains(console(t, node), "up") })
	}
	return s, show(t, s, name)
}

func TestCluster_NodeRebootsPowersOffAndCrashes(t *testing.T) {
	s, status := create(t, "test-life", Node{Name: "n1", Role: ControlPlane}, Node{Name: "n2", Role: Worker})
	n1, n2 := status.Nodes[0], status.Nodes[1]
	if n1.State != "running" || n2.State != "running" {
		t.Fatalf("nodes = %+v, want both running", status.Nodes)
	}
	for starts, signal := range map[int]syscall.Signal{2: syscall.SIGHUP} {
		if err := syscall.Kill(n1.PID, signal); err != nil {
			t.Fatal(err)
		}
		eventually(t, "n1 starts again", func() bool { return strings.Count(console(t, n1), "up") == starts })
	}
	crashed := show(t, s, "test-life").Nodes[0]
	if err := syscall.Kill(crashed.PID, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	eventually(t, "n1 starts after a crash", func() bool { return strings.Count(console(t, n1), "up") == 3 })
	if err := syscall.Kill(n2.PID, syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	eventually(t, "n2 is off", func() bool { return show(t, s, "test-life").Nodes[1].State == "stopped" })
	if got := strings.Count(console(t, n2), "up"); got != 1 {
		t.Errorf("n2 started %d times, want once", got)
	}
	eventually(t, "n2 alone is started again", func() bool {
		started, err := s.StartStopped(t.Context(), "test-life")
		if err != nil {
			t.Fatal(err)
		}
		return slices.Equal(started, []string{"n2"})
	})
	eventually(t, "n2 is up again", func() bool { return strings.Count(console(t, n2), "up") == 2 })
	if started, err := s.StartStopped(t.Context(), "test-life"); err != nil || len(started) != 0 {
		t.Errorf("a second time started %v, %v; want nothing", started, err)
	}
}

func TestCluster_LoopbackAddressReachesTheNode(t *testing.T) {
	_, status := create(t, "test-net", Node{Name: "n1", Role: ControlPlane})
	n1 := status.Nodes[0]
	eventually(t, "the node answers on its loopback address", func() bool {
		return dial(netip.AddrPortFrom(n1.Loopback, 50000).String()) == "hello from n1"
	})
}

func TestCluster_DestroyLeavesNothing(t *testing.T) {
	for name, kill := range map[string]bool{"test-calm": false, "test-killed": true} {
		t.Run(name, func(t *testing.T) {
			s, _ := create(t, name, Node{Name: "n1", Role: ControlPlane})
			groups, err := hostGroups("/sys/fs/cgroup")
			if err != nil {
				t.Fatal(err)
			}
			pids, err := groups.processes(s.group(name))
			if err != nil || len(pids) < 3 {
				t.Fatalf("processes = %v, %v; want switch, launcher and node", pids, err)
			}
			if kill {
				for _, pid := range pids {
					_ = syscall.Kill(pid, syscall.SIGKILL)
				}
			}
			for range 2 {
				if err := s.Destroy(t.Context(), name); err != nil {
					t.Fatal(err)
				}
			}
			mustBeGone(t, s, name, pids)
		})
	}
}

func TestCluster_StartsAgainAfterEverythingWasKilled(t *testing.T) {
	s, _ := create(t, "test-again", Node{Name: "n1", Role: ControlPlane})
	if err := endProcesses(s.group("test-again")); err != nil {
		t.Fatal(err)
	}
	if got := show(t, s, "test-again").Nodes[0].State; got != "stopped" {
		t.Errorf("state = %s, want stopped", got)
	}
	if _, err := s.Start(t.Context(), "test-again"); err != nil {
		t.Fatal(err)
	}
	n1 := show(t, s, "test-again").Nodes[0]
	eventually(t, "n1 is up again", func() bool { return strings.Count(console(t, n1), "up") == 2 })
}

func TestCreate_RefusesASecondClusterOfTheName(t *testing.T) {
	s, status := create(t, "test-twice", Node{Name: "n1", Role: ControlPlane})
	_, err := s.Create(t.Context(), status.Spec)
	if !errors.Is(err, ErrExists) {
		t.Errorf("second create = %v, want %v", err, ErrExists)
	}
	if got := show(t, s, "test-twice").Nodes[0]; got.PID != status.Nodes[0].PID {
		t.Errorf("the first cluster's node has PID %d, want %d as before", got.PID, status.Nodes[0].PID)
	}
}

func TestSpec_CompletesAddressesAndRefusesNonsense(t *testing.T) {
	spec, err := Spec{Name: "c", Rootfs: "/r", Nodes: []Node{
		{Name: "a", Role: ControlPlane},
		{Name: "b", Role: Worker, Address: netip.MustParseAddr("10.5.0.3")},
		{Name: "c", Role: Worker},
	}}.complete()
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, node := range spec.Nodes {
		got = append(got, node.Address.String())
	}
	if diff := cmp.Diff([]string{"10.5.0.2", "10.5.0.3", "10.5.0.4"}, got); diff != "" {
		t.Errorf("addresses (-want +got):\n%s", diff)
	}
	for name, bad := range map[string]Spec{
		"path as name":    {Name: "../x", Rootfs: "/r", Nodes: spec.Nodes},
		"no node":         {Name: "c", Rootfs: "/r"},
		"relative rootfs": {Name: "c", Rootfs: "r", Nodes: spec.Nodes},
		"same name twice": {Name: "c", Rootfs: "/r", Nodes: []Node{spec.Nodes[0], spec.Nodes[0]}},
		"no role":         {Name: "c", Rootfs: "/r", Nodes: []Node{{Name: "a"}}},
		"foreign address": {Name: "c", Rootfs: "/r", Nodes: []Node{{Name: "a", Role: Worker, Address: netip.MustParseAddr("10.6.0.3")}}},
	} {
		if _, err := bad.complete(); err == nil {
			t.Errorf("%s is accepted", name)
		}
	}
}
