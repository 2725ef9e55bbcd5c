package config

import (
	"context"
	"fmt"

	machineconfig "github.com/ichor-os/ichor/config"
	"github.com/ichor-os/ichor/node/config/spec"
	"github.com/ichor-os/ichor/resource"
	"github.com/ichor-os/ichor/resource/value"
)

// owner of the resources of this package.
const owner = "machine-config"

// Publish shows the config in force and the stored one, and what the former
// makes of a machine with the host name, as resources.
func Publish(ctx context.Context, engine *resource.Engine, active, stored *machineconfig.Config, hostname string, findings map[string]finding) error {
	text, err := active.Encode()
	if err != nil {
		return fmt.Errorf("encode config: %w", err)
	}
	kept, err := stored.Encode()
	if err != nil {
		return fmt.Errorf("encode config: %w", err)
	}
	role := value.MachineTypeWorker
	switch active.Main().Machine.Type {
	case "controlplane":
		role = value.MachineTypeControlplane
	case "init":
		role = value.MachineTypeInit
	}
	return engine.Commit(ctx, owner, func(s *resource.Session) error {
		spec.MachineConfigs.Put(s, spec.Active, spec.MachineConfigSpec{Documents: text})
		spec.MachineConfigs.Put(s, spec.Persistent, spec.MachineConfigSpec{Documents: kept})
		spec.MachineTypes.Put(s, "machine-type", spec.MachineTypeSpec{Type: role})
		putFindings(s, findings)
		return nil
	})
}
