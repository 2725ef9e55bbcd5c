// Package spec says what the nouns of a node want run, in plain data: they
// write it, and node/service runs it. It knows neither containerd nor processes.
package spec

// Mount is a folder or file of the node inside a container.
type Mount struct {
	Source, Target string
	// ReadOnly is off for what the container writes.
	ReadOnly bool
	// Shared makes mounts below propagate both ways, as kubelet needs.
	Shared bool
}

// Container is a container in the node's network namespace.
type Container struct {
	// ID is the name of the service and of the container.
	ID string
	// Image is a reference; it is pulled when it is not on the node.
	Image string
	// Args are the whole command line; empty means the image's own.
	Args []string
	// Env is added to the image's environment.
	Env    []string
	Mounts []Mount
	// UID and GID are the user it runs as.
	UID, GID uint32
	// Privileged gives it all capabilities and devices and the node's process
	// ids, as kubelet needs.
	Privileged bool
	// Group is its control group, "/system/etcd".
	Group string
}
