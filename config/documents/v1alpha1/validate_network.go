package v1alpha1

import (
	"encoding/base64"
	"fmt"
	"net"
	"slices"
	"strings"

	"github.com/ichor-os/ichor/config/document"
)

func (n *NetworkConfig) validate(v *document.Validation, c *Config) {
	owners := make(map[string]string)

	for i, d := range n.Interfaces {
		iv := v.Item("interfaces", i)

		if d == nil {
			iv.Errorf("", "interface is empty").Fix("give interface or deviceSelector, or remove the item")

			continue
		}

		d.validate(iv, c)
		d.claim(iv, owners, i)
	}

	for i, d := range n.Interfaces {
		if d == nil || isTrue(d.Ignore) || d.Interface == "" || owners[d.Interface] == "" {
			continue
		}

		if isTrue(d.DHCP) || d.CIDR != "" || len(d.Addresses) > 0 || d.VIP != nil {
			v.Item("interfaces", i).Errorf("", "%s belongs to %s and must have no addresses of its own", d.Interface, owners[d.Interface]).
				Fix("move the addresses there")
		}
	}

	if k := n.KubeSpan; k != nil {
		k.validate(v.At("kubespan"), c)
	}
}

// claim notes the links that a bond or bridge takes.
func (d *Device) claim(v *document.Validation, owners map[string]string, i int) {
	if isTrue(d.Ignore) {
		return
	}

	var (
		members []string
		owner   = d.Interface
	)

	if owner == "" {
		owner = fmt.Sprintf("interfaces[%d]", i)
	}

	switch {
	case d.Bond != nil:
		members = d.Bond.Interfaces
	case d.Bridge != nil:
		members = d.Bridge.Interfaces
	}

	for _, m := range members {
		if other := owners[m]; other != "" {
			v.Errorf("", "link is in two bonds or bridges: %s: in %s and %s", m, other, owner).Fix("remove it from one of them")
		}

		owners[m] = owner
	}
}

func (d *Device) validate(v *document.Validation, c *Config) {
	selected := d.DeviceSelector != nil && *d.DeviceSelector != NetworkDeviceSelector{}

	switch {
	case d.Interface == "" && !selected:
		v.Errorf("", "interface or deviceSelector is required").Fix("name the link, or select it by its hardware")
	case d.Interface != "" && selected:
		v.Errorf("", "interface and deviceSelector exclude each other").Fix("remove one of them")
	}

	if isTrue(d.Ignore) {
		return
	}

	if d.Bond != nil && d.Bridge != nil {
		v.Errorf("", "bond and bridge exclude each other").Fix("give the bridge an entry of its own, with the bond as a port")
	}

	if d.Bond != nil {
		d.Bond.validate(v.At("bond"))
	}

	if d.Wireguard != nil {
		d.Wireguard.validate(v.At("wireguard"))
	}

	validateAddressing(v, d.CIDR, d.Addresses)
	validateRoutes(v, d.Routes)
	d.VIP.validate(v.At("vip"), c)

	for i, vlan := range d.Vlans {
		vv := v.Item("vlans", i)

		if vlan == nil {
			vv.Errorf("", "VLAN is empty").Fix("give vlanId, or remove the item")

			continue
		}

		validateAddressing(vv, vlan.CIDR, vlan.Addresses)
		validateRoutes(vv, vlan.Routes)
		vlan.VIP.validate(vv.At("vip"), c)
	}
}

func validateAddressing(v *document.Validation, cidr string, addresses []string) {
	switch {
	case cidr != "" && len(addresses) > 0:
		v.Errorf("cidr", "cidr and addresses exclude each other").Fix("move it to addresses")
	case cidr != "":
		v.Warnf("cidr", "cidr is an older key").Fix("use addresses")

		if !isPrefix(cidr) {
			v.Errorf("cidr", "not an address with a prefix length: %q", cidr).Fix("write 10.0.0.2/24")
		}
	}

	for i, a := range addresses {
		if !prefixOrAddress(a) {
			v.Errorf(fmt.Sprintf("addresses[%d]", i), "not an address: %q", a).Fix("write 10.0.0.2/24")
		}
	}
}

func validateRoutes(v *document.Validation, routes []*Route) {
	for i, r := range routes {
		rv := v.Item("routes", i)

		if r == nil {
			rv.Errorf("", "route is empty").Fix("give network or gateway, or remove the item")

			continue
		}

		if r.Network == "" && r.Gateway == "" {
			rv.Errorf("", "a route needs network or gateway").Fix("give one of them")
		}

		if r.Network != "" && !isPrefix(r.Network) {
			rv.Errorf("network", "not a subnet: %q", r.Network).Fix("write 10.0.0.0/8")
		}

		if r.Gateway != "" && !isAddress(r.Gateway) {
			rv.Errorf("gateway", "not an address: %q", r.Gateway).Fix("write 10.0.0.1")
		}

		if r.Source != "" && !isAddress(r.Source) {
			rv.Errorf("source", "not an address: %q", r.Source).Fix("write 10.0.0.1")
		}
	}
}

func (p *DeviceVIPConfig) validate(v *document.Validation, c *Config) {
	if p == nil {
		return
	}

	if !isAddress(p.IP) {
		v.Errorf("ip", "not an address: %q", p.IP).Fix("write 10.0.0.1")
	}

	if !c.ControlPlane() {
		v.Errorf("", "a shared address belongs on control plane machines only").Fix("remove vip from workers")
	}
}

func (w *DeviceWireguardConfig) validate(v *document.Validation) {
	if !wireguardKey(w.PrivateKey) {
		v.Errorf("privateKey", "not a WireGuard key: 32 bytes as base64 are needed").Fix("make one with wg genkey")
	}

	for i, p := range w.Peers {
		pv := v.Item("peers", i)

		if p == nil {
			pv.Errorf("", "peer is empty").Fix("give publicKey, or remove the item")

			continue
		}

		if !wireguardKey(p.PublicKey) {
			pv.Errorf("publicKey", "not a WireGuard key: 32 bytes as base64 are needed").Fix("make one with wg genkey")
		}

		if p.Endpoint != "" {
			if _, _, err := net.SplitHostPort(p.Endpoint); err != nil {
				pv.Errorf("endpoint", "not host:port: %q", p.Endpoint).Fix("write host:51820")
			}
		}

		for j, a := range p.AllowedIPs {
			if !isPrefix(a) {
				pv.Errorf(fmt.Sprintf("allowedIPs[%d]", j), "not a subnet: %q", a).Fix("write 10.0.0.0/8")
			}
		}
	}
}

func wireguardKey(s string) bool {
	raw, err := base64.StdEncoding.DecodeString(s)

	return err == nil && len(raw) == 32
}

func (k *NetworkKubeSpan) validate(v *document.Validation, c *Config) {
	if k.MTU != nil && *k.MTU < 1280 {
		v.Errorf("mtu", "MTU is below 1280: %d", *k.MTU).Fix("use 1280 or more")
	}

	if f := k.Filters; f != nil {
		validateSubnets(v, "filters.endpoints", f.Endpoints)
		validateSubnets(v, "filters.excludeAdvertisedNetworks", f.ExcludeAdvertisedNetworks)
	}

	if !isTrue(k.Enabled) || c.Cluster == nil {
		return
	}

	if c.Cluster.Discovery == nil || !isTrue(c.Cluster.Discovery.Enabled) {
		v.Errorf("enabled", "the mesh needs cluster.discovery.enabled").Fix("set cluster.discovery.enabled to true")
	}

	if c.Cluster.ID == "" {
		v.Errorf("enabled", "the mesh needs cluster.id").Fix("give cluster.id: gen secrets makes one")
	}

	if c.Cluster.Secret == "" {
		v.Errorf("enabled", "the mesh needs cluster.secret").Fix("give cluster.secret: gen secrets makes one")
	}
}

// bondModes are the modes in the kernel's order.
var (
	bondModes      = []string{"balance-rr", "active-backup", "balance-xor", "broadcast", "802.3ad", "balance-tlb", "balance-alb"}
	hashPolicies   = []string{"layer2", "layer3+4", "layer2+3", "encap2+3", "encap3+4"}
	lacpRates      = []string{"slow", "fast"}
	arpValidations = []string{"none", "active", "backup", "all", "filter", "filter-active", "filter-backup"}
	arpTargets     = []string{"any", "all"}
	reselections   = []string{"always", "better", "failure"}
	failOvers      = []string{"none", "active", "follow"}
	adSelections   = []string{"stable", "bandwidth", "count"}
)

func (b *Bond) validate(v *document.Validation) {
	if len(b.Interfaces) > 0 && len(b.DeviceSelectors) > 0 {
		v.Errorf("", "interfaces and deviceSelectors exclude each other").Fix("remove one of them")
	}

	if len(b.ARPIPTarget) > 0 {
		v.Errorf("arpIPTarget", "arpIPTarget is not supported").Fix("remove it; BondConfig has arpIpTargets")
	}

	if b.ADActorSystem != "" {
		v.Errorf("adActorSystem", "adActorSystem is not supported").Fix("remove it")
	}

	for _, e := range []struct {
		key, value string
		known      []string
	}{
		{"mode", b.Mode, bondModes},
		{"xmitHashPolicy", b.HashPolicy, hashPolicies},
		{"lacpRate", b.LACPRate, lacpRates},
		{"arpValidate", b.ARPValidate, arpValidations},
		{"arpAllTargets", b.ARPAllTargets, arpTargets},
		{"primaryReselect", b.PrimaryReselect, reselections},
		{"failOverMac", b.FailOverMac, failOvers},
		{"adSelect", b.ADSelect, adSelections},
	} {
		known := slices.ContainsFunc(e.known, func(word string) bool {
			return word == e.value || e.key != "failOverMac" && strings.EqualFold(word, e.value)
		})

		if (e.value != "" || e.key == "mode") && !known {
			v.Errorf(e.key, "unknown word: %q", e.value).Fix("use one of %s", strings.Join(e.known, ", "))
		}
	}

	b.validateTimers(v)
	b.validateForMode(v)
}

func (b *Bond) validateTimers(v *document.Validation) {
	for key, delay := range map[string]uint32{"updelay": b.UpDelay, "downdelay": b.DownDelay} {
		switch {
		case delay == 0:
		case b.MIIMon == 0:
			v.Errorf(key, "%s needs miimon", key).Fix("set miimon too")
		case delay%b.MIIMon != 0:
			v.Errorf(key, "%s must be a multiple of miimon: %d is not one of %d", key, delay, b.MIIMon).Fix("use a multiple")
		}
	}
}

func (b *Bond) validateForMode(v *document.Validation) {
	only := func(set bool, key string, modes ...string) {
		if set && !slices.Contains(modes, strings.ToLower(b.Mode)) {
			v.Errorf(key, "%s belongs to mode %s only", key, strings.Join(modes, ", ")).Fix("remove it, or change the mode")
		}
	}

	never := func(set bool, key string, modes ...string) {
		if set && slices.Contains(modes, strings.ToLower(b.Mode)) {
			v.Errorf(key, "%s does not go with mode %s", key, b.Mode).Fix("remove it, or change the mode")
		}
	}

	only(b.LACPRate != "", "lacpRate", "802.3ad")
	only(b.ADActorSysPrio != 0, "adActorSysPrio", "802.3ad")
	only(b.ADUserPortKey != 0, "adUserPortKey", "802.3ad")
	never(b.ARPValidate != "", "arpValidate", "802.3ad", "balance-alb", "balance-tlb")
	never(b.ARPInterval != 0, "arpInterval", "802.3ad", "balance-alb", "balance-tlb")
	only(b.Primary != "", "primary", "active-backup", "balance-alb", "balance-tlb")
	only(b.PacketsPerSlave > 1, "packetsPerSlave", "balance-rr")
	only(b.TLBDynamicLB != 0, "tlbDynamicLb", "balance-alb", "balance-tlb")
}
