package documents_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ichor-os/ichor/config"
)

func applyPatch(t *testing.T, base, patch string) string {
	t.Helper()

	p, err := config.ParsePatch([]byte(patch), "patch")
	if err != nil {
		t.Fatal(err)
	}

	out, err := config.PatchText([]byte(base), "base", p)
	if err != nil {
		t.Fatal(err)
	}

	return string(out)
}

const header = "apiVersion: v1alpha1\n"

func TestMerge_OfDocuments(t *testing.T) {
	for _, tc := range []struct{ name, base, patch, want string }{
		{
			"ports and ingress are replaced",
			"kind: NetworkRuleConfig\nname: r\nportSelector: {ports: [22], protocol: tcp}\ningress: [{subnet: 10.0.0.0/8}]\n",
			"kind: NetworkRuleConfig\nname: r\nportSelector: {ports: [22, 2222]}\ningress: [{subnet: 11.0.0.0/8}]\n",
			"kind: NetworkRuleConfig\nname: r\nportSelector:\n    ports:\n        - 22\n        - 2222\n    protocol: tcp\ningress:\n    - subnet: 11.0.0.0/8\n",
		},
		{
			"the default action can be set back",
			"kind: NetworkDefaultActionConfig\ningress: block\n",
			"kind: NetworkDefaultActionConfig\ningress: accept\n",
			"kind: NetworkDefaultActionConfig\ningress: accept\n",
		},
		{
			"an absent default action changes nothing",
			"kind: NetworkDefaultActionConfig\ningress: block\n",
			"kind: NetworkDefaultActionConfig\n",
			"kind: NetworkDefaultActionConfig\ningress: block\n",
		},
		{
			"optional values are replaced by their first word, false and 0",
			"kind: BondConfig\nname: b\nlinks: [a]\nbondMode: 802.3ad\nmiimon: 100\nuseCarrier: true\n",
			"kind: BondConfig\nname: b\nbondMode: balance-rr\nmiimon: 0\nuseCarrier: false\n",
			"kind: BondConfig\nname: b\nlinks:\n    - a\nbondMode: balance-rr\nmiimon: 0\nuseCarrier: false\n",
		},
		{
			"plain numbers are not replaced by 0",
			"kind: DHCPv4Config\nname: a\nrouteMetric: 10\n",
			"kind: DHCPv4Config\nname: a\nrouteMetric: 0\n",
			"kind: DHCPv4Config\nname: a\nrouteMetric: 10\n",
		},
		{
			"wake-up events append without doubles",
			"kind: EthernetConfig\nname: e\nfeatures: {a: true, b: true}\nwakeOnLan: [magic]\n",
			"kind: EthernetConfig\nname: e\nfeatures: {b: false, c: true}\nwakeOnLan: [magic, phy]\n",
			"kind: EthernetConfig\nname: e\nfeatures:\n    a: true\n    b: false\n    c: true\nwakeOnLan:\n    - magic\n    - phy\n",
		},
		{
			"null in a map of switches changes nothing",
			"kind: EthernetConfig\nname: e\nfeatures: {a: true}\n",
			"kind: EthernetConfig\nname: e\nfeatures: {a: null, b: null}\n",
			"kind: EthernetConfig\nname: e\nfeatures:\n    a: true\n    b: false\n",
		},
		{
			"a table over a table replaces it",
			"kind: RoutingRuleConfig\nname: 7\nsrc: 10.0.0.0/8\ntable: 7\n",
			"kind: RoutingRuleConfig\nname: 7\ntable: main\n",
			"kind: RoutingRuleConfig\nname: \"7\"\nsrc: 10.0.0.0/8\ntable: main\n",
		},
		{
			"bytes win over a share, and a share over bytes",
			"kind: RawVolumeConfig\nname: d\nprovisioning: {minSize: 1GB, maxSize: 50%}\n---\napiVersion: v1alpha1\nkind: RawVolumeConfig\nname: e\nprovisioning: {maxSize: 5GB}\n",
			"kind: RawVolumeConfig\nname: d\nprovisioning: {maxSize: 7GB}\n---\napiVersion: v1alpha1\nkind: RawVolumeConfig\nname: e\nprovisioning: {maxSize: 6%}\n",
			"kind: RawVolumeConfig\nname: d\nprovisioning:\n    minSize: 1GB\n    maxSize: 7GB\n---\napiVersion: v1alpha1\nkind: RawVolumeConfig\nname: e\nprovisioning:\n    maxSize: 6%\n",
		},
		{
			"image rules are replaced whole",
			"kind: ImageVerificationConfig\nrules: [{image: b/*, keyless: {issuer: i, subject: s}}]\n",
			"kind: ImageVerificationConfig\nrules: [{image: b/*, deny: true}, {image: c/*, skip: true}]\n",
			"kind: ImageVerificationConfig\nrules:\n    - image: b/*\n      deny: true\n    - image: c/*\n      skip: true\n",
		},
		{
			"extension files merge by path",
			"kind: ExtensionServiceConfig\nname: e\nconfigFiles: [{mountPath: /a, content: one}]\n",
			"kind: ExtensionServiceConfig\nname: e\nconfigFiles: [{mountPath: /a, content: two}, {mountPath: /b, content: three}]\n",
			"kind: ExtensionServiceConfig\nname: e\nconfigFiles:\n    - content: two\n      mountPath: /a\n    - content: three\n      mountPath: /b\n",
		},
		{
			"a key pair merges field by field",
			"kind: RegistryTLSConfig\nname: a\nclientIdentity: {cert: x, key: w}\n",
			"kind: RegistryTLSConfig\nname: a\nclientIdentity: {cert: z}\n",
			"kind: RegistryTLSConfig\nname: a\nclientIdentity:\n    cert: z\n    key: w\n",
		},
		{
			"words of a list append without doubles",
			"kind: ContainerConfig\nname: c\ndependsOn: {networks: addresses}\n",
			"kind: ContainerConfig\nname: c\ndependsOn: {networks: [ADDRESSES, hostname]}\n",
			"kind: ContainerConfig\nname: c\ndependsOn:\n    networks:\n        - addresses\n        - hostname\n",
		},
		{
			"networks of pods are replaced",
			"kind: KubeNetworkConfig\npodSubnets: [10.0.0.0/16]\nserviceSubnets: [10.1.0.0/16]\n",
			"kind: KubeNetworkConfig\npodSubnets: [10.2.0.0/16]\n",
			"kind: KubeNetworkConfig\npodSubnets:\n    - 10.2.0.0/16\nserviceSubnets:\n    - 10.1.0.0/16\n",
		},
	} {
		t.Run(tc.name, func(t *testing.T) {
			once := applyPatch(t, header+tc.base, header+tc.patch)
			if diff := cmp.Diff(header+tc.want, once); diff != "" {
				t.Errorf("result (-want +got):\n%s", diff)
			}

			if diff := cmp.Diff(once, applyPatch(t, once, header+tc.patch)); diff != "" {
				t.Errorf("second application changes the config:\n%s", diff)
			}
		})
	}
}

func TestMerge_OfEachExampleWithItselfChangesNothing(t *testing.T) {
	for _, k := range others() {
		canonical := string(reencode(t, []byte(k.Example)))
		if diff := cmp.Diff(canonical, applyPatch(t, canonical, k.Example)); diff != "" {
			t.Errorf("%s: %s", k, diff)
		}
	}
}

func TestDelete_OfOneFieldOfADocument(t *testing.T) {
	got := applyPatch(t, header+"kind: LinkConfig\nname: a\nup: true\nmtu: 9000\naddresses: [{address: 10.0.0.1/8}, {address: 10.0.0.2/8}]\n",
		header+"kind: LinkConfig\nname: a\nmtu: {$patch: delete}\naddresses:\n  - address: 10.0.0.1/8\n    $patch: delete\n")

	want := header + "kind: LinkConfig\nname: a\nup: true\naddresses:\n    - address: 10.0.0.2/8\n"
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("result (-want +got):\n%s", diff)
	}
}

func TestRedaction_LeavesNoSecretOfAnExample(t *testing.T) {
	for kind, secret := range map[string]string{
		"WireguardConfig": wgKey, "RegistryAuthConfig": "example-password", "HCloudVIPConfig": "example-token",
		"SideroLinkConfig": "jointoken=example", "DiscoveryIdentityConfig": "MTIzNDU2Nzg5MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTI=",
		"KubeServiceAccountConfig": "ZXhhbXBsZQ==",
	} {
		for _, k := range others() {
			if k.Kind != kind {
				continue
			}

			if !strings.Contains(k.Example, secret) {
				t.Fatalf("%s: example has no %q", kind, secret)
			}

			if text := redacted(t, k.Example); strings.Contains(text, secret) {
				t.Errorf("%s: secret is shown:\n%s", kind, text)
			}
		}
	}
}

func redacted(t *testing.T, text string) string {
	t.Helper()

	c, err := config.Parse([]byte(text))
	if err != nil {
		t.Fatal(err)
	}

	out, err := c.Redact()
	if err != nil {
		t.Fatal(err)
	}

	return string(out)
}
