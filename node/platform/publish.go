package platform

import (
	"context"

	"github.com/ichor-os/ichor/atomicfile"
	etcfilespec "github.com/ichor-os/ichor/node/etcfile/spec"
	lifecyclespec "github.com/ichor-os/ichor/node/lifecycle/spec"
	linkspec "github.com/ichor-os/ichor/node/link/spec"
	"github.com/ichor-os/ichor/node/platform/spec"
	"github.com/ichor-os/ichor/resource"
	"github.com/ichor-os/ichor/resource/value"
	"github.com/ichor-os/ichor/version"
)

// Publish shows as resources what the platform with the name says about the
// node, and its machine id, which is made at the first start and kept in idFile.
func Publish(ctx context.Context, engine *resource.Engine, name string, m Metadata, idFile string) error {
	machineID, err := MachineID(idFile, func(text []byte) error {
		return atomicfile.Replace(idFile, text, 0o600)
	})
	if err != nil {
		return err
	}
	return engine.Commit(ctx, "platform", func(s *resource.Session) error {
		spec.PlatformMetadatas.Put(s, "platformmetadata", spec.PlatformMetadataSpec{Platform: name, Hostname: m.Hostname})
		etcfilespec.EtcFileSpecs.Put(s, "machine-id", etcfilespec.EtcFileSpecSpec{Contents: value.Text(machineID + "\n"), Mode: 0o644})
		linkspec.PlatformConfigs.Put(s, activeConfig, m.network())
		lifecyclespec.Versions.Put(s, "version", lifecyclespec.VersionSpec{Name: version.Name, Version: version.Tag})
		// Nothing verified the root of a node in namespaces.
		lifecyclespec.SecurityStates.Put(s, "securitystate", lifecyclespec.SecurityStateSpec{})
		return nil
	})
}
