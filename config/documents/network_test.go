package documents_test

import (
	"strings"
	"testing"

	"github.com/ichor-os/ichor/config"
	"github.com/ichor-os/ichor/config/documents/network"
)

const wgKey = "GOwBfqWMO6wQCnaqpGBKOCCJWUYG3hcmp9wM1bMfa1I="

func TestLinks_Validate(t *testing.T) {
	checkRules(t, []ruleCase{
		{"plain", "kind: LinkConfig\nname: eth0\n", nil},
		{"no name", "kind: LinkConfig\n", []string{"error name"}},
		{"null name", "kind: LinkConfig\nname:\n", []string{"error name"}},
		{"address missing", "kind: LinkConfig\nname: a\naddresses: [{}]\n", []string{"error addresses[0].address"}},
		{"address unspecified", "kind: LinkConfig\nname: a\naddresses: [{address: 0.0.0.0/0}, {address: '::/64'}]\n",
			[]string{"error addresses[0].address", "error addresses[1].address"}},
		{"empty route", "kind: LinkConfig\nname: a\nroutes: [{}]\n", nil},
		{"default destination", "kind: LinkConfig\nname: a\nroutes: [{destination: 0.0.0.0/0}, {destination: '::/0'}]\n",
			[]string{"error routes[0].destination", "error routes[1].destination"}},
		{"unspecified gateway and source", "kind: LinkConfig\nname: a\nroutes: [{gateway: '::', source: 0.0.0.0}]\n",
			[]string{"error routes[0].gateway", "error routes[0].source", "advice routes[0].source"}},
		{"families are only advised", "kind: LinkConfig\nname: a\nroutes: [{destination: 10.0.0.0/8, gateway: 'fe80::1'}]\n",
			[]string{"advice routes[0].gateway"}},
		{"host bits are only advised", "kind: LinkConfig\nname: a\nroutes: [{destination: 10.0.0.1/8}]\n",
			[]string{"advice routes[0].destination"}},
		{"long name of a link that is there", "kind: LinkConfig\nname: averyveryverylonglinkname\n", nil},
		{"long name of a new link", "kind: DummyLinkConfig\nname: averyveryverylonglinkname\n", []string{"advice name"}},
		{"tiny MTU", "kind: LinkConfig\nname: a\nmtu: 60\n", []string{"advice mtu"}},
		{"small MTU with IPv6", "kind: LinkConfig\nname: a\nmtu: 1200\naddresses: [{address: 'fd00::1/64'}]\n", []string{"advice mtu"}},
		{"huge MTU", "kind: LinkConfig\nname: a\nmtu: 4294967295\n", []string{"advice mtu"}},
		{"address twice", "kind: LinkConfig\nname: a\naddresses: [{address: 10.0.0.1/8}, {address: 10.0.0.1/24}]\n",
			[]string{"advice addresses[1].address"}},
		{"bridge without links", "kind: BridgeConfig\nname: b\n", nil},
		{"bridge in itself", "kind: BridgeConfig\nname: b\nlinks: [b, a, a]\n", []string{"advice links", "advice links"}},
		{"VLAN 0", "kind: VLANConfig\nname: v\nparent: a\n", []string{"error vlanID"}},
		{"VLAN 1 and 4094", "kind: VLANConfig\nname: v\nparent: a\nvlanID: 1\nvlanMode: 802.1AD\n", nil},
		{"VLAN 4095 without parent", "kind: VLANConfig\nname: v\nvlanID: 4095\n", []string{"error vlanID", "error parent"}},
		{"VRF default", "kind: VRFConfig\nname: v\ntable: default\n", []string{"error table"}},
		{"VRF local", "kind: VRFConfig\nname: v\ntable: local\n", []string{"error table"}},
		{"VRF unspec", "kind: VRFConfig\nname: v\ntable: unspec\n", []string{"error table"}},
		{"VRF 1", "kind: VRFConfig\nname: v\ntable: 1\n", nil},
		{"veth", "kind: VethConfig\nname: v\n", []string{"error peer.name"}},
		{"veth with itself", "kind: VethConfig\nname: v\npeer: {name: v}\n", []string{"error peer.name"}},
		{"veth with a bad peer", "kind: VethConfig\nname: v\npeer: {name: w, addresses: [{}]}\n", []string{"error peer.addresses[0].address"}},
	})
}

func TestBondConfig_Validate(t *testing.T) {
	checkRules(t, []ruleCase{
		{"nothing", "kind: BondConfig\n", []string{"error name", "error links", "error bondMode"}},
		{"LACP without timings", "kind: BondConfig\nname: b\nlinks: [a]\nbondMode: 802.3AD\n",
			[]string{"warning miimon", "warning updelay", "warning downdelay"}},
		{"LACP with zeros", "kind: BondConfig\nname: b\nlinks: [a]\nbondMode: 802.3ad\nmiimon: 0\nupdelay: 0\ndowndelay: 0\n", nil},
		{"delay that is no multiple", "kind: BondConfig\nname: b\nlinks: [a]\nbondMode: active-backup\nmiimon: 100\nupdelay: 150\n",
			[]string{"advice updelay"}},
		{"delay without miimon", "kind: BondConfig\nname: b\nlinks: [a]\nbondMode: active-backup\ndowndelay: 100\n",
			[]string{"advice downdelay"}},
		{"both checks", "kind: BondConfig\nname: b\nlinks: [a]\nbondMode: balance-tlb\nmiimon: 100\narpInterval: 100\n",
			[]string{"advice arpInterval", "advice arpInterval"}},
		{"LACP keys elsewhere", "kind: BondConfig\nname: b\nlinks: [a]\nbondMode: balance-xor\nlacpRate: fast\npacketsPerSlave: 2\n",
			[]string{"advice bondMode", "advice packetsPerSlave"}},
	})

	refused(t, map[string]string{
		"number as mode":         "kind: BondConfig\nname: b\nbondMode: 4\n",
		"empty mode":             "kind: BondConfig\nname: b\nbondMode: ''\n",
		"failOverMac in capital": "kind: BondConfig\nname: b\nfailOverMac: Active\n",
		"failOverMac 3":          "kind: BondConfig\nname: b\nfailOverMac: 3\n",
		"256 in 8 bits":          "kind: BondConfig\nname: b\nnumPeerNotif: 256\n",
		"bool for LACP":          "kind: BondConfig\nname: b\nadLACPActive: true\n",
	})
}

func TestBondConfig_ReadsFailOverMACByNumber(t *testing.T) {
	for value, want := range map[string]string{"0": "none", "1": "active", "'2'": "follow", "follow": "follow"} {
		c := parse(t, "kind: BondConfig\nname: b\nfailOverMac: "+value+"\n")

		out, err := c.Encode()
		if err != nil || !strings.Contains(string(out), "failOverMac: "+want+"\n") {
			t.Errorf("%s: written as %s, %v; want %s", value, out, err, want)
		}
	}
}

// The kernel's default is that LACP is active; an absent key must not switch it off.
func TestBR28_LACPIsActiveUnlessSwitchedOff(t *testing.T) {
	for key, want := range map[string]bool{"": true, "adLACPActive: on\n": true, "adLACPActive: off\n": false, "adLACPActive: 'OFF'\n": false} {
		c := parse(t, "kind: BondConfig\nname: b\nlinks: [a]\nbondMode: 802.3ad\n"+key)

		bond, ok := c.Documents()[0].(*network.BondConfig)
		if !ok || bond.LACPActive() != want {
			t.Errorf("%q: active is %v, want %v", key, bond.LACPActive(), want)
		}

		out, err := c.Encode()
		if err != nil || strings.Contains(string(out), "adLACPActive") != (key != "") {
			t.Errorf("%q: written as %s, %v", key, out, err)
		}
	}
}

func TestWireguardConfig_Validate(t *testing.T) {
	checkRules(t, []ruleCase{
		{"nothing", "kind: WireguardConfig\nname: w\n", []string{"error privateKey"}},
		{"short key", "kind: WireguardConfig\nname: w\nprivateKey: AAAA\n", []string{"error privateKey"}},
		{"negative port", "kind: WireguardConfig\nname: w\nlistenPort: -1\nprivateKey: " + wgKey + "\n", []string{"error listenPort"}},
		{"port 65535", "kind: WireguardConfig\nname: w\nlistenPort: 65535\nprivateKey: " + wgKey + "\n", nil},
		{"peer without key", "kind: WireguardConfig\nname: w\nprivateKey: " + wgKey + "\npeers: [{persistentKeepaliveInterval: -1s}]\n",
			[]string{"error peers[0].publicKey", "error peers[0].persistentKeepaliveInterval"}},
		{"same peer twice", "kind: WireguardConfig\nname: w\nprivateKey: " + wgKey + "\npeers: [{publicKey: " + wgKey + ", allowedIPs: [10.0.0.0/8]}, {publicKey: " + wgKey + ", allowedIPs: [10.0.0.1/8]}]\n",
			[]string{"advice peers[1].publicKey", "advice peers[1].allowedIPs"}},
	})

	refused(t, map[string]string{
		"host name as endpoint": "kind: WireguardConfig\nname: w\npeers: [{endpoint: 'vpn.test:1'}]\n",
		"address as network":    "kind: WireguardConfig\nname: w\npeers: [{allowedIPs: [10.0.0.1]}]\n",
	})
}

func TestDHCP_Validate(t *testing.T) {
	for _, kind := range []string{"DHCPv4Config", "DHCPv6Config"} {
		checkRules(t, []ruleCase{
			{kind + " plain", "kind: " + kind + "\nname: a\n", nil},
			{kind + " raw without identifier", "kind: " + kind + "\nname: a\nduidRaw: '0001'\n", []string{"error duidRaw"}},
			{kind + " raw with mac", "kind: " + kind + "\nname: a\nclientIdentifier: mac\nduidRaw: '0001'\n", []string{"error duidRaw"}},
			{kind + " identifier without raw", "kind: " + kind + "\nname: a\nclientIdentifier: DUID\n", []string{"error duidRaw"}},
			{kind + " both", "kind: " + kind + "\nname: a\nclientIdentifier: duid\nduidRaw: '0001'\n", nil},
		})
	}
}

func TestHostnameConfig_Validate(t *testing.T) {
	label := strings.Repeat("a", 63)

	checkRules(t, []ruleCase{
		{"auto stable", "kind: HostnameConfig\nauto: stable\n", nil},
		{"both", "kind: HostnameConfig\nauto: stable\nhostname: a\n", []string{"error hostname"}},
		{"off with name", "kind: HostnameConfig\nauto: off\nhostname: a\n", nil},
		{"address", "kind: HostnameConfig\nauto: talos-addr\n", []string{"error auto"}},
		{"63", "kind: HostnameConfig\nhostname: " + label + ".test\n", nil},
		{"64", "kind: HostnameConfig\nhostname: a" + label + "\n", []string{"error hostname"}},
		{"253", "kind: HostnameConfig\nhostname: " + strings.Repeat(label+".", 3) + label[:61] + "\n", nil},
		{"254", "kind: HostnameConfig\nhostname: " + strings.Repeat(label+".", 3) + label[:62] + "\n", []string{"error hostname"}},
		{"characters", "kind: HostnameConfig\nhostname: -x_ y\n", []string{"advice hostname"}},
	})

	refused(t, map[string]string{
		"auto false": "kind: HostnameConfig\nauto: false\n",
		"auto no":    "kind: HostnameConfig\nauto: no\n",
		"auto empty": "kind: HostnameConfig\nauto: ''\n",
	})
}

// auto: off alone means: wait for DHCP or the platform. An empty document says nothing.
func TestBR15_HostnameAutoOffAloneIsValid(t *testing.T) {
	checkRules(t, []ruleCase{
		{"bare", "kind: HostnameConfig\nauto: off\n", nil},
		{"quoted", "kind: HostnameConfig\nauto: \"off\"\n", nil},
		{"capital", "kind: HostnameConfig\nauto: OFF\n", nil},
		{"empty document", "kind: HostnameConfig\n", []string{"error"}},
	})
}

func TestVIPs_Validate(t *testing.T) {
	checkRules(t, []ruleCase{
		{"layer 2", "kind: Layer2VIPConfig\nname: 'fd00::1'\nlink: a\n", nil},
		{"layer 2 host name", "kind: Layer2VIPConfig\nname: vip\n", []string{"error name", "error link"}},
		{"hcloud", "kind: HCloudVIPConfig\nname: 10.0.0.1\n", []string{"error link", "error apiToken"}},
		{"hcloud prefix", "kind: HCloudVIPConfig\nname: 10.0.0.1/32\nlink: a\napiToken: t\n", []string{"error name"}},
	})
}

func TestLinkAliasConfig_Validate(t *testing.T) {
	const good = "\nselector: {match: 'link.mtu > 0u'}\n"

	checkRules(t, []ruleCase{
		{"plain", "kind: LinkAliasConfig\nname: lan" + good, nil},
		{"pattern", "kind: LinkAliasConfig\nname: lan%d" + good, nil},
		{"pattern alone", "kind: LinkAliasConfig\nname: '%d'" + good, []string{"error name"}},
		{"pattern inside", "kind: LinkAliasConfig\nname: a%db" + good, []string{"error name"}},
		{"other verb", "kind: LinkAliasConfig\nname: a%s" + good, []string{"error name"}},
		{"lone percent", "kind: LinkAliasConfig\nname: a%" + good, []string{"error name"}},
		{"no selector", "kind: LinkAliasConfig\nname: a\nselector: {}\n", []string{"error selector.match"}},
		{"number", "kind: LinkAliasConfig\nname: a\nselector: {match: link.mtu}\n", []string{"error selector.match"}},
		{"broken", "kind: LinkAliasConfig\nname: a\nselector: {match: 'link.mtu >'}\n", []string{"error selector.match"}},
	})
}

// Hardware addresses are compared as lower-case text.
func TestS10_UpperCaseHardwareAddressInSelectorIsNamed(t *testing.T) {
	checkRules(t, []ruleCase{
		{"upper", "kind: LinkAliasConfig\nname: a\nselector: {match: 'mac(link.permanent_addr) == \"02:00:5E:10:00:07\"'}\n", []string{"advice selector.match"}},
		{"upper start", "kind: LinkAliasConfig\nname: a\nselector: {match: 'mac(link.hardware_addr).startsWith(\"AA:\")'}\n", []string{"advice selector.match"}},
		{"lower", "kind: LinkAliasConfig\nname: a\nselector: {match: 'mac(link.permanent_addr) == \"02:00:5e:10:00:07\" && link.driver == \"E1000\"'}\n", nil},
	})
}

func TestNetworkRuleConfig_Validate(t *testing.T) {
	rule := func(ports, ingress string) string {
		return "kind: NetworkRuleConfig\nname: r\nportSelector: {ports: [" + ports + "], protocol: tcp}\ningress: [" + ingress + "]\n"
	}

	checkRules(t, []ruleCase{
		{"adjacent", rule("1-5, 6, 7-9", ""), nil},
		{"overlap", rule("1-5, 5-9", ""), []string{"error portSelector.ports[1]"}},
		{"same twice", rule("5, 5", ""), []string{"error portSelector.ports[1]"}},
		{"backwards", rule("9-5", ""), []string{"error portSelector.ports[0]"}},
		{"first fault only", rule("", "{}"), []string{"error portSelector.ports"}},
		{"no subnet", rule("1", "{except: 10.0.0.0/8}"), []string{"error ingress[0].subnet"}},
		{"except outside", rule("1", "{subnet: 10.0.0.0/8, except: 11.0.0.0/9}"), []string{"advice ingress[0].except"}},
		{"no name", "kind: NetworkRuleConfig\nportSelector: {ports: [], protocol: udp}\n", []string{"error name"}},
		{"no protocol", "kind: NetworkRuleConfig\nname: r\nportSelector: {ports: [1]}\n", []string{"advice portSelector.protocol"}},
	})
}

// Priorities of the kernel's own rules are taken.
func TestS08_ReservedRoutingRulePrioritiesAreRefused(t *testing.T) {
	for priority, want := range map[string][]string{
		"0": {"error name"}, "32500": {"error name"}, "32766": {"error name"}, "32767": {"error name"},
		"1": nil, "32765": nil, "32768": {"advice name"}, "4294967295": {"advice name"},
		"4294967296": {"error name"}, "-1": {"error name"}, "1.0": {"error name"}, "fast": {"error name"}, "0x10": {"error name"},
	} {
		checkRules(t, []ruleCase{{priority, "kind: RoutingRuleConfig\nname: \"" + priority + "\"\ntable: 7\n", want}})
	}
}

func TestRoutingRuleConfig_Validate(t *testing.T) {
	checkRules(t, []ruleCase{
		{"no table", "kind: RoutingRuleConfig\nname: 9\n", []string{"error table"}},
		{"no table, unicast", "kind: RoutingRuleConfig\nname: 9\naction: unicast\n", []string{"error table"}},
		{"no table, blackhole", "kind: RoutingRuleConfig\nname: 9\naction: BLACKHOLE\n", nil},
		{"table main", "kind: RoutingRuleConfig\nname: 9\ntable: main\n", nil},
		{"mask without mark", "kind: RoutingRuleConfig\nname: 9\ntable: 7\nfwMask: 1\n", []string{"error fwMask"}},
		{"families", "kind: RoutingRuleConfig\nname: 9\ntable: 7\nsrc: 10.0.0.0/8\ndst: 'fd00::/8'\n", []string{"advice dst"}},
	})

	refused(t, map[string]string{
		"unknown action": "kind: RoutingRuleConfig\nname: 9\naction: goto\n",
		"number":         "kind: RoutingRuleConfig\nname: 9\naction: 6\n",
	})
}

func TestOtherNetworkKinds_Validate(t *testing.T) {
	checkRules(t, []ruleCase{
		{"blackhole IPv6", "kind: BlackholeRouteConfig\nname: 'fd00::/8'\n", nil},
		{"blackhole for all", "kind: BlackholeRouteConfig\nname: 0.0.0.0/0\n", []string{"advice name"}},
		{"static host without names", "kind: StaticHostConfig\nname: 10.0.0.1\n", []string{"error hostnames"}},
		{"static host name", "kind: StaticHostConfig\nname: 10.0.0.1\nhostnames: [a b]\n", []string{"advice hostnames[0]"}},
		{"probe", "kind: TCPProbeConfig\nname: p\nendpoint: a:1\ntimeout: -1s\nfailureThreshold: -1\n", []string{"error failureThreshold", "error timeout"}},
		{"probe shape", "kind: TCPProbeConfig\nname: p\nendpoint: nonsense\n", []string{"advice endpoint"}},
		{"web probe", "kind: HTTPProbeConfig\nname: p\nurl: ftp://a\n", []string{"error url"}},
		{"web probe without URL", "kind: HTTPProbeConfig\nname: p\n", []string{"error url"}},
		{"time empty", "kind: TimeSyncConfig\n", nil},
		{"time both empty", "kind: TimeSyncConfig\nntp: {}\nptp: {}\n", []string{"error ptp"}},
		{"mesh MTU", "kind: KubeSpanConfig\nmtu: 1279\n", []string{"error mtu"}},
		{"mesh filters", "kind: KubeSpanConfig\nfilters: {endpoints: [10.0.0.1, '!fd00::/8', eth0]}\n", []string{"error filters.endpoints[2]"}},
		{"resolver twice", "kind: ResolverConfig\nnameservers: [{address: 10.0.0.1}, {address: 10.0.0.1}, {}]\n",
			[]string{"advice nameservers[1].address", "advice nameservers[2].address"}},
		{"ethernet without name", "kind: EthernetConfig\n", []string{"error name"}},
		{"BGP", "kind: BGPInstanceConfig\nname: b\nneighbors: [{}, {address: 10.0.0.1, link: a}, {link: a, holdTime: 1s}]\nimportRoutes: [{}]\n",
			[]string{"error localASN", "error importRoutes[0].bgpInstance", "error importRoutes[0].prefixes", "error neighbors[0].address", "error neighbors[1].address", "error neighbors[2].holdTime"}},
	})

	refused(t, map[string]string{
		"BGP number too large": "kind: BGPInstanceConfig\nname: b\nlocalASN: 4294967296\n",
	})
}

func TestLinks_OfOneNameConflict(t *testing.T) {
	kinds := map[string]string{
		"BondConfig": "", "BridgeConfig": "", "DummyLinkConfig": "", "LinkConfig": "", "VLANConfig": "", "VRFConfig": "table: 7\n", "WireguardConfig": "",
	}

	for a, keysA := range kinds {
		for b, keysB := range kinds {
			text := "apiVersion: v1alpha1\nkind: " + a + "\nname: x\n" + keysA + "---\napiVersion: v1alpha1\nkind: " + b + "\nname: x\n" + keysB
			if _, err := config.Parse([]byte(text)); err == nil {
				t.Errorf("%s and %s of one name are accepted", a, b)
			}
		}
	}
}
