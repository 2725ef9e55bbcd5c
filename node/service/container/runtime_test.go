package container

import (
	"bytes"
	"fmt"
	"os"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	ocispec "github.com/opencontainers/image-spec/specs-go/v1"
	"github.com/opencontainers/runtime-spec/specs-go"

	"github.com/ichor-os/ichor/node/service/spec"
)

func TestRuntimeSpec_OwnMountsReplaceDefaultOnes(t *testing.T) {
	s := runtimeSpec(spec.Container{ID: "kubelet", Privileged: true, Mounts: []spec.Mount{
		{Source: "/dev", Target: "/dev"}, {Source: "/var/lib/kubelet", Target: "/var/lib/kubelet", Shared: true}, {Source: "/etc/x", Target: "/x", ReadOnly: true},
	}}, ocispec.ImageConfig{})
	got := map[string][]string{}
	for _, m := range s.Mounts {
		if _, twice := got[m.Destination]; twice {
			t.Errorf("%s is mounted twice", m.Destination)
		}
		got[m.Destination] = append([]string{m.Type}, m.Options...)
	}
	for target, want := range map[string][]string{
		"/dev":             {"bind", "rbind", "rprivate", "rw"},
		"/var/lib/kubelet": {"bind", "rbind", "rshared", "rw"},
		"/x":               {"bind", "rbind", "rprivate", "ro"},
		"/sys":             {"sysfs", "nosuid", "noexec", "nodev", "rw"},
		"/etc/hosts":       {"bind", "rbind", "ro"},
	} {
		if diff := cmp.Diff(want, got[target]); diff != "" {
			t.Errorf("mount %s (-want +got):\n%s", target, diff)
		}
	}
	if s.Linux.RootfsPropagation != "rshared" {
		t.Errorf("propagation of the root = %q, want rshared", s.Linux.RootfsPropagation)
	}
}

func TestRuntimeSpec_ConfinesWhatIsNotPrivileged(t *testing.T) {
	plain := runtimeSpec(spec.Container{UID: 60, GID: 61, Group: "/system/etcd", Args: []string{"etcd", "--x"}, Env: []string{"A=own", "B=2"}},
		ocispec.ImageConfig{Entrypoint: []string{"entry"}, Env: []string{"PATH=/bin", "A=image"}, WorkingDir: "/w"})
	privileged := runtimeSpec(spec.Container{Privileged: true}, ocispec.ImageConfig{Entrypoint: []string{"entry"}, Cmd: []string{"cmd"}})

	if diff := cmp.Diff([]string{"PATH=/bin", "A=own", "B=2"}, plain.Process.Env); diff != "" {
		t.Errorf("environment (-want +got):\n%s", diff)
	}
	if p := plain.Process; !p.NoNewPrivileges || p.User.UID != 60 || p.User.GID != 61 || p.Cwd != "/w" || !slices.Equal(p.Args, []string{"etcd", "--x"}) {
		t.Errorf("process = %+v", p)
	}
	if !slices.Equal(privileged.Process.Args, []string{"entry", "cmd"}) || privileged.Process.Cwd != "/" {
		t.Errorf("process = %+v", privileged.Process)
	}
	if !plain.Root.Readonly || plain.Linux.CgroupsPath != "/system/etcd" || len(plain.Linux.MaskedPaths) == 0 || plain.Linux.Resources.Devices[0].Allow {
		t.Errorf("root %+v, linux %+v", plain.Root, plain.Linux)
	}
	kinds := func(s *specs.Spec) (out []specs.LinuxNamespaceType) {
		for _, n := range s.Linux.Namespaces {
			out = append(out, n.Type)
		}
		return out
	}
	if diff := cmp.Diff([]specs.LinuxNamespaceType{"mount", "uts", "pid", "ipc"}, kinds(plain)); diff != "" {
		t.Errorf("namespaces (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]specs.LinuxNamespaceType{"mount", "uts"}, kinds(privileged)); diff != "" {
		t.Errorf("namespaces of a privileged one (-want +got):\n%s", diff)
	}
	if slices.Contains(plain.Process.Capabilities.Bounding, "CAP_SYS_ADMIN") {
		t.Error("an unprivileged container has CAP_SYS_ADMIN")
	}
}

func TestCapabilityNames_StandAtTheirNumbers(t *testing.T) {
	// capability.h of Linux 6.x; the first, the last and some between.
	for name, number := range map[string]int{"CAP_CHOWN": 0, "CAP_SETPCAP": 8, "CAP_SYS_MODULE": 16, "CAP_SYS_ADMIN": 21, "CAP_SETFCAP": 31, "CAP_SYSLOG": 34, "CAP_CHECKPOINT_RESTORE": 40} {
		if capabilityNames[number] != name {
			t.Errorf("capability %d is called %s, want %s", number, capabilityNames[number], name)
		}
	}
}

// lines is a writer that may be slow.
type lines struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (l *lines) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

func TestOutput_KeepsEveryByteThoughWritersComeAndGo(t *testing.T) {
	var got lines
	folder := t.TempDir()
	if err := os.WriteFile(folder+"/one", nil, 0o600); err != nil { // left from before
		t.Fatal(err)
	}
	out, err := openOutput(folder, "one", &got)
	if err != nil {
		t.Fatal(err)
	}
	var want bytes.Buffer
	for writer := range 50 {
		pipe, err := os.OpenFile(out.Path(), os.O_WRONLY, 0)
		if err != nil {
			t.Fatal(err)
		}
		for line := range 200 {
			text := fmt.Sprintf("writer %d line %d of some length so that the pipe fills up\n", writer, line)
			want.WriteString(text)
			if _, err := pipe.WriteString(text); err != nil {
				t.Fatal(err)
			}
		}
		if err := pipe.Close(); err != nil {
			t.Fatal(err)
		}
	}
	begun := time.Now()
	out.Close() // what is still in the pipe comes
	if took := time.Since(begun); took > 10*time.Second {
		t.Errorf("closing took %s", took)
	}
	if !bytes.Equal(got.text.Bytes(), want.Bytes()) {
		t.Errorf("got %d bytes, want %d", got.text.Len(), want.Len())
	}
	if _, err := os.Stat(folder + "/one"); !os.IsNotExist(err) {
		t.Errorf("the pipe is still there: %v", err)
	}
}
