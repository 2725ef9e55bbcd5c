package etcd

import (
	"net/netip"

	"github.com/ichor-os/ichor/config/documents/v1alpha1"
	"github.com/ichor-os/ichor/pki"
	"github.com/ichor-os/ichor/version"
)

// FromConfig gives the member's settings on a node with the name and address.
func FromConfig(c *v1alpha1.Config, name string, address netip.Addr) Settings {
	s := Settings{Image: version.EtcdImage, Name: name, Address: address, Extra: map[string][]string{}}
	etcd := c.Cluster.Etcd
	if etcd == nil {
		return s
	}
	if etcd.Image != "" {
		s.Image = etcd.Image
	}
	if etcd.CA != nil {
		s.CA = pki.Pair{Crt: etcd.CA.Crt, Key: etcd.CA.Key}
	}
	for argument, value := range etcd.ExtraArgs {
		s.Extra[argument] = value.Values
	}
	return s
}
