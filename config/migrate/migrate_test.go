package migrate_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/ichor-os/ichor/config/decode"
	"github.com/ichor-os/ichor/config/diff"
	"github.com/ichor-os/ichor/config/document"
	"github.com/ichor-os/ichor/config/documents"
	"github.com/ichor-os/ichor/config/encode"
	"github.com/ichor-os/ichor/config/migrate"
	"github.com/ichor-os/ichor/config/validate"
)

func parse(text []byte) ([]document.Document, error) {
	parsed, err := decode.Decode(text, decode.Options{Lookup: documents.Lookup})
	if err != nil {
		return nil, err
	}

	var docs []document.Document
	for _, p := range parsed {
		docs = append(docs, p.Document)
	}

	return docs, nil
}

func encoded(t *testing.T, docs []document.Document) string {
	t.Helper()

	text, err := encode.Encode(docs...)
	if err != nil {
		t.Fatal(err)
	}

	return string(text)
}

func valid(t *testing.T, docs []document.Document) bool {
	t.Helper()

	parsed := make([]decode.Parsed, len(docs))
	for i, d := range docs {
		parsed[i].Document = d
	}

	return validate.Run(parsed, document.Metal, validate.Options{Now: time.Date(2027, 1, 1, 0, 0, 0, 0, time.UTC)}).Valid()
}

func TestTo_ThereAndBackLosesNothing(t *testing.T) {
	paths, err := filepath.Glob("../../test/vectors/decode/*/input.yaml")
	if err != nil || len(paths) == 0 {
		t.Fatalf("no vectors: %v", err)
	}

	for _, path := range paths {
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}

		docs, err := parse(data)
		if err != nil || !valid(t, docs) {
			continue
		}

		name := filepath.Base(filepath.Dir(path))

		for _, minor := range []int{10, 11, 12, 13, 14} {
			there := migrate.To(docs, minor)
			if len(there.Different) > 0 {
				t.Errorf("%s: to 1.%d: lost: %+v", name, minor, there.Different)
			}

			text := encoded(t, there.Documents)

			again, err := parse([]byte(text))
			if err != nil {
				t.Errorf("%s: to 1.%d: result does not decode: %v\n%s", name, minor, err, text)

				continue
			}

			if !valid(t, again) {
				t.Errorf("%s: to 1.%d: result is not valid:\n%s", name, minor, text)
			}

			// from the newest and the oldest form, every way leads to the same result
			if second := migrate.To(migrate.To(docs, 14).Documents, minor); len(there.Lost)+len(there.Kept)+len(second.Kept)+len(second.Lost) == 0 {
				if changes := diff.Documents(sorted(there.Documents), sorted(second.Documents)); len(changes) > 0 {
					t.Errorf("%s: to 1.%d by 1.14: %+v", name, minor, changes)
				}
			}
		}
	}
}

func sorted(docs []document.Document) []document.Document {
	docs = slices.Clone(docs)
	slices.SortFunc(docs, func(a, b document.Document) int { return strings.Compare(document.Title(a), document.Title(b)) })

	return docs
}

const old = `machine:
    type: worker
    network:
        hostname: rack4-n2
        nameservers:
            - 10.0.0.53
        searchDomains:
            - v.test
        kubespan:
            enabled: true
            mtu: 1400
        extraHostEntries:
            - ip: 10.0.0.77
              aliases:
                - cache
    time:
        servers:
            - time.v.test
    env:
        http_proxy: http://proxy.v.test
    registries:
        mirrors:
            docker.io:
                endpoints:
                    - https://m.v.test
                overridePath: true
        config:
            m.v.test:
                auth:
                    username: u
                    password: p
    systemDiskEncryption:
        ephemeral:
            provider: luks2
            keys:
                - slot: 0
                  nodeID: {}
`

func TestTo_MovesEveryOldKeyToItsDocument(t *testing.T) {
	docs, err := parse([]byte(old))
	if err != nil {
		t.Fatal(err)
	}

	before := encoded(t, docs)
	r := migrate.To(docs, 13)

	if after := encoded(t, docs); after != before {
		t.Error("the documents given were changed")
	}

	var titles []string
	for _, d := range r.Documents {
		titles = append(titles, document.Title(d))
	}

	want := []string{
		"v1alpha1.Config", "HostnameConfig", "ResolverConfig", "StaticHostConfig/10.0.0.77", "TimeSyncConfig", "KubeSpanConfig",
		"RegistryMirrorConfig/docker.io", "RegistryAuthConfig/m.v.test", "EnvironmentConfig", "VolumeConfig/EPHEMERAL",
	}
	if d := cmp.Diff(want, titles); d != "" {
		t.Errorf("documents (-want +got):\n%s", d)
	}

	if text := encoded(t, r.Documents[:1]); text != "version: \"\"\nmachine:\n    type: worker\n    token: \"\"\n    certSANs: []\ncluster: null\n" {
		t.Errorf("something is left in the main document:\n%s", text)
	}

	back := migrate.To(r.Documents, 10)
	if d := cmp.Diff(before, encoded(t, back.Documents)); d != "" {
		t.Errorf("way back (-want +got):\n%s", d)
	}
}

func TestTo_SaysWhatHasNoOlderForm(t *testing.T) {
	docs, err := parse([]byte("machine: {type: worker}\n---\napiVersion: v1alpha1\nkind: RegistryMirrorConfig\nname: a\nendpoints: [{url: http://a.test, overridePath: true}, {url: http://b.test}]\n---\napiVersion: v1alpha1\nkind: HostnameConfig\nauto: off\n"))
	if err != nil {
		t.Fatal(err)
	}

	r := migrate.To(docs, 10)
	if len(r.Lost) != 2 || len(r.Documents) != 3 {
		t.Errorf("got %+v", r)
	}
}

func TestParseVersion(t *testing.T) {
	for text, want := range map[string]int{"1.13": 13, "v1.12": 12, "v1.10.3": 10} {
		if got, err := migrate.ParseVersion(text); err != nil || got != want {
			t.Errorf("%s: got %d, %v", text, got, err)
		}
	}

	for _, text := range []string{"", "latest", "2.0", "1", "1.x"} {
		if _, err := migrate.ParseVersion(text); err == nil {
			t.Errorf("%q: got no error", text)
		}
	}
}

const links = `machine:
    type: controlplane
    network:
        interfaces:
            - interface: eth0
              addresses:
                - 10.1.2.3/24
                - 2001:db8::3/64
              routes:
                - network: 0.0.0.0/0
                  gateway: 10.1.2.1
                  metric: 100
                - network: 10.9.0.0/16
                  gateway: 10.1.2.9
              vlans:
                - routes: []
                  dhcp: true
                  vlanId: 40
                  mtu: 1390
              mtu: 9000
              vip:
                ip: 10.1.2.100
            - interface: eth1
              dhcp: true
              dhcpOptions:
                routeMetric: 2000
                ipv6: true
                duidv6: "00010002"
            - interface: bond0
              bond:
                interfaces:
                    - eth2
                    - eth3
                mode: 802.3ad
                lacpRate: fast
                miimon: 100
                updelay: 200
              dhcp: true
            - interface: br0
              addresses:
                - 10.3.0.1/24
              bridge:
                interfaces:
                    - eth4
                stp:
                    enabled: true
            - interface: dummy0
              addresses:
                - 10.4.0.1/32
              dummy: true
            - interface: wg0
              addresses:
                - 10.5.0.1/24
              wireguard:
                privateKey: AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=
                listenPort: 51820
                peers:
                    - publicKey: AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=
                      endpoint: 10.9.9.9:51820
                      persistentKeepaliveInterval: 10s
                      allowedIPs:
                        - 10.6.0.0/16
`

func TestTo_MovesLinksThereAndBack(t *testing.T) {
	docs, err := parse([]byte(links))
	if err != nil {
		t.Fatal(err)
	}

	before := encoded(t, docs)
	r := migrate.To(docs, 13)

	var titles []string
	for _, d := range r.Documents {
		titles = append(titles, document.Title(d))
	}

	want := []string{
		"v1alpha1.Config", "LinkConfig/eth0", "Layer2VIPConfig/10.1.2.100", "VLANConfig/eth0.40", "DHCPv4Config/eth0.40",
		"DHCPv4Config/eth1", "DHCPv6Config/eth1", "BondConfig/bond0", "DHCPv4Config/bond0", "BridgeConfig/br0", "DummyLinkConfig/dummy0", "WireguardConfig/wg0",
	}
	if d := cmp.Diff(want, titles); d != "" {
		t.Errorf("documents (-want +got):\n%s", d)
	}

	back := migrate.To(r.Documents, 10)
	if len(back.Lost) > 0 || len(back.Different) > 0 {
		t.Errorf("lost: %+v, %+v", back.Lost, back.Different)
	}

	if d := cmp.Diff(before, encoded(t, back.Documents)); d != "" {
		t.Errorf("way back (-want +got):\n%s", d)
	}
}

func TestTo_KeepsLinksThatHaveNoNewerForm(t *testing.T) {
	for name, text := range map[string]string{
		"selector":         "{deviceSelector: {driver: a}, dhcp: true}",
		"ignored":          "{interface: a, ignore: true}",
		"no length":        "{interface: a, addresses: [10.0.0.1]}",
		"bond by hardware": "{interface: a, bond: {mode: active-backup, interfaces: [], deviceSelectors: [{driver: a}]}}",
		"peer by name":     "{interface: a, wireguard: {peers: [{endpoint: 'h.test:1'}]}}",
		"Equinix":          "{interface: a, vip: {ip: 10.0.0.1, equinixMetal: {apiToken: t}}}",
	} {
		docs, err := parse([]byte("machine: {network: {interfaces: [" + text + "]}}"))
		if err != nil {
			t.Fatal(err)
		}

		r := migrate.To(docs, 13)
		if len(r.Kept) != 1 || len(r.Documents) != 1 || encoded(t, r.Documents) != encoded(t, docs) {
			t.Errorf("%s: got %+v\n%s", name, r, encoded(t, r.Documents))
		}
	}
}

func TestTo_KeepsADocumentWithANewerSetting(t *testing.T) {
	docs, err := parse([]byte("machine: {type: worker}\n---\napiVersion: v1alpha1\nkind: LinkConfig\nname: a\nup: true\n---\napiVersion: v1alpha1\nkind: DHCPv4Config\nname: a\nignoreHostname: true\n---\napiVersion: v1alpha1\nkind: VolumeConfig\nname: EPHEMERAL\nencryption: {provider: luks2, keys: [{slot: 0, nodeID: {}, lockToState: true}]}\n"))
	if err != nil {
		t.Fatal(err)
	}

	r := migrate.To(docs, 10)
	if len(r.Lost) != 3 || len(r.Documents) != 4 || len(r.Different) > 0 {
		t.Errorf("got %+v", r)
	}
}
