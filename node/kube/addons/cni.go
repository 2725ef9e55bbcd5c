package addons

import (
	"context"
	"fmt"
	"os"
	"time"

	filespec "github.com/ichor-os/ichor/node/file/spec"
	"github.com/ichor-os/ichor/node/kube/spec"
	"github.com/ichor-os/ichor/resource"
)

// CNIConfig is the network configuration of a node with flannel. It is written
// when flannel's subnet file is there: a runtime that sees it before fails to
// attach pods and waits long before it tries again.
const CNIConfig = `{
  "name": "cbr0",
  "cniVersion": "1.0.0",
  "plugins": [
    {"type": "flannel", "delegate": {"hairpinMode": true, "isDefaultGateway": true}},
    {"type": "portmap", "backend": "nftables", "capabilities": {"portMappings": true}}
  ]
}
`

// Places of the network configuration and of flannel's subnet file.
const (
	CNIConfigPath = "/etc/cni/net.d/10-flannel.conflist"
	SubnetFile    = "/run/flannel/subnet.env"
)

// look is the pause between two looks for flannel's subnet file.
const look = 250 * time.Millisecond

// configureNetwork writes the network configuration once flannel is there.
func (a *Addons) configureNetwork(_ context.Context, s *resource.Session, _ resource.Resource[spec.PodNetworkSpec]) error {
	if _, err := os.Stat(SubnetFile); err != nil {
		s.WakeAfter(look)
		return resource.Hold("waiting for flannel's subnet file")
	}
	return a.Write([]filespec.File{{Path: CNIConfigPath, Content: []byte(CNIConfig), Mode: 0o644}})
}

// removeNetwork makes room for another pod network.
func removeNetwork(context.Context, *resource.Session, resource.Resource[spec.PodNetworkSpec]) error {
	if err := os.Remove(CNIConfigPath); err != nil && !os.IsNotExist(err) {
		return fmt.Errorf("remove network configuration: %w", err)
	}
	return nil
}
