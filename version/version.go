// Package version holds the names and numbers that every part of Ichor must
// agree on: our own version, the version of the contract we speak, and the
// versions of the third-party programs a node runs by default.
//
// It imports nothing and computes nothing.
package version

const (
	// Name is the name of the operating system.
	Name = "Ichor"
	// ID is the name in its machine-readable form (os-release ID).
	ID = "ichor"
	// Tag is our own version, a semantic version with a leading v.
	Tag = "v0.1.0"
	// Contract is the version of the Talos API that a node reports to clients
	// and that extension constraints are checked against.
	Contract = "v1.13.9"

	// Kubernetes is the default Kubernetes version of generated configs, local
	// clusters and the image cache, without a leading v.
	Kubernetes = "1.36.3"
	// KubernetesNext is the second set of Kubernetes programs, for upgrades.
	KubernetesNext = "1.37.2"
	// KubernetesOldest and KubernetesNewest bound the supported minor versions.
	KubernetesOldest = "1.31"
	KubernetesNewest = "1.37"

	// PauseImage holds a pod's namespaces; containerd is configured with it.
	PauseImage = "registry.k8s.io/pause:3.10"
	// EtcdImage is the etcd that a control plane runs by default.
	EtcdImage = "registry.k8s.io/etcd:v3.7.3"
	// CoreDNSImage is the cluster's name server by default.
	CoreDNSImage = "registry.k8s.io/coredns/coredns:v1.15.0"
	// FlannelImage is the cluster's default network.
	FlannelImage = "ghcr.io/siderolabs/flannel:v0.28.10"

	// InstallerImage is the repository of our installer image.
	InstallerImage = "ghcr.io/ichor-os/installer"
)
