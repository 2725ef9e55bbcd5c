package namespaces

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"syscall"

	"golang.org/x/sys/unix"
)

// initPath is PID 1 in the root file system.
const initPath = "/usr/bin/machined"

// runStage is PID 1 of a node until its root is in place: ROOTFS FOLDER IMAGES.
// It waits until the launcher has put it into its control group and plugged its
// network, makes the control group namespace and the mounts, and becomes
// machined.
func runStage(args []string) error {
	// Namespaces and capabilities belong to a thread, and exec keeps the
	// calling one.
	runtime.LockOSThread()
	if len(args) != 3 {
		return errors.New("usage: ROOTFS FOLDER IMAGES")
	}
	rootfs, folder, images := args[0], args[1], args[2]
	goOn := os.NewFile(readyFD, "go on")
	word, err := io.ReadAll(goOn)
	goOn.Close()
	if err != nil || string(word) != "go" {
		return fmt.Errorf("wait for launcher: it gave up: %w", errors.Join(err, io.ErrUnexpectedEOF))
	}
	if err := unix.Unshare(unix.CLONE_NEWCGROUP); err != nil {
		return fmt.Errorf("make cgroup namespace: %w", err)
	}
	if err := enterRoot(rootfs, folder, images); err != nil {
		return err
	}
	for _, capability := range []uintptr{unix.CAP_SYS_TIME, unix.CAP_SYS_MODULE, unix.CAP_SYS_RAWIO} {
		if err := unix.Prctl(unix.PR_CAPBSET_DROP, capability, 0, 0, 0); err != nil {
			return fmt.Errorf("drop capability: %d: %w", capability, err)
		}
	}
	if err := syscall.Exec(initPath, []string{"machined"}, os.Environ()); err != nil {
		return fmt.Errorf("run machined: %s%s: %w", rootfs, initPath, err)
	}
	return nil
}

// enterRoot makes the root file system, read-only, with the node's own folders
// in it the root of this mount namespace.
func enterRoot(rootfs, folder, images string) error {
	steps := []struct {
		source, target, kind string
		flags                uintptr
		data                 string
	}{
		{"", "/", "", unix.MS_PRIVATE | unix.MS_REC, ""},
		{rootfs, rootfs, "", unix.MS_BIND, ""},
		{"", rootfs, "", unix.MS_BIND | unix.MS_REMOUNT | unix.MS_RDONLY, ""},
		{filepath.Join(folder, "var"), filepath.Join(rootfs, "var"), "", unix.MS_BIND, ""},
		{"tmpfs", filepath.Join(rootfs, "system"), "tmpfs", unix.MS_NOSUID | unix.MS_NODEV, "mode=0755,size=64m"},
		{filepath.Join(folder, "state"), filepath.Join(rootfs, "system/state"), "", unix.MS_BIND, ""},
		{filepath.Join(folder, "meta"), filepath.Join(rootfs, "system/meta"), "", unix.MS_BIND, ""},
	}
	if images != "" {
		target := filepath.Join(rootfs, "system/imagecache")
		steps = append(steps, []struct {
			source, target, kind string
			flags                uintptr
			data                 string
		}{
			{images, target, "", unix.MS_BIND, ""},
			{"", target, "", unix.MS_BIND | unix.MS_REMOUNT | unix.MS_RDONLY, ""},
		}...)
	}
	below := filepath.Join(rootfs, "system") + "/"
	for _, step := range steps {
		if len(step.target) > len(below) && step.target[:len(below)] == below {
			if err := os.MkdirAll(step.target, 0o755); err != nil {
				return fmt.Errorf("make mount point: %w", err)
			}
		}
		if err := unix.Mount(step.source, step.target, step.kind, step.flags, step.data); err != nil {
			return fmt.Errorf("mount: %s: %w", step.target, err)
		}
	}
	about, err := os.ReadFile(filepath.Join(folder, PlatformFile))
	if err != nil {
		return fmt.Errorf("read platform metadata: %w", err)
	}
	if err := os.Mkdir(below+"platform", 0o755); err != nil {
		return fmt.Errorf("make folder: %w", err)
	}
	if err := os.WriteFile(below+"platform/"+PlatformFile, about, 0o644); err != nil {
		return fmt.Errorf("write platform metadata: %w", err)
	}
	if err := os.Chdir(rootfs); err != nil {
		return fmt.Errorf("enter root: %w", err)
	}
	if err := unix.PivotRoot(".", "."); err != nil {
		return fmt.Errorf("enter root: %s: %w", rootfs, err)
	}
	if err := unix.Unmount(".", unix.MNT_DETACH); err != nil {
		return fmt.Errorf("leave old root: %w", err)
	}
	return os.Chdir("/")
}
