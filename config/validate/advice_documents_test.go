package validate_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ichor-os/ichor/config/validate"
)

// together gives the advice about documents beyond "not in force yet", as
// "TITLE PATH".
func together(t *testing.T, text string) []string {
	t.Helper()

	r := report(t, text, validate.Options{})
	if err := r.Err(); err != nil {
		t.Fatal(err)
	}

	var got []string

	for _, f := range r.Advice {
		if !strings.Contains(f.Message, "not in force") && f.Document != "v1alpha1.Config" {
			got = append(got, strings.TrimSuffix(f.Document+" "+f.Path, " "))
		}
	}

	return got
}

// document is the text of a document after its apiVersion.
func documentsOf(texts ...string) string {
	return "apiVersion: v1alpha1\n" + strings.Join(texts, "\n---\napiVersion: v1alpha1\n") + "\n"
}

func TestRun_AdviceAboutDocumentsTogether(t *testing.T) {
	for _, tc := range []struct {
		name, text string
		want       []string
	}{
		{"nothing wrong", documentsOf(
			"kind: BondConfig\nname: bond0\nlinks: [eth0, eth1]\nbondMode: active-backup\nmtu: 9000",
			"kind: VLANConfig\nname: bond0.5\nparent: bond0\nvlanID: 5\nmtu: 9000\naddresses: [{address: 192.0.2.1/24}]",
			"kind: DHCPv4Config\nname: bond0",
			"kind: LinkConfig\nname: eth0\nup: true"), nil},
		{"link in two bonds", documentsOf(
			"kind: BondConfig\nname: a\nlinks: [eth0]\nbondMode: active-backup",
			"kind: BridgeConfig\nname: b\nlinks: [eth0]"), []string{"BridgeConfig/b links"}},
		{"member with address and lease", documentsOf(
			"kind: BondConfig\nname: a\nlinks: [eth0]\nbondMode: active-backup",
			"kind: LinkConfig\nname: eth0\naddresses: [{address: 192.0.2.1/24}]",
			"kind: DHCPv6Config\nname: eth0"), []string{"LinkConfig/eth0 addresses", "DHCPv6Config/eth0 name"}},
		{"VRF members keep their addresses", documentsOf(
			"kind: VRFConfig\nname: a\nlinks: [eth0]\ntable: 7",
			"kind: LinkConfig\nname: eth0\naddresses: [{address: 192.0.2.1/24}]"), nil},
		{"VLAN twice and too large", documentsOf(
			"kind: LinkConfig\nname: eth0\nmtu: 1500",
			"kind: VLANConfig\nname: a\nparent: eth0\nvlanID: 5",
			"kind: VLANConfig\nname: b\nparent: eth0\nvlanID: 5\nmtu: 9000"), []string{"VLANConfig/b vlanID", "VLANConfig/b mtu"}},
		{"address twice", documentsOf(
			"kind: LinkConfig\nname: eth0\naddresses: [{address: 192.0.2.1/24}]",
			"kind: DummyLinkConfig\nname: d\naddresses: [{address: 192.0.2.1/32}]"), []string{"DummyLinkConfig/d addresses[0].address"}},
		{"two default routes", documentsOf(
			"kind: LinkConfig\nname: eth0\nroutes: [{gateway: 192.0.2.1}]",
			"kind: LinkConfig\nname: eth1\nroutes: [{gateway: 198.51.100.1}, {gateway: 'fe80::1'}]"), []string{"LinkConfig/eth1 routes[0].metric"}},
		{"default routes of different priority", documentsOf(
			"kind: LinkConfig\nname: eth0\nroutes: [{gateway: 192.0.2.1}]",
			"kind: LinkConfig\nname: eth1\nroutes: [{gateway: 198.51.100.1, metric: 2000}]"), nil},
		{"firewall shuts the API out", documentsOf(
			"kind: NetworkDefaultActionConfig\ningress: block",
			"kind: NetworkRuleConfig\nname: a\nportSelector: {ports: [22], protocol: tcp}\ningress: [{subnet: 0.0.0.0/0}]"), []string{"NetworkDefaultActionConfig ingress"}},
		{"firewall lets the API in", documentsOf(
			"kind: NetworkDefaultActionConfig\ningress: block",
			"kind: NetworkRuleConfig\nname: a\nportSelector: {ports: [50000-50001], protocol: tcp}\ningress: [{subnet: 0.0.0.0/0}]"), nil},
		{"key locked to an open volume", documentsOf(
			"kind: VolumeConfig\nname: EPHEMERAL\nencryption: {provider: luks2, keys: [{slot: 0, tpm: {}, lockToState: true}]}"),
			[]string{"VolumeConfig/EPHEMERAL encryption.keys[0].lockToState"}},
		{"key locked to a sealed volume", documentsOf(
			"kind: VolumeConfig\nname: EPHEMERAL\nencryption: {provider: luks2, keys: [{slot: 0, tpm: {}, lockToState: true}]}",
			"kind: VolumeConfig\nname: STATE\nencryption: {provider: luks2, keys: [{slot: 0, tpm: {}}]}"), nil},
		{"kind of a later version", documentsOf("kind: KubePrismConfig\nport: 7445"), []string{"KubePrismConfig kind"}},
		{"VIP that is an own address", documentsOf(
			"kind: Layer2VIPConfig\nname: 192.0.2.1\nlink: eth0",
			"kind: LinkConfig\nname: eth0\naddresses: [{address: 192.0.2.1/24}]"), nil},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, together(t, tc.text)); diff != "" {
				t.Errorf("advice (-want +got):\n%s", diff)
			}
		})
	}
}

func TestRun_AdviceAboutDocumentsBesideTheMainOne(t *testing.T) {
	controlPlane := file(t, "gen/c-default/expected/controlplane.yaml")
	worker := file(t, "gen/c-default/expected/worker.yaml")

	for _, tc := range []struct {
		name, main, text string
		want             []string
	}{
		{"VIP on a control plane", controlPlane, documentsOf("kind: Layer2VIPConfig\nname: 192.0.2.1\nlink: eth0"), nil},
		{"VIP on a worker", worker, documentsOf("kind: Layer2VIPConfig\nname: 192.0.2.1\nlink: eth0"), []string{"Layer2VIPConfig/192.0.2.1"}},
		{"VIP that is an own address", controlPlane, documentsOf(
			"kind: Layer2VIPConfig\nname: 192.0.2.1\nlink: eth0",
			"kind: LinkConfig\nname: eth0\naddresses: [{address: 192.0.2.1/24}]"), []string{"Layer2VIPConfig/192.0.2.1 name"}},
		{"address in the pod network", controlPlane, documentsOf("kind: LinkConfig\nname: eth0\naddresses: [{address: 10.244.3.1/24}]"),
			[]string{"LinkConfig/eth0 addresses[0].address"}},
		{"mesh with discovery", controlPlane, documentsOf("kind: KubeSpanConfig\nenabled: true"), nil},
		{"mesh without discovery", strings.Replace(controlPlane, "discovery:\n        enabled: true", "discovery:\n        enabled: false", 1),
			documentsOf("kind: KubeSpanConfig\nenabled: true"), []string{"KubeSpanConfig enabled"}},
		{"kubelet in both", worker, documentsOf("kind: KubeletConfig\nimage: registry.test/kubelet:v1.36.3"),
			[]string{"KubeletConfig kind", "KubeletConfig"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, together(t, tc.main+"\n---\n"+tc.text)); diff != "" {
				t.Errorf("advice (-want +got):\n%s", diff)
			}
		})
	}
}
