package platform

import (
	"context"
	"net/netip"

	dnsspec "github.com/ichor-os/ichor/node/dns/spec"
	lifecyclespec "github.com/ichor-os/ichor/node/lifecycle/spec"
	linkspec "github.com/ichor-os/ichor/node/link/spec"
	"github.com/ichor-os/ichor/node/platform/spec"
	"github.com/ichor-os/ichor/resource"
	"github.com/ichor-os/ichor/version"
)

// Publish shows as resources what the platform with the name says about the
// node: on a node in namespaces that is all there is to know of its name and
// addresses.
func Publish(ctx context.Context, engine *resource.Engine, name string, m Metadata) error {
	return engine.Commit(ctx, "platform", func(s *resource.Session) error {
		spec.PlatformMetadatas.Put(s, "platformmetadata", spec.PlatformMetadataSpec{Platform: name, Hostname: m.Hostname})
		dnsspec.HostnameStatuses.Put(s, "hostname", dnsspec.HostnameStatusSpec{Hostname: m.Hostname})
		for _, id := range []string{"default", "current", "accumulative", "routed"} {
			addresses := m.Addresses
			if id == "default" {
				addresses = []netip.Prefix{m.Addresses[0]}
			}
			linkspec.NodeAddresses.Put(s, id, linkspec.NodeAddressSpec{Addresses: addresses})
		}
		linkspec.PlatformConfigs.Put(s, activeConfig, m.network())
		lifecyclespec.Versions.Put(s, "version", lifecyclespec.VersionSpec{Name: version.Name, Version: version.Tag})
		// Nothing verified the root of a node in namespaces.
		lifecyclespec.SecurityStates.Put(s, "securitystate", lifecyclespec.SecurityStateSpec{})
		return nil
	})
}
