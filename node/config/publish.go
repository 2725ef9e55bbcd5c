package config

import (
	"context"
	"fmt"

	machineconfig "github.com/ichor-os/ichor/config"
	"github.com/ichor-os/ichor/node/config/spec"
	kubeletspec "github.com/ichor-os/ichor/node/kubelet/spec"
	"github.com/ichor-os/ichor/resource"
	"github.com/ichor-os/ichor/resource/value"
)

// Publish shows the config in force, and what it makes of a machine with the
// host name, as resources.
func Publish(ctx context.Context, engine *resource.Engine, c *machineconfig.Config, hostname string) error {
	text, err := c.Encode()
	if err != nil {
		return fmt.Errorf("encode config: %w", err)
	}
	role := value.MachineTypeWorker
	switch c.Main().Machine.Type {
	case "controlplane":
		role = value.MachineTypeControlplane
	case "init":
		role = value.MachineTypeInit
	}
	return engine.Commit(ctx, "machine-config", func(s *resource.Session) error {
		spec.MachineConfigs.Put(s, spec.Active, spec.MachineConfigSpec{Documents: text})
		spec.MachineConfigs.Put(s, spec.Persistent, spec.MachineConfigSpec{Documents: text})
		spec.MachineTypes.Put(s, "machine-type", spec.MachineTypeSpec{Type: role})
		kubeletspec.Nodenames.Put(s, "nodename", kubeletspec.NodenameSpec{Nodename: hostname, HostnameVersion: "1"})
		return nil
	})
}
