package addons

import (
	"context"
	"log/slog"
	"os"
	"time"

	filespec "github.com/ichor-os/ichor/node/file/spec"
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

// ConfigureCNI writes the network configuration once flannel is there.
func ConfigureCNI(ctx context.Context, write func([]filespec.File) error, log *slog.Logger) error {
	for {
		if _, err := os.Stat(SubnetFile); err == nil {
			err := write([]filespec.File{{Path: CNIConfigPath, Content: []byte(CNIConfig), Mode: 0o644}})
			if err == nil {
				return nil
			}
			log.Warn("pod network is not configured yet", "error", err)
		}
		timer := time.NewTimer(retry)
		select {
		case <-timer.C:
		case <-ctx.Done():
			timer.Stop()
			return ctx.Err()
		}
	}
}

// retry is the pause between two looks.
const retry = 250 * time.Millisecond
