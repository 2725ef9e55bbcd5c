package documents_test

import (
	"strings"
	"testing"

	"github.com/ichor-os/ichor/config"
)

const selector = "diskSelector: {match: 'true'}"

func TestUserVolumeConfig_Validate(t *testing.T) {
	volume := func(rest string) string { return "kind: UserVolumeConfig\nname: d\n" + rest }

	checkRules(t, []ruleCase{
		{"partition", volume("provisioning: {" + selector + ", maxSize: 1GB}\n"), nil},
		{"partition by name", volume("volumeType: PARTITION\nprovisioning: {" + selector + ", minSize: 1GB}\n"), nil},
		{"nothing", volume(""), []string{"error provisioning.diskSelector.match", "error provisioning.minSize"}},
		{"directory", volume("volumeType: directory\n"), nil},
		{"directory with all", volume("volumeType: directory\nprovisioning: {grow: false}\nfilesystem: {type: ext4}\nencryption: {provider: luks2}\nmount: {secure: true}\n"),
			[]string{"error provisioning", "error filesystem", "error encryption", "error mount"}},
		{"directory with empty sections", volume("volumeType: directory\nprovisioning: {}\nfilesystem: {type: none}\nencryption: {cipher: x}\nmount: {}\n"), nil},
		{"disk", volume("volumeType: disk\nprovisioning: {" + selector + "}\n"), nil},
		{"disk without selector", volume("volumeType: disk\n"), []string{"error provisioning.diskSelector.match"}},
		{"disk that grows", volume("volumeType: disk\nprovisioning: {" + selector + ", maxSize: 5%, grow: false}\n"),
			[]string{"error provisioning.maxSize", "error provisioning.grow"}},
		{"overlay", volume("volumeType: overlay\n"), []string{"error volumeType"}},
		{"btrfs", volume("provisioning: {" + selector + ", minSize: 1}\nfilesystem: {type: btrfs}\n"), []string{"error filesystem.type"}},
		{"quota on ext4", volume("provisioning: {" + selector + ", minSize: 1}\nfilesystem: {type: ext4, projectQuotaSupport: true}\n"),
			[]string{"error filesystem.projectQuotaSupport"}},
		{"quota by default", volume("provisioning: {" + selector + ", minSize: 1}\nfilesystem: {projectQuotaSupport: true}\n"), nil},
		{"34", "kind: UserVolumeConfig\nname: " + strings.Repeat("a", 34) + "\nvolumeType: directory\n", nil},
		{"35", "kind: UserVolumeConfig\nname: " + strings.Repeat("a", 35) + "\nvolumeType: directory\n", []string{"error name"}},
		{"dash alone", "kind: UserVolumeConfig\nname: '-'\nvolumeType: directory\n", nil},
		{"slash", "kind: UserVolumeConfig\nname: a/b\nvolumeType: directory\n", []string{"error name"}},
	})
}

func TestProvisioning_ComparesSizes(t *testing.T) {
	raw := func(sizes string) string {
		return "kind: RawVolumeConfig\nname: d\nprovisioning: {" + selector + ", " + sizes + "}\n"
	}

	checkRules(t, []ruleCase{
		{"equal", raw("minSize: 1GiB, maxSize: 1024MiB"), nil},
		{"above", raw("minSize: 2GB, maxSize: 1.9GB"), []string{"error provisioning.minSize"}},
		{"above a share", raw("minSize: 2TB, maxSize: 1%"), nil},
		{"above what is left", raw("minSize: 2TB, maxSize: -1GB"), nil},
		{"negative", raw("minSize: -1GB"), []string{"error provisioning.minSize"}},
		{"negative share", raw("maxSize: -10%"), nil},
		{"commas", raw("minSize: '2,000MB', maxSize: 1GB"), []string{"error provisioning.minSize"}},
	})

	refused(t, map[string]string{
		"share as minSize": raw("minSize: 10%"),
		"share above 100":  raw("maxSize: 100.5%"),
		"exponent":         raw("maxSize: 1e9"),
		"unit":             raw("maxSize: 1 parsec"),
	})
}

func TestVolumeConfig_Validate(t *testing.T) {
	checkRules(t, []ruleCase{
		{"no name", "kind: VolumeConfig\n", []string{"error name"}},
		{"lower case", "kind: VolumeConfig\nname: state\n", []string{"error name"}},
		{"name first", "kind: VolumeConfig\nname: x\nprovisioning: {minSize: -1}\n", []string{"error name"}},
		{"state locked to itself", "kind: VolumeConfig\nname: STATE\nencryption: {provider: luks2, keys: [{slot: 0, tpm: {}, lockToState: true}]}\n",
			[]string{"error encryption.keys[0].lockToState"}},
		{"ephemeral locked to state", "kind: VolumeConfig\nname: EPHEMERAL\nencryption: {provider: luks2, keys: [{slot: 0, tpm: {}, lockToState: true}]}\n", nil},
		{"cache", "kind: VolumeConfig\nname: IMAGECACHE\nprovisioning: {diskSelector: {match: system_disk}}\n", nil},
		{"wrong type", "kind: VolumeConfig\nname: EPHEMERAL\nprovisioning: {diskSelector: {match: disk.size}}\n",
			[]string{"error provisioning.diskSelector.match"}},
		{"units", "kind: VolumeConfig\nname: EPHEMERAL\nprovisioning: {diskSelector: {match: 'disk.size > 2u * TB && disk.size < 4u * TiB'}}\n", nil},
	})
}

func TestEncryption_Validate(t *testing.T) {
	swap := func(encryption string) string {
		return "kind: SwapVolumeConfig\nname: s\nprovisioning: {" + selector + ", minSize: 1GB}\nencryption: " + encryption + "\n"
	}

	checkRules(t, []ruleCase{
		{"only cipher", swap("{cipher: rot13}"), nil},
		{"no keys", swap("{provider: luks2, keys: []}"), []string{"error encryption.keys"}},
		{"no provider", swap("{keys: [{slot: 0, nodeID: {}}]}"), []string{"error encryption.provider"}},
		{"no method", swap("{provider: luks2, keys: [{slot: 0}]}"), []string{"error encryption.keys[0]"}},
		{"same slot", swap("{provider: luks2, keys: [{slot: 0, nodeID: {}}, {nodeID: {}}]}"), []string{"error encryption.keys[1].slot"}},
		{"registers", swap("{provider: luks2, keys: [{slot: 0, tpm: {options: {pcrs: [0, 23, 24, -1]}}}]}"),
			[]string{"error encryption.keys[0].tpm.options.pcrs[2]", "error encryption.keys[0].tpm.options.pcrs[3]"}},
		{"what cryptsetup refuses", swap("{provider: luks2, cipher: rot13, keySize: 7, blockSize: 3, keys: [{slot: 32, static: {passphrase: ''}}, {slot: 1, kms: {endpoint: x}}]}"),
			[]string{
				"advice encryption.cipher", "advice encryption.keySize", "advice encryption.blockSize", "advice encryption.keys[0].slot",
				"advice encryption.keys[0].static.passphrase", "advice encryption.keys[1].kms.endpoint",
			}},
	})

	refused(t, map[string]string{"provider": swap("{provider: luks1}")})
}

// A section without provider and keys is written as if it were not there.
func TestEncryption_WithoutProviderAndKeysVanishes(t *testing.T) {
	c := parse(t, "kind: VolumeConfig\nname: STATE\nencryption: {cipher: x, options: [a]}\n")

	out, err := c.Encode()
	if err != nil || strings.Contains(string(out), "encryption") {
		t.Errorf("written as %s, %v", out, err)
	}
}

func TestOtherBlockKinds_Validate(t *testing.T) {
	checkRules(t, []ruleCase{
		{"existing with a long name", "kind: ExistingVolumeConfig\nname: " + strings.Repeat("a", 40) + "\ndiscovery: {volumeSelector: {match: 'true'}}\n", nil},
		{"existing by system disk", "kind: ExistingVolumeConfig\nname: a\ndiscovery: {volumeSelector: {match: system_disk}}\n",
			[]string{"error discovery.volumeSelector.match"}},
		{"external without tag", "kind: ExternalVolumeConfig\nname: a\nfilesystemType: VIRTIOFS\nmount: {virtiofs: {}}\n", []string{"error mount.virtiofs.tag"}},
		{"external without type", "kind: ExternalVolumeConfig\nname: a\nmount: {virtiofs: {tag: t}}\n", []string{"error filesystemType"}},
		{"zswap limits", "kind: ZswapConfig\nmaxPoolPercent: 0\n", nil},
		{"zswap negative", "kind: ZswapConfig\nmaxPoolPercent: -1\n", []string{"error maxPoolPercent"}},
		{"scrub", "kind: FilesystemScrubConfig\ninterval: -1h\n", []string{"error interval"}},
		{"trim", "kind: FilesystemTrimConfig\n", nil},
		{"RAID", "kind: RAIDArrayConfig\nname: a_b\n", []string{"error name", "error provisioning.volumeSelector.match"}},
		{"volume group", "kind: LVMVolumeGroupConfig\nname: a\nprovisioning: {volumeSelector: {match: volume.size}}\n", []string{"error provisioning.volumeSelector.match"}},
		{"logical volume", "kind: LVMLogicalVolumeConfig\nname: a\nmirrors: 1\nstripes: -1\n",
			[]string{"error stripes", "error mirrors", "error provisioning.volumeGroup", "error provisioning.minSize"}},
		{"logical volume sizes", "kind: LVMLogicalVolumeConfig\nname: a\ntype: RAID10\nmirrors: 1\nstripes: 2\nprovisioning: {volumeGroup: g, minSize: 2GB, maxSize: 1GB}\n",
			[]string{"error provisioning.minSize"}},
	})
}

// An expression in a patch takes the place of the one in the config.
func TestBR08_SelectorInPatchReplacesSelector(t *testing.T) {
	const (
		base  = "apiVersion: v1alpha1\nkind: VolumeConfig\nname: EPHEMERAL\nprovisioning: {diskSelector: {match: 'disk.size > 100u * GiB'}, minSize: 5GB}\n"
		patch = "apiVersion: v1alpha1\nkind: VolumeConfig\nname: EPHEMERAL\nprovisioning: {diskSelector: {match: 'disk.size > 200u * GiB'}}\n"
	)

	once := applyPatch(t, base, patch)
	if !strings.Contains(once, "match: disk.size > 200u * GiB\n") || strings.Contains(once, "100u") || !strings.Contains(once, "minSize: 5GB\n") {
		t.Errorf("got\n%s", once)
	}

	if twice := applyPatch(t, once, patch); twice != once {
		t.Errorf("second application changes the config:\n%s", twice)
	}

	if _, err := config.Parse([]byte(once)); err != nil {
		t.Error(err)
	}
}
