package diagnostic

import (
	"context"
	"fmt"
	"net/netip"
	"slices"
	"strings"

	"github.com/ichor-os/ichor/config/document"
	"github.com/ichor-os/ichor/config/documents/kubernetes"
	"github.com/ichor-os/ichor/config/validate"
	configspec "github.com/ichor-os/ichor/node/config/spec"
	dnsspec "github.com/ichor-os/ichor/node/dns/spec"
	filespec "github.com/ichor-os/ichor/node/file/spec"
	kernelspec "github.com/ichor-os/ichor/node/kernel/spec"
	kubeletspec "github.com/ichor-os/ichor/node/kubelet/spec"
	linkspec "github.com/ichor-os/ichor/node/link/spec"
	timespec "github.com/ichor-os/ichor/node/time/spec"
	"github.com/ichor-os/ichor/resource"
)

// checkTime finds a clock that nobody keeps in step.
func checkTime(_ context.Context, s *resource.Session) error {
	source, ok := timespec.Sources.Get(s, timespec.SyncID)
	if !ok || source.Problem == "" {
		return nil
	}
	message := "time is not in step with a time server: name servers that this node reaches in TimeSyncConfig or machine.time.servers"
	switch source.Source {
	case timespec.SourcePeer:
		message = "no time server answers, the node follows the time of another node: see whether it reaches its time servers"
	case timespec.SourceServer:
		message = "no time server has answered lately, the clock runs on by itself: see whether the node reaches its time servers"
	}
	findings.Put(s, "time-not-synced", Finding{Message: message, Details: []string{source.Problem}, Grace: 5 * passing})
	return nil
}

// checkNetwork finds addresses that somebody else has, and a node without a way
// out.
func checkNetwork(_ context.Context, s *resource.Session) error {
	var twice []string
	for _, a := range linkspec.AddressStatuses.List(s) {
		if a.Spec.Flags&linkspec.AddressFlagDadfailed != 0 {
			twice = append(twice, fmt.Sprintf("%s on %s", a.Spec.Address, a.Spec.LinkName))
		}
	}
	if len(twice) > 0 {
		findings.Put(s, "address-conflict", Finding{
			Message: "another machine has an address of this node: give one of the two another address", Details: twice, Grace: lasting,
		})
	}
	routes := linkspec.RouteStatuses.List(s)
	if len(routes) == 0 {
		return nil // nobody knows the routes
	}
	for _, r := range routes {
		if r.Spec.Dst.Bits() <= 0 && r.Spec.Table == linkspec.RoutingTableMain {
			return nil
		}
	}
	findings.Put(s, "no-default-route", Finding{
		Message: "there is no default route, nothing beyond the node's own networks is reached: add one to LinkConfig or machine.network, or see why DHCP gives none",
		Grace:   passing,
	})
	return nil
}

// checkSubnets finds a node whose own network lies within the subnets of pods and
// services: packets to its hosts go astray. Only the default address is looked
// at, as the links that a CNI makes have addresses of pods.
func checkSubnets(_ context.Context, s *resource.Session) error {
	config, ok, err := configspec.Config(s)
	if err != nil || !ok {
		return err
	}
	var subnets []string
	if main := config.Main(); main != nil && main.Cluster != nil && main.Cluster.Network != nil {
		subnets = slices.Concat(main.Cluster.Network.PodSubnets, main.Cluster.Network.ServiceSubnets)
	}
	for _, d := range config.Documents() {
		if network, ok := d.(*kubernetes.NetworkConfig); ok {
			for _, subnet := range slices.Concat(network.PodSubnets, network.ServiceSubnets) {
				subnets = append(subnets, subnet.String())
			}
		}
	}
	addresses, _ := linkspec.NodeAddresses.Get(s, "default")
	var overlaps []string
	for _, text := range subnets {
		subnet, err := netip.ParsePrefix(text)
		if err != nil {
			continue // validation says so
		}
		for _, a := range addresses.Addresses {
			if subnet.Overlaps(a.Masked()) {
				overlaps = append(overlaps, fmt.Sprintf("%s overlaps %s", a, subnet))
			}
		}
	}
	if len(overlaps) > 0 {
		findings.Put(s, "address-overlap", Finding{
			Message: "addresses of the node overlap with subnets of pods or services: choose others in cluster.network for a new cluster, or move the node",
			Details: overlaps, Grace: lasting,
		})
	}
	return nil
}

// checkKernel finds parameters that the kernel refuses, and modules that are not
// there. What a node in namespaces cannot set is no fault of anybody: its status
// says so.
func checkKernel(_ context.Context, s *resource.Session) error {
	var refused []string
	for _, wanted := range kernelspec.KernelParamSpecs.List(s) {
		status, ok := kernelspec.KernelParamStatuses.Resource(s, wanted.ID)
		if why := status.Annotations[kernelspec.Reason]; ok && why != "" && !status.Spec.Unsupported {
			refused = append(refused, wanted.ID+": "+why)
		}
	}
	if len(refused) > 0 {
		findings.Put(s, "kernel-parameters", Finding{
			Message: "the kernel refuses values of the config: correct machine.sysctls, machine.sysfs, SysctlConfig or SysfsConfig", Details: refused, Grace: lasting,
		})
	}
	var missing []string
	for _, wanted := range kernelspec.WantedModules.List(s) {
		if !wanted.Spec.Present {
			missing = append(missing, wanted.ID+": "+wanted.Spec.Problem)
		}
	}
	if len(missing) > 0 {
		findings.Put(s, "kernel-modules", Finding{
			Message: "kernel modules that the config asks for are not there: see the reasons, or remove them from machine.kernel.modules and KernelModuleConfig",
			Details: missing, Grace: passing,
		})
	}
	return nil
}

// checkFiles finds files of the config that were not written.
func checkFiles(_ context.Context, s *resource.Session) error {
	var refused []string
	for _, f := range filespec.MachineFileStatuses.List(s) {
		if !f.Spec.Written {
			refused = append(refused, f.ID+": "+f.Spec.Problem)
		}
	}
	if len(refused) > 0 {
		findings.Put(s, "machine-files", Finding{
			Message: "files of the config are not written: correct machine.files or CRICustomizationConfig", Details: refused, Grace: lasting,
		})
	}
	return nil
}

// usual are the keys that every generated config has, in force or not: an
// operator did not ask for them, and could not mend them.
var usual = []string{
	"machine.kubelet.defaultRuntimeSeccompProfileEnabled", "machine.kubelet.disableManifestsDirectory", "machine.install",
	"machine.features", "cluster.id", "cluster.secret", "cluster.discovery", "cluster.apiServer.admissionControl",
	"cluster.apiServer.auditPolicy", "cluster.apiServer.disablePodSecurityPolicy", "auto",
}

// checkConfig finds keys of the config that nodes do not act on yet.
func checkConfig(_ context.Context, s *resource.Session) error {
	config, ok, err := configspec.Config(s)
	if err != nil || !ok {
		return err
	}
	var keys []string
	for _, notice := range config.Validate(document.Metal, validate.Options{}).Notices {
		if !slices.ContainsFunc(usual, func(key string) bool { return notice.Path == key || strings.HasPrefix(notice.Path, key+".") }) {
			keys = append(keys, notice.Document+": "+notice.Path)
		}
	}
	if len(keys) > 0 {
		findings.Put(s, "config-not-in-force", Finding{
			Message: "the config uses keys that this version does not act on yet: do not rely on them, or remove them", Details: keys, Grace: lasting,
		})
	}
	return nil
}

// checkNodename finds a node whose name is no longer the one by which it joined.
func checkNodename(_ context.Context, s *resource.Session) error {
	node, ok := kubeletspec.Nodenames.Get(s, "nodename")
	host, known := dnsspec.HostnameStatuses.Get(s, "hostname")
	if !ok || !known || strings.EqualFold(node.Nodename, host.Hostname) || strings.EqualFold(node.Nodename, host.Hostname+"."+host.Domainname) {
		return nil
	}
	findings.Put(s, "nodename-mismatch", Finding{
		Message: "the node's name in Kubernetes is not its host name: reboot the node to join under the new one, and delete the old node object, or set the host name back",
		Details: []string{"Kubernetes: " + node.Nodename, "host: " + host.Hostname}, Grace: passing,
	})
	return nil
}
