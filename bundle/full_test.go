package bundle

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// smallDisk names the folder on which the child process of the test below
// mounts a file system of one mebibyte.
const smallDisk = "ICHOR_TEST_SMALL_DISK"

func TestBuild_FullDiskLeavesNothingAndTheNextBuildWorks(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("needs root to mount a small file system in a mount namespace of its own")
	}
	cmd := exec.Command(os.Args[0], "-test.run=^TestFullDiskChild$", "-test.v")
	cmd.Env = append(os.Environ(), smallDisk+"="+t.TempDir())
	cmd.SysProcAttr = &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWNS}
	if out, err := cmd.CombinedOutput(); err != nil || !strings.Contains(string(out), "--- PASS: TestFullDiskChild") {
		t.Errorf("in a mount namespace: %v\n%s", err, out)
	}
}

func TestFullDiskChild(t *testing.T) {
	disk := os.Getenv(smallDisk)
	if disk == "" {
		t.Skip("is run by TestBuild_FullDiskLeavesNothingAndTheNextBuildWorks")
	}
	if err := syscall.Mount("", "/", "", syscall.MS_REC|syscall.MS_PRIVATE, ""); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mount("tmpfs", disk, "tmpfs", 0, "size=1m"); err != nil {
		t.Fatal(err)
	}
	w := newWorkshop(t)
	w.cache = filepath.Join(disk, "cache")
	_, err := w.builder().Build(t.Context(), "hello")
	if err == nil || !strings.Contains(err.Error(), syscall.ENOSPC.Error()) {
		t.Errorf("Build on a full disk: error = %v, want %v", err, syscall.ENOSPC)
	}
	if left := w.leftovers(t); len(left) > 0 {
		t.Errorf("the cache holds %v after the disk was full", left)
	}
	if err := syscall.Mount("tmpfs", disk, "tmpfs", syscall.MS_REMOUNT, "size=64m"); err != nil {
		t.Fatal(err)
	}
	mustBuild(t, w.builder(), "hello")

	// The disk fills up while the entry is written.
	filler, err := os.Create(filepath.Join(disk, "filler"))
	if err != nil {
		t.Fatal(err)
	}
	for block := make([]byte, 4096); ; {
		if _, err := filler.Write(block); errors.Is(err, syscall.ENOSPC) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
	}
	if err := writeEntry(disk, entry{}); !errors.Is(err, syscall.ENOSPC) {
		t.Errorf("writeEntry on a full disk: error = %v, want %v", err, syscall.ENOSPC)
	}
	if exists(filepath.Join(disk, entryFile)) {
		t.Errorf("%s exists after it could not be written", entryFile)
	}
}
