// Package identity makes the certificates by which a node's API is known.
//
// Before a node has a configuration it signs one itself, and whoever brings the
// configuration compares the fingerprint. A control plane node signs its own
// with the machine CA; a worker asks trustd of a control plane node, which is
// not this package's matter.
package identity

import (
	"crypto/x509"
	"fmt"
	"net/netip"
	"slices"
	"time"

	"github.com/ichor-os/ichor/pki"
)

// Names are what a node may be called by.
type Names struct {
	Hostname  string
	Addresses []netip.Addr
	// Further are added by the configuration.
	Further []string
}

// All lists the names that a certificate of the node is good for, once each, the
// host name first.
func (n Names) All() []string {
	list := []string{n.Hostname, "localhost", "127.0.0.1", "::1"}
	for _, address := range n.Addresses {
		list = append(list, address.String())
	}
	var out []string
	for _, name := range append(list, n.Further...) {
		if name != "" && !slices.Contains(out, name) {
			out = append(out, name)
		}
	}
	return out
}

// Addressable lists the names under which callers may mean this node: its own
// and its addresses.
func (n Names) Addressable() []string {
	list := []string{n.Hostname}
	for _, address := range n.Addresses {
		list = append(list, address.String())
	}
	return list
}

// Maintenance makes the identity of a node without a configuration and its
// fingerprint. It lives as long as the node waits for its configuration.
func Maintenance(names Names, now time.Time) (pki.Pair, string, error) {
	authority, err := pki.NewMachineAuthority(now)
	if err != nil {
		return pki.Pair{}, "", fmt.Errorf("make maintenance identity: %w", err)
	}
	pair, err := authority.Issue(pki.Ed25519, pki.Template{
		CommonName: "maintenance", Names: names.All(), Usages: pki.ServerAuth, Lifetime: pki.NodeLifetime, NotBefore: now,
	})
	if err != nil {
		return pki.Pair{}, "", fmt.Errorf("make maintenance identity: %w", err)
	}
	certificate, err := pki.ParseCertificate(pair.Crt)
	if err != nil {
		return pki.Pair{}, "", fmt.Errorf("make maintenance identity: %w", err)
	}
	return pair, pki.Fingerprint(certificate), nil
}

// ControlPlane makes the identities of a control plane node: towards callers,
// and towards other nodes, for whose callers it may speak.
func ControlPlane(machineCA pki.Pair, names Names, now time.Time) (server, client pki.Pair, err error) {
	authority, err := pki.LoadAuthority(machineCA)
	if err != nil {
		return server, client, fmt.Errorf("load machine CA: %w", err)
	}
	server, err = authority.Issue(pki.Ed25519, pki.Template{
		CommonName: names.Hostname, Names: names.All(),
		Usages: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth}, Lifetime: pki.NodeLifetime, NotBefore: now,
	})
	if err != nil {
		return server, client, fmt.Errorf("issue server certificate: %w", err)
	}
	client, err = authority.IssueClient([]pki.Role{pki.RoleImpersonator}, pki.NodeLifetime, now)
	if err != nil {
		return server, client, fmt.Errorf("issue client certificate: %w", err)
	}
	return server, client, nil
}
