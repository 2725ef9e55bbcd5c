package dns

import (
	"context"
	"fmt"
	"net/netip"
	"strings"

	"github.com/ichor-os/ichor/config/documents/network"
	configspec "github.com/ichor-os/ichor/node/config/spec"
	"github.com/ichor-os/ichor/node/dns/spec"
	etcfilespec "github.com/ichor-os/ichor/node/etcfile/spec"
	linkspec "github.com/ichor-os/ichor/node/link/spec"
	"github.com/ichor-os/ichor/resource"
	"github.com/ichor-os/ichor/resource/value"
)

// PodResolvConf is the file with the name servers that pods ask, below the
// folder of the files of /etc: a pod does not reach the node's loopback link.
const PodResolvConf = "resolved/resolv.conf"

// maxServers is how many name servers libc reads (MAXNS of resolv.h).
const maxServers = 3

func putFile(s *resource.Session, name, content string) {
	etcfilespec.EtcFileSpecs.Put(s, name, etcfilespec.EtcFileSpecSpec{Contents: value.Text(content), Mode: 0o644})
}

func reconcileHostnameFile(_ context.Context, s *resource.Session) error {
	if name, ok := spec.HostnameStatuses.Get(s, hostname); ok {
		putFile(s, "hostname", full(name.Hostname, name.Domainname)+"\n")
	}
	return nil
}

// reconcileHosts writes the hosts file: the node knows itself by its name, and
// what the config says of others.
func reconcileHosts(_ context.Context, s *resource.Session) error {
	c, ok, err := configspec.Config(s)
	if err != nil {
		return err
	}
	var text strings.Builder
	text.WriteString("127.0.0.1 localhost\n::1 localhost ip6-localhost ip6-loopback\n")
	if name, known := spec.HostnameStatuses.Get(s, hostname); known {
		names := name.Hostname
		if name.Domainname != "" {
			names = full(name.Hostname, name.Domainname) + " " + name.Hostname
		}
		if own, known := linkspec.NodeAddresses.Get(s, "default"); known {
			for _, p := range own.Addresses {
				fmt.Fprintf(&text, "%s %s\n", p.Addr(), names)
			}
		}
	}
	if ok {
		for _, e := range networkOf(c).ExtraHostEntries {
			if e != nil {
				addHost(&text, e.IP, e.Aliases)
			}
		}
		for _, d := range c.Documents() {
			if h, is := d.(*network.StaticHostConfig); is {
				addHost(&text, h.DocName, h.Hostnames)
			}
		}
	}
	putFile(s, "hosts", text.String())
	return nil
}

func addHost(text *strings.Builder, address string, names []string) {
	if _, err := netip.ParseAddr(address); err == nil && len(names) > 0 {
		fmt.Fprintf(text, "%s %s\n", address, strings.Join(names, " "))
	}
}

// reconcileResolvConf writes the resolv.conf of the node's programs and that of
// pods. Where the node has a name server of its own they ask that one.
func reconcileResolvConf(_ context.Context, s *resource.Session) error {
	status, ok := spec.ResolverStatuses.Get(s, resolvers)
	if !ok {
		return resource.Hold("waiting for the resolvers")
	}
	own, pods := status.DNSServers, status.DNSServers
	for _, c := range spec.HostDNSConfigs.List(s) {
		if !c.Spec.Enabled || len(c.Spec.ListenAddresses) == 0 {
			continue
		}
		own = []netip.Addr{c.Spec.ListenAddresses[0].Addr()}
		if a := c.Spec.ServiceHostDNSAddress; a.IsValid() {
			pods = []netip.Addr{a}
		}
	}
	putFile(s, "resolv.conf", resolvConf(own, status.SearchDomains))
	putFile(s, PodResolvConf, resolvConf(pods, status.SearchDomains))
	return nil
}

func resolvConf(servers []netip.Addr, domains []string) string {
	if len(servers) == 0 {
		return "# No name server is configured.\n"
	}
	var text strings.Builder
	for _, a := range servers[:min(len(servers), maxServers)] {
		fmt.Fprintf(&text, "nameserver %s\n", a)
	}
	if len(domains) > 0 {
		fmt.Fprintf(&text, "\nsearch %s\n", strings.Join(domains, " "))
	}
	return text.String()
}
