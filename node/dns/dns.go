// Package dns decides how the node is called and which name servers it asks.
// Layers wish for a host name and for resolvers in the namespace
// network-config; reconcilers merge them, and put the files of /etc that follow:
// hostname, hosts and resolv.conf.
//
// The name server on the node itself is in package cache.
package dns

import (
	"context"
	"crypto/sha256"
	"encoding/base32"
	"fmt"
	"slices"
	"strings"

	"golang.org/x/sys/unix"

	machineconfig "github.com/ichor-os/ichor/config"
	"github.com/ichor-os/ichor/config/documents/network"
	"github.com/ichor-os/ichor/config/documents/v1alpha1"
	clusterspec "github.com/ichor-os/ichor/node/cluster/spec"
	configspec "github.com/ichor-os/ichor/node/config/spec"
	"github.com/ichor-os/ichor/node/dns/spec"
	linkspec "github.com/ichor-os/ichor/node/link/spec"
	"github.com/ichor-os/ichor/resource"
	"github.com/ichor-os/ichor/resource/value"
)

// Ids of what all layers together want.
const (
	hostname  = "hostname"
	resolvers = "resolvers"
	active    = "active" // the platform's config
)

// Options say where the blocks work.
type Options struct {
	// SetHostname is unix.Sethostname where it is nil.
	SetHostname func([]byte) error
	// Offline is true on a node that asks no name server of the Internet when
	// nobody names one.
	Offline bool
}

// Blocks are the reconcilers of this noun.
func Blocks(o Options) []resource.Block {
	if o.SetHostname == nil {
		o.SetHostname = unix.Sethostname
	}
	return []resource.Block{
		resource.Reconciler("hostname-layers", reconcileHostnames),
		resource.Reconciler("hostname-merge", mergeHostnames),
		resource.Mirror("hostname-mirror", spec.HostnameSpecs, nil, o.rename, keepName),
		resource.Reconciler("resolver-layers", o.reconcileResolvers),
		resource.Reconciler("resolver-merge", mergeResolvers),
		resource.Reconciler("hostdns-address", reconcileHostAddress),
		resource.Reconciler("etc-hostname", reconcileHostnameFile),
		resource.Reconciler("etc-hosts", reconcileHosts),
		resource.Reconciler("etc-resolv-conf", reconcileResolvConf),
	}
}

func layered(layer value.Layer, id string) string { return linkspec.Layered(layer, id) }

// networkOf gives machine.network of a config, never nil.
func networkOf(c *machineconfig.Config) *v1alpha1.NetworkConfig {
	if main := c.Main(); main != nil && main.Machine != nil && main.Machine.Network != nil {
		return main.Machine.Network
	}
	return &v1alpha1.NetworkConfig{}
}

// document gives the config's only document of a type; of several, which do not
// pass validation, the last.
func document[T any](c *machineconfig.Config) (found T, ok bool) {
	for _, d := range c.Documents() {
		if doc, is := d.(T); is {
			found, ok = doc, true
		}
	}
	return found, ok
}

// reconcileHostnames puts the wishes of config, platform and of the node itself
// for a host name.
func reconcileHostnames(_ context.Context, s *resource.Session) error {
	c, ok, err := configspec.Config(s)
	if err != nil {
		return err
	}
	put := func(layer value.Layer, name string) {
		wish := split(name)
		wish.Layer = layer
		if wish.Hostname != "" {
			spec.HostnameSpecs.In(linkspec.Config).Put(s, layered(layer, hostname), wish)
		}
	}
	if p, ok := linkspec.PlatformConfigs.Get(s, active); ok {
		for _, h := range p.Hostnames {
			put(value.LayerPlatform, full(h.Hostname, h.Domainname))
		}
	}
	stable := true
	if ok {
		doc, found := document[*network.HostnameConfig](c)
		stable = !found || doc.Auto == nil || *doc.Auto != network.AutoHostnameOff
		switch {
		case found && doc.Hostname != "":
			put(value.LayerConfiguration, doc.Hostname)
		case networkOf(c).Hostname != "":
			put(value.LayerConfiguration, networkOf(c).Hostname)
		}
	}
	if identity, ok := clusterspec.Identities.Get(s, "local"); ok && stable {
		put(value.LayerDefault, stableName(identity.NodeID))
	}
	return nil
}

// stableName makes a name up that the node has as long as its identity.
func stableName(identity string) string {
	sum := sha256.Sum256([]byte(identity))
	text := strings.ToLower(base32.StdEncoding.EncodeToString(sum[:]))
	return fmt.Sprintf("ichor-%s-%s", text[:3], text[3:6])
}

// full joins a host name and its domain.
func full(name, domain string) string { return strings.TrimSuffix(name+"."+domain, ".") }

// split takes a name apart at its first dot.
func split(name string) spec.HostnameSpecSpec {
	host, domain, _ := strings.Cut(strings.Trim(strings.TrimSpace(name), "."), ".")
	return spec.HostnameSpecSpec{Hostname: host, Domainname: domain}
}

// above tells whether a wish with the first id counts more than one with the
// second: it is of a higher layer or, of one layer, the first by its id.
func above(a, b string) bool {
	rank := func(id string) int {
		layer, _, _ := strings.Cut(id, "/")
		return slices.Index(linkspec.Layers(), layer)
	}
	return rank(a) > rank(b) || rank(a) == rank(b) && a < b
}

// mergeHostnames lets the highest layer that has a name win. A higher one that
// knows but the domain gives it to a name without.
func mergeHostnames(_ context.Context, s *resource.Session) error {
	all := spec.HostnameSpecs.In(linkspec.Config).List(s)
	slices.SortFunc(all, func(a, b resource.Resource[spec.HostnameSpecSpec]) int {
		if above(a.ID, b.ID) {
			return -1
		}
		return 1
	})
	domain := ""
	for _, w := range all {
		if domain == "" {
			domain = w.Spec.Domainname
		}
		if w.Spec.Hostname != "" {
			best := w.Spec
			if best.Domainname == "" {
				best.Domainname = domain
			}
			spec.HostnameSpecs.Put(s, hostname, best)
			return nil
		}
	}
	return resource.Hold("waiting for a host name from DHCP, the platform or the config")
}

// rename gives the kernel the name and shows that it has it.
func (o Options) rename(_ context.Context, s *resource.Session, r resource.Resource[spec.HostnameSpecSpec]) error {
	if r.ID != hostname {
		return nil
	}
	if err := o.SetHostname([]byte(r.Spec.Hostname)); err != nil {
		return fmt.Errorf("set host name: %s: %w", r.Spec.Hostname, err)
	}
	spec.HostnameStatuses.Put(s, hostname, spec.HostnameStatusSpec{Hostname: r.Spec.Hostname, Domainname: r.Spec.Domainname})
	return nil
}

// keepName leaves the last name: a kernel without one is of no use.
func keepName(context.Context, *resource.Session, resource.Resource[spec.HostnameSpecSpec]) error {
	return nil
}
