package validate

import (
	"maps"
	"net/netip"
	"slices"
	"strings"

	"github.com/ichor-os/ichor/config/document"
	"github.com/ichor-os/ichor/config/documents/block"
	"github.com/ichor-os/ichor/config/documents/network"
	"github.com/ichor-os/ichor/config/documents/runtime"
	"github.com/ichor-os/ichor/config/documents/v1alpha1"
)

// contract is the version of the config format that nodes report.
const (
	contract      = "1.13"
	contractMinor = 13
)

// apiPort is where a node's own API listens.
const apiPort = 50000

// adviseTogether compares the documents of a config with each other and with
// the main document.
func adviseTogether(v *document.Validation, docs []document.Document) {
	for _, d := range docs {
		if k := d.Kind(); k.APIVersion == document.V1Alpha1 && document.Newer(k.Since, contractMinor) {
			v.For(d).Advisef("kind", "kind came with version %s of the format: clients of version %s refuse a config that holds it", k.Since, contract)
		}

		document.LateKeys(d, contractMinor, func(path, since string) {
			v.For(d).Advisef(path, "key came with version %s of the format: clients of version %s refuse a config that holds it", since, contract)
		})
	}

	adviseLinks(v, docs)
	adviseFirewall(v, docs)
	adviseVolumes(v, docs)

	i := slices.IndexFunc(docs, func(d document.Document) bool { return d.Kind().IsMain() })
	if i < 0 {
		return
	}

	if c, ok := docs[i].(*v1alpha1.Config); ok && c.Machine != nil && c.Cluster != nil {
		adviseBesideMain(v, c, docs)
	}
}

// adviseFirewall names a firewall that shuts the node's own API out.
func adviseFirewall(v *document.Validation, docs []document.Document) {
	var blocking document.Document

	for _, d := range docs {
		switch c := d.(type) {
		case *network.DefaultActionConfig:
			if c.Ingress == network.DefaultActionBlock {
				blocking = d
			}
		case *network.RuleConfig:
			if c.PortSelector.Protocol == network.ProtocolTCP && len(c.Ingress) > 0 && covers(c, apiPort) {
				return
			}
		}
	}

	if blocking != nil {
		v.For(blocking).Advisef("ingress", "no rule lets anybody reach the node's API").
			Fix("add a NetworkRuleConfig for tcp port %d", apiPort)
	}
}

func covers(c *network.RuleConfig, port uint16) bool {
	for _, p := range c.PortSelector.Ports {
		if p.Low <= port && port <= p.High {
			return true
		}
	}

	return false
}

// adviseVolumes names keys that depend on a STATE volume that anybody can read.
func adviseVolumes(v *document.Validation, docs []document.Document) {
	stateEncrypted := slices.ContainsFunc(docs, func(d document.Document) bool {
		c, ok := d.(*block.VolumeConfig)

		return ok && c.DocName == block.StateVolume && !c.Encryption.IsZero()
	})

	for _, d := range docs {
		encryption, ok := encryptionOf(d)
		if !ok || stateEncrypted {
			continue
		}

		for i, k := range encryption.Keys {
			if k.LockToState != nil && *k.LockToState {
				v.For(d).At("encryption").Item("keys", i).Advisef("lockToState", "the volume STATE is not encrypted, so the key protects nothing more").
					Fix("encrypt the volume STATE too")
			}
		}
	}
}

func encryptionOf(d document.Document) (block.Encryption, bool) {
	switch c := d.(type) {
	case *block.VolumeConfig:
		return c.Encryption, true
	case *block.UserVolumeConfig:
		return c.Encryption, true
	case *block.RawVolumeConfig:
		return c.Encryption, true
	case *block.SwapVolumeConfig:
		return c.Encryption, true
	}

	return block.Encryption{}, false
}

// adviseBesideMain names what the main document and another document both
// speak of, and what does not go together with the main document.
func adviseBesideMain(v *document.Validation, c *v1alpha1.Config, docs []document.Document) {
	worker := c.Machine.Type != "controlplane" && c.Machine.Type != "init"
	subnets := clusterSubnets(document.NewValidation(v.Mode, v.Now), c)

	for _, l := range linksOf(docs) {
		for i, a := range l.common.Addresses {
			for _, s := range subnets {
				if a.Address.IsValid() && a.Address.Overlaps(s.prefix) {
					v.For(l.doc).Item("addresses", i).Advisef("address", "address lies in the subnet of %s: %s in %s", s.use, a.Address, s.prefix).
						Fix("use subnets apart from each other")
				}
			}
		}
	}

	for _, d := range docs {
		dv := v.For(d)

		if path := samePlace(c, d); path != "" {
			dv.Advisef("", "the main document speaks of the same in %s", path).Fix("keep one of the two")
		}

		switch x := d.(type) {
		case *network.Layer2VIPConfig, *network.HCloudVIPConfig:
			if worker {
				dv.Advisef("", "workers never hold a shared address").Fix("remove the document")
			}

			adviseVIP(dv, d.Name(), docs)
		case *network.KubeSpanConfig:
			adviseMesh(dv, c, x)
		}
	}
}

// adviseVIP names a shared address that is an own address of a link too.
func adviseVIP(v *document.Validation, name string, docs []document.Document) {
	vip, err := netip.ParseAddr(name)
	if err != nil {
		return
	}

	for _, l := range linksOf(docs) {
		for _, a := range l.common.Addresses {
			if a.Address.IsValid() && a.Address.Addr() == vip {
				v.Advisef("name", "%s has the shared address as its own", document.Title(l.doc)).Fix("remove one of the two")
			}
		}
	}
}

// adviseMesh names what the mesh network lacks to find its peers.
func adviseMesh(v *document.Validation, c *v1alpha1.Config, mesh *network.KubeSpanConfig) {
	if mesh.Enabled == nil || !*mesh.Enabled {
		return
	}

	if d := c.Cluster.Discovery; d == nil || d.Enabled == nil || !*d.Enabled {
		v.Advisef("enabled", "nodes do not find each other: cluster.discovery is not enabled").Fix("set cluster.discovery.enabled: true")
	}

	if c.Cluster.ID == "" || c.Cluster.Secret == "" {
		v.Advisef("enabled", "nodes do not find each other: cluster.id or cluster.secret is missing").Fix("generate them with: gen secrets")
	}
}

// samePlace is the path of the main document that speaks of the same thing as
// d, "" if there is none.
func samePlace(c *v1alpha1.Config, d document.Document) string {
	m := c.Machine

	switch x := d.(type) {
	case *runtime.EnvironmentConfig:
		for _, name := range slices.Sorted(maps.Keys(x.Variables)) {
			if _, both := m.Env[name]; both {
				return "machine.env." + name
			}
		}
	case *network.StaticHostConfig:
		if m.Network != nil && slices.ContainsFunc(m.Network.ExtraHostEntries, func(h *v1alpha1.ExtraHost) bool { return h != nil && h.IP == x.DocName }) {
			return "machine.network.extraHostEntries"
		}
	}

	for _, l := range linksOf([]document.Document{d}) {
		if m.Network != nil && slices.ContainsFunc(m.Network.Interfaces, func(i *v1alpha1.Device) bool { return i != nil && i.Interface == l.name }) {
			return "machine.network.interfaces"
		}
	}

	return sameSetting(c, d)
}

// mainPaths maps kinds to the sections of the main document that they took over.
var mainPaths = map[string]string{
	"KubeletConfig":                "machine.kubelet",
	"KubeAPIServerConfig":          "cluster.apiServer",
	"KubeControllerManagerConfig":  "cluster.controllerManager",
	"KubeSchedulerConfig":          "cluster.scheduler",
	"KubeProxyConfig":              "cluster.proxy",
	"KubeCoreDNSConfig":            "cluster.coreDNS",
	"KubeNetworkConfig":            "cluster.network",
	"KubeClusterConfig":            "cluster.controlPlane",
	"KubeAPIServerCAConfig":        "cluster.ca",
	"KubeAggregatorCAConfig":       "cluster.aggregatorCA",
	"KubeServiceAccountConfig":     "cluster.serviceAccount",
	"KubeAuditPolicyConfig":        "cluster.apiServer.auditPolicy",
	"KubePrismConfig":              "machine.features.kubePrism",
	"KubeTalosAPIAccessConfig":     "machine.features.kubernetesTalosAPIAccess",
	"ImageCacheConfig":             "machine.features.imageCache",
	"SysctlConfig":                 "machine.sysctls",
	"SysfsConfig":                  "machine.sysfs",
	"UdevRulesConfig":              "machine.udev",
	"UnattendedInstall":            "machine.install",
	"CRIBaseRuntimeSpecConfig":     "machine.baseRuntimeSpecOverrides",
	"KubeCredentialProviderConfig": "machine.kubelet.credentialProviderConfig",
	"DiscoveryServiceConfig":       "cluster.discovery",
	"DiscoveryIdentityConfig":      "cluster.id",
}

func sameSetting(c *v1alpha1.Config, d document.Document) string {
	path := mainPaths[d.Kind().Kind]
	if path == "" {
		return ""
	}

	if value, ok := document.Lookup(c, strings.Split(path, ".")...); ok && !document.IsZero(value) {
		return path
	}

	return ""
}
