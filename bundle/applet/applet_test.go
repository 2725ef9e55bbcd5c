package applet

import (
	"bytes"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/sys/unix"
)

func TestParseMount(t *testing.T) {
	for name, test := range map[string]struct {
		args []string
		want request
	}{
		"tmpfs with size": {
			[]string{"-t", "tmpfs", "-o", "size=1024,noswap", "tmpfs", "/m"},
			request{source: "tmpfs", target: "/m", kind: "tmpfs", data: "size=1024,noswap"},
		},
		"bind": {[]string{"-o", "bind", "/a", "/m"}, request{source: "/a", target: "/m", flags: unix.MS_BIND}},
		"bind, read-only again": {
			[]string{"--no-canonicalize", "-o", "bind,remount,ro", "/a", "/m"},
			request{source: "/a", target: "/m", flags: unix.MS_BIND | unix.MS_REMOUNT | unix.MS_RDONLY},
		},
		"later options win": {[]string{"-t", "ext4", "-o", "ro,rw,noexec,defaults", "/d", "/m"}, request{source: "/d", target: "/m", kind: "ext4"}},
		"options for others are dropped": {
			[]string{"-t", "xfs", "-o", "_netdev,nofail,x-systemd.automount,nouuid", "/d", "/m"},
			request{source: "/d", target: "/m", kind: "xfs", data: "nouuid"},
		},
		"propagation": {[]string{"--make-rshared", "/m"}, request{target: "/m", propagation: unix.MS_SHARED | unix.MS_REC}},
		"rbind with propagation": {
			[]string{"--rbind", "-o", "rslave", "/a", "/m"},
			request{source: "/a", target: "/m", flags: unix.MS_BIND | unix.MS_REC, propagation: unix.MS_SLAVE | unix.MS_REC},
		},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := parseMount(test.args)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(test.want, got, cmp.AllowUnexported(request{})); diff != "" {
				t.Errorf("request differs (-want +got):\n%s", diff)
			}
		})
	}
}

func TestParseMount_SaysWhatItCannotDo(t *testing.T) {
	for want, args := range map[string][]string{
		"needs a mount program": {"-t", "nfs", "server:/x", "/m"},
		"type is not guessed":   {"/dev/x", "/m"},
		"-o needs a value":      {"/a", "/m", "-o"},
		"--all is not":          {"--all"},
		"got 1 paths":           {"/m"},
		"got 3 paths":           {"-t", "tmpfs", "a", "b", "c"},
	} {
		if _, err := parseMount(args); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("parseMount(%q): error = %v, want one with %q", args, err, want)
		}
	}
}

// run runs an applet by name and returns its exit code and what it complained of.
func run(args ...string) (int, string) {
	var stdout, stderr bytes.Buffer
	code := Run(args, &stdout, &stderr)
	return code, stderr.String()
}

func TestRun_UnknownNameListsWhatThereIs(t *testing.T) {
	if code, text := run("/bin/sh", "-c", "true"); code != 2 || !strings.Contains(text, "install-cni, mount, umount") {
		t.Errorf("exit code %d, %q", code, text)
	}
}

func TestMount_InANamespaceOfItsOwn(t *testing.T) {
	runtime.LockOSThread() // never unlocked: the thread ends with the test
	if err := unix.Unshare(unix.CLONE_NEWNS); err != nil {
		t.Skipf("mount namespaces are missing: %v", err)
	}
	if err := unix.Mount("", "/", "", unix.MS_PRIVATE|unix.MS_REC, ""); err != nil {
		t.Fatal(err)
	}
	a, b := t.TempDir(), t.TempDir()
	step := func(args ...string) {
		t.Helper()
		if code, text := run(args...); code != 0 {
			t.Fatalf("%v: exit code %d: %s", args, code, text)
		}
	}
	step("mount", "-t", "tmpfs", "-o", "size=64k,noexec", "tmpfs", a)
	if err := os.WriteFile(filepath.Join(a, "file"), []byte("x"), 0o644); err != nil {
		t.Fatal(err)
	}
	step("mount", "-o", "bind,ro", a, b)
	if err := os.WriteFile(filepath.Join(b, "other"), nil, 0o644); err == nil {
		t.Error("a read-only bind mount was written to")
	}
	if _, err := os.Stat(filepath.Join(b, "file")); err != nil {
		t.Error(err)
	}
	step("umount", b)
	if code, text := run("umount", b); code != 1 || !strings.Contains(text, "not mounted") {
		t.Errorf("second umount: exit code %d, %q, want 1 and \"not mounted\"", code, text)
	}
	step("umount", a)
}

func TestInstallCNI_CopiesWholeFilesWithTheirModes(t *testing.T) {
	folder := t.TempDir()
	source, target := filepath.Join(folder, "flannel"), filepath.Join(folder, "opt/cni/bin/flannel")
	if err := os.WriteFile(source, []byte("plugin"), 0o755); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if code, text := run("install-cni", source, target); code != 0 {
			t.Fatalf("exit code %d: %s", code, text)
		}
	}
	info, err := os.Stat(target)
	if err != nil || info.Mode() != 0o755 {
		t.Errorf("target: %v, %v, want mode 0755", info, err)
	}
	entries, err := os.ReadDir(filepath.Dir(target))
	if err != nil || len(entries) != 1 {
		t.Errorf("folder holds %v, %v, want the plugin alone", entries, err)
	}
}

func TestInstallCNI_ReplacesARunningPlugin(t *testing.T) {
	folder := t.TempDir()
	source, target := filepath.Join(folder, "new"), filepath.Join(folder, "plugin")
	for file, content := range map[string]string{source: "new", target: "old"} {
		if err := os.WriteFile(file, []byte(content), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	open, err := os.Open(target)
	if err != nil {
		t.Fatal(err)
	}
	defer open.Close()
	if code, text := run("install-cni", source, target); code != 0 {
		t.Fatalf("exit code %d: %s", code, text)
	}
	old := make([]byte, 3)
	if _, err := open.Read(old); err != nil || string(old) != "old" {
		t.Errorf("the open file reads %q, %v, want the old content", old, err)
	}
}

func TestInstallCNI_OddArguments(t *testing.T) {
	for _, args := range [][]string{{"install-cni"}, {"install-cni", "/a"}, {"install-cni", "/nonexistent/a", "/tmp/b"}} {
		if code, _ := run(args...); code != 1 {
			t.Errorf("%v: exit code %d, want 1", args, code)
		}
	}
}
