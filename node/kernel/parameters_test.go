package kernel

import (
	"context"
	"io/fs"
	"os"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	configspec "github.com/ichor-os/ichor/node/config/spec"
	"github.com/ichor-os/ichor/node/kernel/spec"
	linkspec "github.com/ichor-os/ichor/node/link/spec"
	"github.com/ichor-os/ichor/resource"
)

func TestCanonical(t *testing.T) {
	for name, want := range map[string]string{
		"net.ipv4.ip_forward":            "/proc/sys/net/ipv4/ip_forward",
		"net/ipv4/ip_forward":            "/proc/sys/net/ipv4/ip_forward",
		"net.ipv4.conf.eth0/7.rp_filter": "/proc/sys/net/ipv4/conf/eth0.7/rp_filter",
		"net/ipv4/conf/eth0.7/rp_filter": "/proc/sys/net/ipv4/conf/eth0.7/rp_filter",
		"vm":                             "/proc/sys/vm",
		"":                               "",
		"/etc/passwd":                    "",
		"net/../../etc/passwd":           "",
		"net..ipv4":                      "",
		"net.//.x":                       "",
		"a\x00b":                         "",
	} {
		id, err := canonical(sysctlPrefix, name)
		if want == "" {
			if err == nil {
				t.Errorf("%q: id %q, want an error", name, id)
			}
			continue
		}
		if err != nil || file(id) != want {
			t.Errorf("%q: file %q, %v; want %q", name, file(id), err, want)
		}
	}
}

func FuzzCanonical_StaysInItsTree(f *testing.F) {
	f.Add("net.ipv4.conf.eth0/7.rp_filter")
	f.Add("net/../x")
	f.Fuzz(func(t *testing.T, name string) {
		id, err := canonical(sysctlPrefix, name)
		if err == nil && (!fs.ValidPath(file(id)[1:]) && validUTF8(name) || !strings.HasPrefix(file(id), "/proc/sys/")) {
			t.Errorf("%q becomes %q", name, file(id))
		}
	})
}

func validUTF8(s string) bool { return strings.ToValidUTF8(s, "") == s }

func TestNamespaced_OnlyWhatNamespacesHave(t *testing.T) {
	for name, want := range map[string]bool{
		"net.ipv4.ip_forward": true, "net.core.somaxconn": true, "kernel.shmmax": true, "kernel.msgmnb": true,
		"kernel.sem": true, "fs.mqueue.msg_max": true, "kernel.hostname": true,
		"kernel.panic": false, "vm.max_map_count": false, "fs.file-max": false, "user.max_user_namespaces": false,
		"kernel.semantics": false, "kernel.pid_max": false, "netx.y": false,
	} {
		if got := namespaced(sysctlPrefix + name); got != want {
			t.Errorf("%s: %v, want %v", name, got, want)
		}
	}
	if namespaced("sys.devices.system.cpu.cpu0.online") || !namespaced("sys.class.net.eth0.mtu") {
		t.Error("of /sys only links belong to a node in namespaces")
	}
}

func TestSame(t *testing.T) {
	for _, c := range []struct {
		shown, want string
		same        bool
	}{
		{"4096\t131072\t6291456", "4096 131072 6291456", true},
		{"always [madvise] never", "madvise", true},
		{"always [madvise] never", "never", false},
		{"Y", "1", true}, {"16", "0x10", true}, {"00000003", "3", true}, {"1", "0", false}, {"1 2", "1", false}, {"", "", true},
	} {
		if got := same(c.shown, c.want); got != c.same {
			t.Errorf("%q and %q: %v, want %v", c.shown, c.want, got, c.same)
		}
	}
}

// tree is a kernel in memory.
type tree struct {
	mu     sync.Mutex
	values map[string]string
	refuse map[string]error
	writes int
}

func (k *tree) Read(path string) (string, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	v, ok := k.values[path]
	if !ok {
		return "", &fs.PathError{Op: "open", Path: path, Err: fs.ErrNotExist}
	}
	return v, nil
}

func (k *tree) Write(path, value string) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	if err := k.refuse[path]; err != nil {
		return &fs.PathError{Op: "write", Path: path, Err: err}
	}
	k.writes++
	k.values[path] = strings.Join(strings.Fields(value), "\t")
	return nil
}

func (k *tree) change(path, value string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.values[path] = value
}

func start(t *testing.T, setting *Setting) *resource.Engine {
	t.Helper()
	engine := resource.New(resource.Options{CheckSpecs: true})
	if err := engine.Register(append(append(append(Kinds(), spec.Kinds()...), linkspec.Kinds()...), configspec.Kinds()...)...); err != nil {
		t.Fatal(err)
	}
	err := engine.Add(
		resource.Reconciler("kernel-params-config", ReconcileConfigured),
		resource.Reconciler("kernel-params-defaults", ReconcileDefaults),
		resource.Reconciler("kernel-params", ReconcileWanted),
		setting.Mirror(),
	)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- engine.Run(ctx) }()
	t.Cleanup(func() {
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
	return engine
}

func configure(t *testing.T, engine *resource.Engine, text string) {
	t.Helper()
	err := engine.Commit(t.Context(), "test", func(s *resource.Session) error {
		configspec.MachineConfigs.Put(s, configspec.Active, configspec.MachineConfigSpec{Documents: []byte(text)})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := engine.Settled(t.Context()); err != nil {
		t.Fatal(err)
	}
}

func statusOf(t *testing.T, engine *resource.Engine, id string) (spec.KernelParamStatusSpec, string) {
	t.Helper()
	var got resource.Resource[spec.KernelParamStatusSpec]
	err := engine.View(t.Context(), func(s *resource.Session) error {
		got, _ = spec.KernelParamStatuses.Resource(s, id)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return got.Spec, got.Annotations[spec.Reason]
}

const withSysctls = `version: v1alpha1
machine:
  type: worker
  sysctls:
    net.core.somaxconn: "8192"
    net.ipv4.tcp_rmem: "4096 131072 1048576"
    vm.max_map_count: "262144"
    kernel.panic: "0"
---
apiVersion: v1alpha1
kind: SysctlConfig
params:
  net.core.somaxconn: "16384"
`

func TestParameters_ConfigOverDefaultsAndBack(t *testing.T) {
	kernel := &tree{values: map[string]string{
		"/proc/sys/net/core/somaxconn": "4096", "/proc/sys/net/ipv4/tcp_rmem": "4096\t131072\t6291456",
		"/proc/sys/vm/max_map_count": "65530", "/proc/sys/kernel/panic": "0", "/proc/sys/vm/overcommit_memory": "0",
	}}
	engine := start(t, &Setting{Files: kernel})
	configure(t, engine, withSysctls)
	for id, want := range map[string]spec.KernelParamStatusSpec{
		"proc.sys.net.core.somaxconn":   {Current: "16384", Default: "4096"},
		"proc.sys.net.ipv4.tcp_rmem":    {Current: "4096\t131072\t1048576", Default: "4096\t131072\t6291456"},
		"proc.sys.vm.max_map_count":     {Current: "262144", Default: "65530"},
		"proc.sys.kernel.panic":         {Current: "0", Default: "0"},
		"proc.sys.vm.overcommit_memory": {Current: "1", Default: "0"},
		"proc.sys.kernel.pid_max":       {Unsupported: true},
	} {
		got, _ := statusOf(t, engine, id)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", id, diff)
		}
	}
	configure(t, engine, plain)
	want := map[string]string{
		"/proc/sys/net/core/somaxconn": "4096", "/proc/sys/net/ipv4/tcp_rmem": "4096\t131072\t6291456",
		"/proc/sys/vm/max_map_count": "65530", "/proc/sys/kernel/panic": "10", "/proc/sys/vm/overcommit_memory": "1",
	}
	if diff := cmp.Diff(want, kernel.values); diff != "" {
		t.Errorf("values without the keys (-want +got):\n%s", diff)
	}
}

func TestParameters_SharedKernelIsLeftAlone(t *testing.T) {
	kernel := &tree{values: map[string]string{
		"/proc/sys/net/core/somaxconn": "4096", "/proc/sys/vm/max_map_count": "65530", "/proc/sys/kernel/panic": "7",
	}, refuse: map[string]error{"/proc/sys/net/ipv4/tcp_rmem": syscall.EPERM}}
	kernel.values["/proc/sys/net/ipv4/tcp_rmem"] = "1\t2\t3"
	engine := start(t, &Setting{Files: kernel, Shared: true})
	configure(t, engine, withSysctls)
	if kernel.writes != 1 {
		t.Errorf("%d writes, want the one of net.core.somaxconn", kernel.writes)
	}
	for _, id := range []string{"proc.sys.vm.max_map_count", "proc.sys.kernel.panic", "proc.sys.net.ipv4.tcp_rmem"} {
		got, why := statusOf(t, engine, id)
		if !got.Unsupported || got.Current == "" || why == "" {
			t.Errorf("%s: %+v, %q; want it unsupported, with the value there is and the reason", id, got, why)
		}
	}
}

func TestParameters_ARefusedValueHasItsReason(t *testing.T) {
	kernel := &tree{values: map[string]string{"/proc/sys/net/core/somaxconn": "4096"},
		refuse: map[string]error{"/proc/sys/net/core/somaxconn": syscall.EINVAL}}
	engine := start(t, &Setting{Files: kernel})
	configure(t, engine, withSysctls)
	got, why := statusOf(t, engine, "proc.sys.net.core.somaxconn")
	if got.Unsupported || got.Current != "4096" || !strings.Contains(why, `refuses "16384"`) {
		t.Errorf("status %+v, reason %q", got, why)
	}
}

func TestParameters_DriftIsPutRight(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		kernel := &tree{values: map[string]string{"/proc/sys/net/core/somaxconn": "4096"}}
		setting := &Setting{Files: kernel}
		engine := start(t, setting)
		configure(t, engine, withSysctls)
		kernel.change("/proc/sys/net/core/somaxconn", "1")
		time.Sleep(recheck + time.Second)
		synctest.Wait()
		if got, _ := kernel.Read("/proc/sys/net/core/somaxconn"); got != "16384" {
			t.Errorf("value %q after a minute, want 16384", got)
		}
		configure(t, engine, plain)
		if got, _ := kernel.Read("/proc/sys/net/core/somaxconn"); got != "4096" {
			t.Errorf("value %q without the key, want that of before, 4096", got)
		}
	})
}

func TestParameters_AFileThatOnlyTakesIsWrittenOnce(t *testing.T) {
	flush := unreadable{tree: &tree{values: map[string]string{}}}
	setting := &Setting{Files: flush}
	for range 3 {
		if _, err := setting.set("proc.sys.net.ipv4.route.flush", "1"); err != nil {
			t.Fatal(err)
		}
	}
	if flush.writes != 1 {
		t.Errorf("%d writes, want 1", flush.writes)
	}
}

type unreadable struct{ *tree }

func (unreadable) Read(path string) (string, error) {
	return "", &fs.PathError{Op: "open", Path: path, Err: fs.ErrPermission}
}

// inNamespaces marks the process that a test started in namespaces of its own.
const inNamespaces = "ICHOR_TEST_IN_NAMESPACES"

func TestParameters_OfTheRealKernelInOwnNamespaces(t *testing.T) {
	if os.Getenv(inNamespaces) == "" {
		if os.Geteuid() != 0 {
			t.Skip("needs root to make namespaces")
		}
		cmd := exec.CommandContext(t.Context(), "/proc/self/exe", "-test.run=^"+t.Name()+"$", "-test.v")
		cmd.Env = append(os.Environ(), inNamespaces+"=1")
		cmd.SysProcAttr = &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWNET | syscall.CLONE_NEWIPC | syscall.CLONE_NEWUTS}
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		return
	}
	before, err := Proc{}.Read("/proc/sys/vm/max_map_count")
	if err != nil {
		t.Fatal(err)
	}
	engine := start(t, &Setting{Files: Proc{}, Shared: true})
	configure(t, engine, withSysctls+"  kernel.shmmni: \"2048\"\n  kernel.sem: 100 200 30 40\n  net.ipv4.no_such: \"1\"\n  net.ipv4.ip_default_ttl: x\n")
	for id, want := range map[string]spec.KernelParamStatusSpec{
		"proc.sys.net.core.somaxconn":      {Current: "16384", Default: "4096"},
		"proc.sys.kernel.shmmni":           {Current: "2048", Default: "4096"},
		"proc.sys.net.ipv4.ip_forward":     {Current: "1", Default: "0"},
		"proc.sys.net.ipv4.no_such":        {Unsupported: true},
		"proc.sys.net.ipv4.ip_default_ttl": {Current: "64", Default: "64"},
		"proc.sys.vm.max_map_count":        {Current: before, Default: before, Unsupported: true},
	} {
		got, why := statusOf(t, engine, id)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: %s (-want +got):\n%s", id, why, diff)
		}
	}
	if now, _ := (Proc{}).Read("/proc/sys/kernel/sem"); !same(now, "100 200 30 40") {
		t.Errorf("kernel.sem = %q", now)
	}
	configure(t, engine, plain)
	if now, _ := (Proc{}).Read("/proc/sys/kernel/shmmni"); now != "4096" {
		t.Errorf("kernel.shmmni = %q without the key, want 4096", now)
	}
	if now, _ := (Proc{}).Read("/proc/sys/vm/max_map_count"); now != before {
		t.Errorf("the computer's vm.max_map_count became %q", now)
	}
}

// plain is a config that says nothing of the kernel.
const plain = "version: v1alpha1\nmachine:\n  type: worker\n"
