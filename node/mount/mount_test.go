package mount

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/sys/unix"
)

// recorder is a System that writes down what it is asked to do.
type recorder struct {
	calls []string
	fail  map[string]error
}

func (r *recorder) note(call string) error {
	r.calls = append(r.calls, call)
	return r.fail[call]
}

func (r *recorder) Mount(_, target, fstype string, flags uintptr, _ string) error {
	if flags&unix.MS_BIND != 0 {
		return r.note("bind " + target)
	}
	return r.note("mount " + fstype + " " + target)
}
func (r *recorder) Unmount(target string, _ int) error          { return r.note("unmount " + target) }
func (r *recorder) Mknod(path string, _ uint32, _ uint64) error { return r.note("mknod " + path) }
func (r *recorder) MkdirAll(path string, _ os.FileMode) error {
	return r.note("mkdir " + path)
}
func (r *recorder) Symlink(_, path string) error { return r.note("link " + path) }

func TestDo_StopsAtFirstFailureButNotAtOptionalMounts(t *testing.T) {
	points := []Point{
		{Type: "a", Target: "/a"},
		{Type: "b", Target: "/b", Optional: true, Mode: 0o755},
		{Type: "c", Target: "/c"},
		{Type: "d", Target: "/d"},
	}
	sys := &recorder{fail: map[string]error{"mount b /b": unix.EPERM, "mount c /c": unix.EINVAL}}
	err := Do(sys, points)
	if !errors.Is(err, unix.EINVAL) || !strings.Contains(err.Error(), "/c") {
		t.Errorf("error = %v, want EINVAL that names /c", err)
	}
	want := []string{"mount a /a", "mkdir /b", "mount b /b", "mount c /c"}
	if diff := cmp.Diff(want, sys.calls); diff != "" {
		t.Errorf("calls (-want +got):\n%s", diff)
	}
}

func TestContainer_MakesTargetsOnlyBelowEarlierMounts(t *testing.T) {
	mounted := map[string]bool{}
	for _, p := range Container() {
		if p.Mode != 0 && !mounted[filepath.Dir(p.Target)] {
			t.Errorf("%s would be made on the read-only root", p.Target)
		}
		mounted[p.Target] = true
	}
}

func TestShadowSysctls_BindsFilesWithTheExpectedValues(t *testing.T) {
	folder := t.TempDir()
	sys := &recorder{fail: map[string]error{"bind /proc/sys/vm/panic_on_oom": unix.ENOENT}}
	if err := ShadowSysctls(sys, folder); err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(filepath.Join(folder, "vm.overcommit_memory"))
	if err != nil || string(got) != "1\n" {
		t.Errorf("vm.overcommit_memory = %q, %v; want 1", got, err)
	}
	if len(sys.calls) != 1+len(hostSysctls) {
		t.Errorf("calls = %v, want one bind per setting", sys.calls)
	}
}

func TestOverlay_NamesTheTargetThatFailed(t *testing.T) {
	sys := &recorder{fail: map[string]error{"mount overlay /opt": unix.EINVAL}}
	if err := Overlay(sys, "/opt", "/var/system/overlays/opt"); err == nil || !strings.Contains(err.Error(), "/opt") {
		t.Errorf("error = %v, want one that names /opt", err)
	}
}

func TestParseMounts_ReadsEscapedBlanks(t *testing.T) {
	got := parseMounts("tmpfs /run tmpfs rw 0 0\n/dev/vda /var/my\\040folder ext4 rw 0 0\n\nbroken\n")
	want := []mounted{{"tmpfs", "/run"}, {"/dev/vda", "/var/my folder"}}
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(mounted{})); diff != "" {
		t.Errorf("mounts (-want +got):\n%s", diff)
	}
}

func TestS17_MountsListsEveryMount(t *testing.T) {
	response, err := RPC{}.Mounts(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile("/proc/self/mounts")
	if err != nil {
		t.Fatal(err)
	}
	if got, want := len(response.GetMessages()[0].GetStats()), strings.Count(string(text), "\n"); got != want {
		t.Errorf("mounts = %d, want %d", got, want)
	}
}
