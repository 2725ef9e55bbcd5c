package bundle

import (
	"strings"

	"github.com/ichor-os/ichor/version"
)

// Programs returns the table of third-party programs, in the order in which
// they are documented. The caller owns the slice.
func Programs() []Program {
	programs := []Program{
		hyperkube("1.36", version.Kubernetes),
		hyperkube("1.37", version.KubernetesNext),
		{
			Name: "agnhost", Dir: "bundle/kubernetes-1.36", Package: "k8s.io/kubernetes/test/images/agnhost",
			Module: "k8s.io/kubernetes", Version: "v" + version.Kubernetes, License: "Apache-2.0",
			LDFlags: []string{"-X main.Version=" + version.Kubernetes}, Heavy: true,
		},
	}
	programs = append(programs, containerd()...)
	programs = append(programs,
		Program{
			Name: "runc", Dir: "bundle/runc", Package: "github.com/opencontainers/runc",
			Module: "github.com/opencontainers/runc", Version: "v1.5.3", License: "Apache-2.0",
			Tags: []string{"seccomp", "urfave_cli_no_docs", "netgo", "osusergo"}, CLibs: []string{"seccomp", "c"},
			NotARM64: "not cross-built: it is C as well as Go, and needs an arm64 compiler with the static libseccomp and C library",
		},
		Program{
			Name: "etcd", Links: []string{"etcdctl", "etcdutl"}, Dir: "bundle/etcd", Package: ".",
			Module: "go.etcd.io/etcd/server/v3", Version: "v3.7.3", License: "Apache-2.0",
		},
		Program{
			Name: "coredns", Dir: "bundle/coredns", Package: ".",
			Module: "github.com/coredns/coredns", Version: "v1.15.0", License: "Apache-2.0",
		},
		Program{
			Name: "flanneld", Dir: "bundle/flannel", Package: ".",
			Module: "github.com/flannel-io/flannel", Version: "v0.28.10", License: "Apache-2.0",
			LDFlags: []string{"-X github.com/flannel-io/flannel/pkg/version.Version=v0.28.10"},
		},
	)
	programs = append(programs, cni()...)
	return append(programs, Program{
		Name: "pause", Dir: "bundle/pause", Package: ".",
		Module: ownModule + "/bundle/pause", Version: version.Tag, License: "Apache-2.0",
	})
}

// hyperkube is the Kubernetes programs of one release in one executable.
func hyperkube(minor, release string) Program {
	flags := make([]string, 0, 8)
	for _, pkg := range []string{"k8s.io/component-base/version", "k8s.io/client-go/pkg/version"} {
		major, rest, _ := strings.Cut(release, ".")
		minorNumber, _, _ := strings.Cut(rest, ".")
		flags = append(flags,
			"-X "+pkg+".gitVersion=v"+release,
			"-X "+pkg+".gitMajor="+major,
			"-X "+pkg+".gitMinor="+minorNumber,
			"-X "+pkg+".gitTreeState=clean",
		)
	}
	return Program{
		Name: "hyperkube-" + release, File: "hyperkube",
		Links: []string{
			"kube-apiserver", "kube-controller-manager", "kube-proxy", "kube-scheduler", "kubectl", "kubelet",
		},
		Dir: "bundle/kubernetes-" + minor, Package: ".",
		Module: "k8s.io/kubernetes", Version: "v" + release, License: "Apache-2.0",
		LDFlags: flags, Heavy: true,
	}
}

// containerd is the daemon, the shim and the client of one release, without
// the snapshotters and the resource control that no node of ours uses.
func containerd() []Program {
	const module, release = "github.com/containerd/containerd/v2", "v2.4.2"
	tags := []string{"urfave_cli_no_docs", "no_btrfs", "no_zfs", "no_devmapper", "no_rdt", "static_build"}
	program := func(name string, more ...string) Program {
		return Program{
			Name: name, Dir: "bundle/containerd", Package: module + "/cmd/" + name,
			Module: module, Version: release, License: "Apache-2.0",
			Tags:    append(more, tags...),
			LDFlags: []string{"-X " + module + "/version.Version=" + release},
		}
	}
	return []Program{
		program("containerd"),
		program("containerd-shim-runc-v2", "no_grpc"),
		program("ctr"),
	}
}

// cni is the network plugins that the default network of a cluster calls. The
// flannel plugin is ours; the others are the reference ones.
func cni() []Program {
	const module, release = "github.com/containernetworking/plugins", "v1.10.0"
	var programs []Program
	for _, folder := range []string{
		"main/bridge", "meta/firewall", "ipam/host-local", "main/loopback", "meta/portmap", "main/ptp",
	} {
		_, name, _ := strings.Cut(folder, "/")
		programs = append(programs, Program{
			Name: "cni-" + name, File: name, Dir: "bundle/cni", Package: module + "/plugins/" + folder,
			Module: module, Version: release, License: "Apache-2.0",
			LDFlags: []string{"-X " + module + "/pkg/utils/buildversion.BuildVersion=" + release},
		})
	}
	return append(programs, Program{
		Name: "cni-flannel", File: "flannel", Dir: "bundle/cni", Package: "./flannel",
		Module: ownModule + "/bundle/cni", Version: version.Tag, License: "Apache-2.0",
	})
}
