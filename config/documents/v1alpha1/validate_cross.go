package v1alpha1

import (
	"slices"

	"github.com/ichor-os/ichor/config/document"
)

// ValidateWith reports keys of the main document that another document says too.
func (c *Config) ValidateWith(v *document.Validation, others []document.Document) {
	if c.Machine == nil {
		return
	}

	has := func(kind string) bool {
		return slices.ContainsFunc(others, func(d document.Document) bool { return d.Kind().Kind == kind })
	}

	clash := func(given bool, path, kind string) {
		if given && has(kind) {
			v.Errorf(path, "%s says the same: both cannot be given", kind).Fix("remove %s", path)
		}
	}

	m := c.Machine

	if n := m.Network; n != nil {
		clash(n.Hostname != "", "machine.network.hostname", "HostnameConfig")
		clash(len(n.NameServers) > 0, "machine.network.nameservers", "ResolverConfig")
		clash(len(n.Searches) > 0, "machine.network.searchDomains", "ResolverConfig")
		clash(isTrue(n.DisableSearchDomain), "machine.network.disableSearchDomain", "ResolverConfig")
		clash(n.KubeSpan != nil, "machine.network.kubespan", "KubeSpanConfig")
	}

	if f := m.Features; f != nil {
		adviseHostDNS(v, f, others)
		clash(isTrue(f.StableHostname), "machine.features.stableHostname", "HostnameConfig")
	}

	if t := m.Time; t != nil {
		clash(t.Disabled != nil && *t.Disabled || len(t.Servers) > 0 || t.BootTimeout != 0, "machine.time", "TimeSyncConfig")
	}

	if e := m.SystemDiskEncryption; e != nil {
		clashEncryption(v, e.State, "machine.systemDiskEncryption.state", "STATE", others)
		clashEncryption(v, e.Ephemeral, "machine.systemDiskEncryption.ephemeral", "EPHEMERAL", others)
	}
}

// adviseHostDNS names a name server that is set up twice.
func adviseHostDNS(v *document.Validation, f *FeaturesConfig, others []document.Document) {
	for _, d := range others {
		if d.Kind().Kind != "ResolverConfig" || f.HostDNS == nil {
			continue
		}

		if h, ok := document.Lookup(d, "hostDNS"); ok && !document.IsZero(h) {
			v.Advisef("machine.features.hostDNS", "ResolverConfig says the same in hostDNS").Fix("remove one of the two")
		}
	}
}

func clashEncryption(v *document.Validation, e *EncryptionConfig, path, volume string, others []document.Document) {
	if e == nil {
		return
	}

	for _, d := range others {
		if d.Kind().Kind != "VolumeConfig" || d.Name() != volume {
			continue
		}

		if encryption, ok := document.Lookup(d, "encryption"); ok && !document.IsZero(encryption) {
			v.Errorf(path, "VolumeConfig/%s says the same: both cannot be given", volume).Fix("remove %s", path)
		}
	}
}
