package migrate

import (
	"github.com/ichor-os/ichor/config/document"
	"github.com/ichor-os/ichor/config/documents/network"
	"github.com/ichor-os/ichor/config/documents/v1alpha1"
	"github.com/ichor-os/ichor/config/scalar"
)

// given points to a number unless it is 0, which the older form takes as absent.
func given[T comparable](n T) *T {
	var zero T
	if n == zero {
		return nil
	}

	return &n
}

// taken is the number that a pointer points to, 0 without one.
func taken[T any](p *T) T {
	var zero T
	if p == nil {
		return zero
	}

	return *p
}

// readWord reads a word of an enumeration, unless it is empty.
func readWord[W scalar.Words](text string, into **scalar.Enum[W]) bool {
	if text == "" {
		return true
	}

	e, err := scalar.ParseEnum[W](text)
	if err != nil || e == "" {
		return false
	}

	*into = &e

	return true
}

func word[W scalar.Words](e *scalar.Enum[W]) string {
	if e == nil {
		return ""
	}

	return e.String()
}

func bondDocument(name string, b *v1alpha1.Bond, common network.CommonLink) (document.Document, string) {
	if len(b.DeviceSelectors) > 0 || len(b.ARPIPTarget) > 0 || b.ADActorSystem != "" || b.Primary != "" || b.TLBDynamicLB != 0 {
		return nil, "the bond has settings without newer form"
	}

	d := &network.BondConfig{
		DocName: name, Links: b.Interfaces, CommonLink: common, UseCarrier: b.UseCarrier,
		MIIMon: given(b.MIIMon), UpDelay: given(b.UpDelay), DownDelay: given(b.DownDelay), ARPInterval: given(b.ARPInterval),
		ADActorSysPrio: given(b.ADActorSysPrio), ADUserPortKey: given(b.ADUserPortKey), ResendIGMP: given(b.ResendIGMP),
		MinLinks: given(b.MinLinks), LPInterval: given(b.LPInterval), PacketsPerSlave: given(b.PacketsPerSlave),
		NumPeerNotif: given(b.NumPeerNotif), AllSlavesActive: given(b.AllSlavesActive), PeerNotifDelay: given(b.PeerNotifyDelay),
	}

	for _, ok := range []bool{
		readWord(b.Mode, &d.BondMode), readWord(b.HashPolicy, &d.XmitHashPolicy), readWord(b.LACPRate, &d.LACPRate),
		readWord(b.ARPValidate, &d.ARPValidate), readWord(b.ARPAllTargets, &d.ARPAllTargets),
		readWord(b.PrimaryReselect, &d.PrimaryReselect), readWord(b.ADSelect, &d.ADSelect),
	} {
		if !ok {
			return nil, "the bond has a word that is not known"
		}
	}

	if b.FailOverMac != "" {
		d.FailOverMAC = new(network.FailOverMAC)
		if err := d.FailOverMAC.DecodeYAML(document.Text(b.FailOverMac)); err != nil {
			return nil, "the bond has a word that is not known"
		}
	}

	return d, ""
}

func bridgeDocument(name string, b *v1alpha1.Bridge, common network.CommonLink) document.Document {
	d := &network.BridgeConfig{DocName: name, Links: b.Interfaces, CommonLink: common}

	if b.STP != nil {
		d.STP.Enabled = b.STP.Enabled
	}

	if b.VLAN != nil {
		d.VLAN.Filtering = b.VLAN.Filtering
	}

	return d
}

func wireguardDocument(name string, w *v1alpha1.DeviceWireguardConfig, common network.CommonLink) (document.Document, string) {
	d := &network.WireguardConfig{
		DocName: name, PrivateKey: network.WireguardKey(w.PrivateKey), ListenPort: w.ListenPort, FirewallMark: w.FirewallMark, CommonLink: common,
	}

	for _, p := range w.Peers {
		if p == nil {
			return nil, "a peer is empty"
		}

		endpoint, err := scalar.ParseAddrPort(p.Endpoint)
		if err != nil {
			return nil, "a peer's endpoint is a name: the newer form takes addresses only"
		}

		peer := network.WireguardPeer{PublicKey: p.PublicKey, Endpoint: endpoint, PersistentKeepaliveInterval: p.PersistentKeepaliveInterval}

		for _, text := range p.AllowedIPs {
			prefix, err := scalar.ParsePrefix(text)
			if err != nil || text == "" {
				return nil, "allowedIPs cannot be read"
			}

			peer.AllowedIPs = append(peer.AllowedIPs, prefix)
		}

		d.Peers = append(d.Peers, peer)
	}

	return d, ""
}

// oldBond is the older form of a bond.
func oldBond(d *network.BondConfig) (*v1alpha1.Bond, string) {
	if !d.HardwareAddr.IsZero() || len(d.ARPIPTargets) > 0 || len(d.NSIP6Targets) > 0 || d.ADLACPActive != nil || d.TLBLogicalLB != nil || d.MissedMax != nil {
		return nil, "the bond has settings without older form"
	}

	b := &v1alpha1.Bond{
		Interfaces: d.Links, UseCarrier: d.UseCarrier, Mode: word(d.BondMode), HashPolicy: word(d.XmitHashPolicy), LACPRate: word(d.LACPRate),
		ARPValidate: word(d.ARPValidate), ARPAllTargets: word(d.ARPAllTargets), PrimaryReselect: word(d.PrimaryReselect), ADSelect: word(d.ADSelect),
		MIIMon: taken(d.MIIMon), UpDelay: taken(d.UpDelay), DownDelay: taken(d.DownDelay), ARPInterval: taken(d.ARPInterval),
		ADActorSysPrio: taken(d.ADActorSysPrio), ADUserPortKey: taken(d.ADUserPortKey), ResendIGMP: taken(d.ResendIGMP),
		MinLinks: taken(d.MinLinks), LPInterval: taken(d.LPInterval), PacketsPerSlave: taken(d.PacketsPerSlave),
		NumPeerNotif: taken(d.NumPeerNotif), AllSlavesActive: taken(d.AllSlavesActive), PeerNotifyDelay: taken(d.PeerNotifDelay),
	}

	if d.FailOverMAC != nil {
		b.FailOverMac = string(*d.FailOverMAC)
	}

	return b, ""
}

func oldWireguard(d *network.WireguardConfig) (*v1alpha1.DeviceWireguardConfig, string) {
	w := &v1alpha1.DeviceWireguardConfig{PrivateKey: string(d.PrivateKey), ListenPort: d.ListenPort, FirewallMark: d.FirewallMark}

	for _, p := range d.Peers {
		if p.PresharedKey != "" {
			return nil, "presharedKey has no older form"
		}

		peer := &v1alpha1.DeviceWireguardPeer{PublicKey: p.PublicKey, Endpoint: p.Endpoint.String(), PersistentKeepaliveInterval: p.PersistentKeepaliveInterval}
		for _, prefix := range p.AllowedIPs {
			peer.AllowedIPs = append(peer.AllowedIPs, prefix.String())
		}

		w.Peers = append(w.Peers, peer)
	}

	return w, ""
}

func oldBridge(d *network.BridgeConfig) (*v1alpha1.Bridge, string) {
	if !d.HardwareAddr.IsZero() {
		return nil, "hardwareAddr has no older form"
	}

	b := &v1alpha1.Bridge{Interfaces: d.Links}

	if d.STP.Enabled != nil {
		b.STP = &v1alpha1.STP{Enabled: d.STP.Enabled}
	}

	if d.VLAN.Filtering != nil {
		b.VLAN = &v1alpha1.BridgeVLAN{Filtering: d.VLAN.Filtering}
	}

	return b, ""
}
