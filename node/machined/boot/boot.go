// Package boot makes the file systems and control groups of a node, the first
// thing that PID 1 does.
package boot

import (
	"fmt"
	"os"
	"strings"

	"github.com/ichor-os/ichor/node/mount"
	"github.com/ichor-os/ichor/node/service/cgroup"
)

// PlatformVariable names the platform a node runs on. A node in namespaces gets
// PlatformContainer from its launcher; a machine reads its kernel command line.
const (
	PlatformVariable  = "ICHOR_PLATFORM"
	PlatformContainer = "container"
)

// FileSystems makes the file systems of a node in namespaces.
func FileSystems() (*cgroup.Tree, error) {
	if os.Getenv(PlatformVariable) != PlatformContainer {
		return nil, fmt.Errorf("platform %q is not supported yet: only %q is", os.Getenv(PlatformVariable), PlatformContainer)
	}
	kernel := mount.Kernel{}
	if err := mount.Do(kernel, mount.Container()); err != nil {
		return nil, err
	}
	if err := mount.Devices(kernel); err != nil {
		return nil, err
	}
	if err := mount.ShadowSysctls(kernel, "/run/sysctl"); err != nil {
		return nil, err
	}
	if err := mount.ShadowBootID(kernel, "/run/sysctl"); err != nil {
		return nil, err
	}
	self, err := os.ReadFile("/proc/self/cgroup")
	if err != nil {
		return nil, fmt.Errorf("read own cgroups: %w", err)
	}
	tree, err := cgroup.Mount(kernel, "/sys/fs/cgroup", string(self))
	if err != nil {
		return nil, err
	}
	if err := tree.Init(); err != nil {
		return nil, err
	}
	for _, folder := range writable {
		store := "/var/system/overlays/" + strings.ReplaceAll(strings.Trim(folder, "/"), "/", "-")
		if err := mount.Overlay(kernel, folder, store); err != nil {
			return nil, err
		}
	}
	return tree, mount.Share(kernel)
}

// writable are the folders of the read-only root that programs other than ours
// must be able to write.
var writable = []string{"/etc/cni", "/etc/kubernetes", "/opt", "/usr/libexec/kubernetes"}
