package migrate

import (
	"slices"
	"strings"

	"github.com/ichor-os/ichor/config/document"
	"github.com/ichor-os/ichor/config/documents/network"
	"github.com/ichor-os/ichor/config/documents/v1alpha1"
	"github.com/ichor-os/ichor/config/scalar"
)

func hostnameUp(m *migration) {
	machine := m.machine()
	if machine == nil {
		return
	}

	name := ""
	if n := machine.Network; n != nil {
		name = n.Hostname
	}

	stable := machine.Features != nil && machine.Features.StableHostname != nil && *machine.Features.StableHostname
	if name == "" && !stable {
		return
	}

	if _, ok := find[*network.HostnameConfig](m); ok {
		m.keep("machine.network.hostname", "there is a HostnameConfig already")

		return
	}

	d := new(network.HostnameConfig)

	if name != "" {
		d.Hostname, machine.Network.Hostname = name, ""
		m.add(d, "machine.network.hostname")
	} else {
		auto := network.AutoHostnameStable
		d.Auto = &auto
		m.add(d, "machine.features.stableHostname")
	}

	if stable {
		machine.Features.StableHostname = nil
	}

	m.dropEmptyNetwork()
}

func hostnameDown(m *migration) {
	d, ok := find[*network.HostnameConfig](m)
	if !ok {
		return
	}

	switch machine := m.needMachine(d); {
	case machine == nil:
	case m.network() != nil && m.network().Hostname != "":
		m.lose("HostnameConfig", "machine.network.hostname says it too")
	case d.Hostname != "":
		m.needNetwork(d).Hostname = d.Hostname
		m.move(d, "machine.network.hostname")
		m.drop(d)
	case d.Auto != nil && *d.Auto == network.AutoHostnameStable:
		if machine.Features == nil {
			machine.Features = new(v1alpha1.FeaturesConfig)
		}

		stable := true
		machine.Features.StableHostname = &stable
		m.move(d, "machine.features.stableHostname")
		m.drop(d)
	default:
		m.lose("HostnameConfig", "auto: off has no older form")
	}
}

func resolverUp(m *migration) {
	n := m.network()
	if n == nil || len(n.NameServers) == 0 && len(n.Searches) == 0 && n.DisableSearchDomain == nil {
		return
	}

	if _, ok := find[*network.ResolverConfig](m); ok {
		m.keep("machine.network.nameservers", "there is a ResolverConfig already")

		return
	}

	d := new(network.ResolverConfig)

	for _, text := range n.NameServers {
		a, err := scalar.ParseAddress(text)
		if err != nil || text == "" {
			m.keep("machine.network.nameservers", "not an address: %q", text)

			return
		}

		d.Nameservers = append(d.Nameservers, network.Nameserver{Address: a})
	}

	d.SearchDomains = network.SearchDomains{Domains: n.Searches, DisableDefault: n.DisableSearchDomain}
	n.NameServers, n.Searches, n.DisableSearchDomain = nil, nil, nil

	m.add(d, "machine.network.nameservers", "machine.network.searchDomains")
	m.dropEmptyNetwork()
}

func resolverDown(m *migration) {
	d, ok := find[*network.ResolverConfig](m)
	if !ok {
		return
	}

	n := m.needNetwork(d)
	if n == nil {
		return
	}

	if len(n.NameServers) > 0 || len(n.Searches) > 0 || n.DisableSearchDomain != nil {
		m.lose("ResolverConfig", "machine.network says it too")

		return
	}

	for _, s := range d.Nameservers {
		n.NameServers = append(n.NameServers, s.Address.String())
	}

	n.Searches, n.DisableSearchDomain = d.SearchDomains.Domains, d.SearchDomains.DisableDefault
	m.move(d, "machine.network.nameservers", "machine.network.searchDomains")
	m.drop(d)
	m.dropEmptyNetwork()
}

func hostsUp(m *migration) {
	n := m.network()
	if n == nil {
		return
	}

	var kept []*v1alpha1.ExtraHost

	for _, h := range n.ExtraHostEntries {
		if h == nil || len(h.Aliases) == 0 {
			kept = append(kept, h)

			m.keep("machine.network.extraHostEntries", "an entry without names has no newer form")

			continue
		}

		i := slices.IndexFunc(m.other, func(d document.Document) bool {
			s, ok := d.(*network.StaticHostConfig)

			return ok && s.DocName == h.IP
		})
		if i < 0 {
			m.add(&network.StaticHostConfig{DocName: h.IP, Hostnames: h.Aliases}, "machine.network.extraHostEntries")

			continue
		}

		s := m.other[i].(*network.StaticHostConfig)
		for _, name := range h.Aliases {
			if !slices.Contains(s.Hostnames, name) {
				s.Hostnames = append(s.Hostnames, name)
			}
		}
	}

	n.ExtraHostEntries = kept
	m.dropEmptyNetwork()
}

func hostsDown(m *migration) {
	for _, d := range all[*network.StaticHostConfig](m) {
		n := m.needNetwork(d)
		if n == nil {
			return
		}

		n.ExtraHostEntries = append(n.ExtraHostEntries, &v1alpha1.ExtraHost{IP: d.DocName, Aliases: d.Hostnames})
		m.move(d, "machine.network.extraHostEntries")
		m.drop(d)
	}
}

func timeUp(m *migration) {
	machine := m.machine()
	if machine == nil || machine.Time == nil {
		return
	}

	if _, ok := find[*network.TimeSyncConfig](m); ok {
		m.keep("machine.time", "there is a TimeSyncConfig already")

		return
	}

	t := machine.Time
	d := &network.TimeSyncConfig{BootTimeout: t.BootTimeout}

	if t.Disabled != nil {
		enabled := !*t.Disabled
		d.Enabled = &enabled
	}

	device := func(s string) bool { return strings.HasPrefix(s, "/dev/") }

	switch {
	case len(t.Servers) > 0 && !slices.ContainsFunc(t.Servers, func(s string) bool { return !device(s) }):
		d.PTP = &network.PTP{Devices: t.Servers}
	case len(t.Servers) > 0:
		d.NTP = &network.NTP{Servers: t.Servers}
	}

	machine.Time = nil
	m.add(d, "machine.time")
}

func timeDown(m *migration) {
	d, ok := find[*network.TimeSyncConfig](m)
	if !ok {
		return
	}

	machine := m.needMachine(d)
	if machine == nil {
		return
	}

	if machine.Time != nil {
		m.lose("TimeSyncConfig", "machine.time says it too")

		return
	}

	t := &v1alpha1.TimeConfig{BootTimeout: d.BootTimeout}

	if d.Enabled != nil {
		disabled := !*d.Enabled
		t.Disabled = &disabled
	}

	switch {
	case d.PTP != nil:
		t.Servers = d.PTP.Devices
	case d.NTP != nil:
		t.Servers = d.NTP.Servers
	}

	machine.Time = t
	m.move(d, "machine.time")
	m.drop(d)
}

func kubespanUp(m *migration) {
	n := m.network()
	if n == nil || n.KubeSpan == nil {
		return
	}

	if _, ok := find[*network.KubeSpanConfig](m); ok {
		m.keep("machine.network.kubespan", "there is a KubeSpanConfig already")

		return
	}

	k := n.KubeSpan
	d := &network.KubeSpanConfig{
		Enabled: k.Enabled, AdvertiseKubernetesNetworks: k.AdvertiseKubernetesNetworks,
		AllowDownPeerBypass: k.AllowDownPeerBypass, HarvestExtraEndpoints: k.HarvestExtraEndpoints, MTU: k.MTU,
	}

	if f := k.Filters; f != nil {
		d.Filters = &network.KubeSpanFilters{Endpoints: f.Endpoints}

		for _, text := range f.ExcludeAdvertisedNetworks {
			p, err := scalar.ParsePrefix(text)
			if err != nil || text == "" {
				m.keep("machine.network.kubespan", "not a subnet: %q", text)

				return
			}

			d.Filters.ExcludeAdvertisedNetworks = append(d.Filters.ExcludeAdvertisedNetworks, p)
		}
	}

	n.KubeSpan = nil
	m.add(d, "machine.network.kubespan")
	m.dropEmptyNetwork()
}

func kubespanDown(m *migration) {
	d, ok := find[*network.KubeSpanConfig](m)
	if !ok {
		return
	}

	n := m.needNetwork(d)
	if n == nil {
		return
	}

	if n.KubeSpan != nil {
		m.lose("KubeSpanConfig", "machine.network.kubespan says it too")

		return
	}

	n.KubeSpan = &v1alpha1.NetworkKubeSpan{
		Enabled: d.Enabled, AdvertiseKubernetesNetworks: d.AdvertiseKubernetesNetworks,
		AllowDownPeerBypass: d.AllowDownPeerBypass, HarvestExtraEndpoints: d.HarvestExtraEndpoints, MTU: d.MTU,
	}

	if f := d.Filters; f != nil {
		n.KubeSpan.Filters = &v1alpha1.KubeSpanFilters{Endpoints: f.Endpoints}
		for _, p := range f.ExcludeAdvertisedNetworks {
			n.KubeSpan.Filters.ExcludeAdvertisedNetworks = append(n.KubeSpan.Filters.ExcludeAdvertisedNetworks, p.String())
		}
	}

	m.move(d, "machine.network.kubespan")
	m.drop(d)
}
