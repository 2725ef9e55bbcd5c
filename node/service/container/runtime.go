package container

import (
	"slices"
	"strings"

	ocispec "github.com/opencontainers/image-spec/specs-go/v1"
	"github.com/opencontainers/runtime-spec/specs-go"

	"github.com/ichor-os/ichor/node/service/spec"
)

// Capabilities of a container that is not privileged: those that runtimes grant
// by default.
var someCapabilities = []string{
	"CAP_AUDIT_WRITE", "CAP_CHOWN", "CAP_DAC_OVERRIDE", "CAP_FOWNER", "CAP_FSETID", "CAP_KILL", "CAP_MKNOD",
	"CAP_NET_BIND_SERVICE", "CAP_NET_RAW", "CAP_SETFCAP", "CAP_SETGID", "CAP_SETPCAP", "CAP_SETUID", "CAP_SYS_CHROOT",
}

// defaultPath is where a program is looked for if the image says nothing.
const defaultPath = "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"

// runtimeSpec turns what is wanted and how the image wants to be run into an
// OCI runtime spec.
func runtimeSpec(want spec.Container, image ocispec.ImageConfig) *specs.Spec {
	capabilities := someCapabilities
	if want.Privileged {
		capabilities = ownCapabilities()
	}
	s := &specs.Spec{
		Version: specs.Version,
		Root:    &specs.Root{Path: "rootfs", Readonly: true},
		Process: &specs.Process{
			Args: slices.Concat(image.Entrypoint, image.Cmd), Cwd: "/", Env: environment(image.Env, want.Env),
			User:            specs.User{UID: want.UID, GID: want.GID},
			NoNewPrivileges: true,
			Capabilities:    &specs.LinuxCapabilities{Bounding: capabilities, Permitted: capabilities, Effective: capabilities},
			Rlimits:         []specs.POSIXRlimit{{Type: "RLIMIT_NOFILE", Hard: 1024, Soft: 1024}},
		},
		Mounts: mounts(want),
		Linux:  linux(want),
	}
	if len(want.Args) > 0 {
		s.Process.Args = want.Args
	}
	if image.WorkingDir != "" {
		s.Process.Cwd = image.WorkingDir
	}
	return s
}

// linux gives the namespaces and the confinement of a container. All are in the
// node's network.
func linux(want spec.Container) *specs.Linux {
	l := &specs.Linux{
		CgroupsPath: want.Group,
		Namespaces:  []specs.LinuxNamespace{{Type: specs.MountNamespace}, {Type: specs.UTSNamespace}},
		Resources:   &specs.LinuxResources{Devices: []specs.LinuxDeviceCgroup{{Allow: want.Privileged, Access: "rwm"}}},
	}
	if slices.ContainsFunc(want.Mounts, func(m spec.Mount) bool { return m.Shared }) {
		l.RootfsPropagation = "rshared"
	}
	if want.Privileged {
		return l
	}
	l.Namespaces = append(l.Namespaces, specs.LinuxNamespace{Type: specs.PIDNamespace}, specs.LinuxNamespace{Type: specs.IPCNamespace})
	l.MaskedPaths = []string{
		"/proc/acpi", "/proc/asound", "/proc/interrupts", "/proc/kcore", "/proc/keys", "/proc/latency_stats", "/proc/sched_debug",
		"/proc/scsi", "/proc/timer_list", "/proc/timer_stats", "/sys/devices/virtual/powercap", "/sys/firmware",
	}
	l.ReadonlyPaths = []string{"/proc/bus", "/proc/fs", "/proc/irq", "/proc/sys", "/proc/sysrq-trigger"}
	return l
}

// environment is the image's, with ours in place of what has the same name.
func environment(image, own []string) []string {
	if len(image) == 0 {
		image = []string{defaultPath}
	}
	name := func(variable string) string { n, _, _ := strings.Cut(variable, "="); return n }
	var env []string
	for _, variable := range image {
		if !slices.ContainsFunc(own, func(o string) bool { return name(o) == name(variable) }) {
			env = append(env, variable)
		}
	}
	return append(env, own...)
}

// mounts are those every container has, but for what its own replace, and then
// its own.
func mounts(want spec.Container) []specs.Mount {
	sys := "ro"
	if want.Privileged {
		sys = "rw"
	}
	all := []specs.Mount{
		{Destination: "/proc", Type: "proc", Source: "proc", Options: []string{"nosuid", "noexec", "nodev"}},
		{Destination: "/dev", Type: "tmpfs", Source: "tmpfs", Options: []string{"nosuid", "strictatime", "mode=755", "size=65536k"}},
		{Destination: "/dev/pts", Type: "devpts", Source: "devpts", Options: []string{"nosuid", "noexec", "newinstance", "ptmxmode=0666", "mode=0620", "gid=5"}},
		{Destination: "/dev/shm", Type: "tmpfs", Source: "shm", Options: []string{"nosuid", "noexec", "nodev", "mode=1777", "size=65536k"}},
		{Destination: "/dev/mqueue", Type: "mqueue", Source: "mqueue", Options: []string{"nosuid", "noexec", "nodev"}},
		{Destination: "/sys", Type: "sysfs", Source: "sysfs", Options: []string{"nosuid", "noexec", "nodev", sys}},
		{Destination: "/run", Type: "tmpfs", Source: "tmpfs", Options: []string{"nosuid", "strictatime", "mode=755", "size=65536k"}},
		{Destination: "/etc/hosts", Type: "bind", Source: "/etc/hosts", Options: []string{"rbind", "ro"}},
		{Destination: "/etc/resolv.conf", Type: "bind", Source: "/etc/resolv.conf", Options: []string{"rbind", "ro"}},
	}
	all = slices.DeleteFunc(all, func(m specs.Mount) bool {
		return slices.ContainsFunc(want.Mounts, func(own spec.Mount) bool { return own.Target == m.Destination })
	})
	for _, m := range want.Mounts {
		propagation, access := "rprivate", "rw"
		if m.Shared {
			propagation = "rshared"
		}
		if m.ReadOnly {
			access = "ro"
		}
		all = append(all, specs.Mount{
			Type: "bind", Source: m.Source, Destination: m.Target, Options: []string{"rbind", propagation, access},
		})
	}
	return all
}
