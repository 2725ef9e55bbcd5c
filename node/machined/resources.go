package machined

import (
	"context"
	"fmt"
	"net/netip"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	machineconfig "github.com/ichor-os/ichor/config"
	"github.com/ichor-os/ichor/node/access"
	configspec "github.com/ichor-os/ichor/node/config/spec"
	dnsspec "github.com/ichor-os/ichor/node/dns/spec"
	kubeletspec "github.com/ichor-os/ichor/node/kubelet/spec"
	"github.com/ichor-os/ichor/node/lifecycle"
	lifecyclespec "github.com/ichor-os/ichor/node/lifecycle/spec"
	linkspec "github.com/ichor-os/ichor/node/link/spec"
	"github.com/ichor-os/ichor/node/mount"
	platformspec "github.com/ichor-os/ichor/node/platform/spec"
	"github.com/ichor-os/ichor/node/service"
	"github.com/ichor-os/ichor/resource"
	"github.com/ichor-os/ichor/resource/state"
	"github.com/ichor-os/ichor/resource/value"
	"github.com/ichor-os/ichor/version"
)

// startEngine adds the sources and reconcilers of all nouns to the engine and
// runs it until ctx ends.
func (n *node) startEngine(ctx context.Context) error {
	err := n.engine.Add(
		service.Source(n.services),
		mount.Source("/proc/self/mounts"),
		resource.Reconciler("machine-status", lifecycle.ReconcileStatus),
	)
	if err != nil {
		return fmt.Errorf("add to engine: %w", err)
	}
	go func() {
		if err := n.engine.Run(ctx); err != nil && ctx.Err() == nil {
			n.log.Error("engine ended", "error", err)
		}
	}()
	return n.publishPlatform(ctx)
}

// publishPlatform shows what the platform says about the node.
func (n *node) publishPlatform(ctx context.Context) error {
	return n.engine.Commit(ctx, "platform", func(s *resource.Session) error {
		platformspec.PlatformMetadatas.Put(s, "platformmetadata", platformspec.PlatformMetadataSpec{
			Platform: PlatformContainer, Hostname: n.platform.Hostname,
		})
		dnsspec.HostnameStatuses.Put(s, "hostname", dnsspec.HostnameStatusSpec{Hostname: n.platform.Hostname})
		for _, id := range []string{"default", "current", "accumulative", "routed"} {
			addresses := n.platform.Addresses
			if id == "default" {
				addresses = []netip.Prefix{n.platform.Addresses[0]}
			}
			linkspec.NodeAddresses.Put(s, id, linkspec.NodeAddressSpec{Addresses: addresses})
		}
		lifecyclespec.Versions.Put(s, "version", lifecyclespec.VersionSpec{Name: version.Name, Version: version.Tag})
		// Nothing verified the root of a node in namespaces.
		lifecyclespec.SecurityStates.Put(s, "securitystate", lifecyclespec.SecurityStateSpec{})
		return nil
	})
}

// publishConfig shows the config in force.
func (n *node) publishConfig(ctx context.Context, c *machineconfig.Config) error {
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
	return n.engine.Commit(ctx, "machine-config", func(s *resource.Session) error {
		configspec.MachineConfigs.Put(s, configspec.Active, configspec.MachineConfigSpec{Documents: text})
		configspec.MachineConfigs.Put(s, configspec.Persistent, configspec.MachineConfigSpec{Documents: text})
		configspec.MachineTypes.Put(s, "machine-type", configspec.MachineTypeSpec{Type: role})
		kubeletspec.Nodenames.Put(s, "nodename", kubeletspec.NodenameSpec{Nodename: n.platform.Hostname, HostnameVersion: "1"})
		return nil
	})
}

// stage moves the machine to a stage; a failure to show it stops nothing.
func (n *node) stage(ctx context.Context, stage lifecyclespec.Stage) {
	if err := lifecycle.SetStage(ctx, n.engine, stage); err != nil {
		n.log.Error("stage is not shown", "stage", stage.String(), "error", err)
	}
}

// authorizeResources lets callers see what their roles allow: kinds with secrets
// are for administrators. What a method may do at all, the gate decided.
func authorizeResources(ctx context.Context, kind *resource.Definition, _ state.Verb) error {
	if kind.Sensitive && !access.FromContext(ctx).Has(access.Admin) {
		return status.Errorf(codes.PermissionDenied, "%s holds secrets: the role os:admin is needed", kind.Type)
	}
	return nil
}
