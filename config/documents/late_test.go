package documents_test

import (
	"strings"
	"testing"

	"github.com/ichor-os/ichor/config"
	"github.com/ichor-os/ichor/config/documents"
	"github.com/ichor-os/ichor/config/explain"
	"github.com/ichor-os/ichor/config/validate"
)

// Keys that came after their kind are read, written and named: older clients
// refuse a config that holds them.
func TestLateKeys_AreReadAndNamed(t *testing.T) {
	for key, text := range map[string]string{
		"BondConfig.primary":                       "kind: BondConfig\nname: b\nlinks:\n    - e0\nbondMode: active-backup\nprimary: e0\n",
		"DHCPv4Config.ignoreRoutes":                "kind: DHCPv4Config\nname: e0\nignoreRoutes: false\n",
		"ExistingVolumeConfig.trim":                "kind: ExistingVolumeConfig\nname: v\ndiscovery:\n    volumeSelector:\n        match: volume.name == \"a\"\ntrim:\n    interval: 24h0m0s\n",
		"UserVolumeConfig.scrub":                   "kind: UserVolumeConfig\nname: v\nprovisioning:\n    diskSelector:\n        match: system_disk\n    minSize: 1GiB\nscrub:\n    enabled: false\n",
		"UserVolumeConfig.filesystem.xfs":          "kind: UserVolumeConfig\nname: v\nprovisioning:\n    diskSelector:\n        match: system_disk\n    minSize: 1GiB\nfilesystem:\n    xfs:\n        minAllocationGroupSize: 1GiB\n",
		"VolumeConfig.mount.disableAccessTime":     "kind: VolumeConfig\nname: EPHEMERAL\nmount:\n    disableAccessTime: true\n",
		"VolumeConfig.filesystem":                  "kind: VolumeConfig\nname: STATE\nfilesystem:\n    xfs:\n        minAllocationGroupSize: 64MiB\n",
		"RawVolumeConfig.encryption.allowDiscards": "kind: RawVolumeConfig\nname: v\nprovisioning:\n    diskSelector:\n        match: system_disk\n    minSize: 1GiB\nencryption:\n    provider: luks2\n    keys:\n        - slot: 0\n          nodeID: {}\n    allowDiscards: true\n",
		"ResolverConfig.nameservers[0].protocol":   "kind: ResolverConfig\nnameservers:\n    - address: 10.0.0.1\n      protocol: DoT\n",
		"ResolverConfig.hostDNS":                   "kind: ResolverConfig\nhostDNS:\n    enabled: true\n    forwardKubeDNSToHost: true\n",
		"TimeSyncConfig.ntp.useNTS":                "kind: TimeSyncConfig\nntp:\n    useNTS: true\n",
	} {
		text := "apiVersion: v1alpha1\n" + text

		c, err := config.Parse([]byte(text))
		if err != nil {
			t.Errorf("%s: %v", key, err)

			continue
		}

		if out, err := c.Encode(); err != nil || string(out) != text {
			t.Errorf("%s: written as\n%s%v\nwant\n%s", key, out, err, text)
		}

		kind, path, _ := strings.Cut(key, ".")
		r := c.Validate(config.Metal, validate.Options{Now: now})
		named := false

		for _, f := range r.Advice {
			named = named || f.Path == path && strings.Contains(f.Message, "1.14")
		}

		if !r.Valid() || !named {
			t.Errorf("%s: errors %v, named as late: %v", key, r.Err(), named)
		}

		e, err := explain.Find(documents.Kinds(), kind+"."+path)
		if err != nil || e.Since != "1.14" {
			t.Errorf("%s: explained as %+v, %v; want since 1.14", key, e, err)
		}
	}
}

// The same fault as in the main document (BR-11).
func TestBR11_ResolverForwardingWithoutHostDNSIsRefused(t *testing.T) {
	for _, text := range []string{"{forwardKubeDNSToHost: true}", "{enabled: false, forwardKubeDNSToHost: true}"} {
		r := parse(t, "kind: ResolverConfig\nhostDNS: "+text+"\n").Validate(config.Metal, validate.Options{Now: now})
		if r.Valid() || !strings.Contains(r.Err().Error(), "hostDNS.enabled") || !strings.Contains(r.Err().Error(), "forwardKubeDNSToHost") {
			t.Errorf("%s: got %v, want an error that names both keys", text, r.Err())
		}
	}
}
