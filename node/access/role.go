// Package access decides who may call which method of the node API.
//
// A caller has roles, a Set: apid reads them from the client certificate and
// hands them to machined in the metadata key talos-role. Both ask Check, so that
// neither depends on the other's care. A method that is not in the table needs
// os:admin. Machined believes the metadata only from apid's process; for that,
// LocalCredentials tell who is at the other end of a unix socket.
//
// What a resource type demands beyond its method, because it is sensitive, is
// decided where resources are.
package access

import (
	"crypto/x509"
	"strings"

	"github.com/ichor-os/ichor/pki"
)

// MetadataKey is the gRPC metadata key that carries roles, one value a role.
const MetadataKey = "talos-role"

// A Role is something a certificate entitles its holder to.
type Role uint8

// The roles, in the order in which they are written.
const (
	Admin Role = iota
	Operator
	Reader
	EtcdBackup
	ImageVerifier
	MetaWriter
	// Impersonator belongs to nodes: they name the roles of those for whom
	// they forward a call.
	Impersonator
)

var names = [...]string{
	Admin:         string(pki.RoleAdmin),
	Operator:      string(pki.RoleOperator),
	Reader:        string(pki.RoleReader),
	EtcdBackup:    string(pki.RoleEtcdBackup),
	ImageVerifier: string(pki.RoleImageVerifier),
	MetaWriter:    string(pki.RoleMetaWriter),
	Impersonator:  string(pki.RoleImpersonator),
}

// String returns the name of the role as certificates hold it.
func (r Role) String() string { return names[r] }

// A Set is a set of roles. The zero Set has none.
type Set uint8

// SetOf returns the set of the given roles.
func SetOf(roles ...Role) Set {
	var s Set

	for _, r := range roles {
		s |= 1 << r
	}

	return s
}

// Parse returns the set of the roles with the given names. Names it does not
// know entitle to nothing and are left out.
func Parse(values []string) Set {
	var s Set

	for _, value := range values {
		for role, name := range names {
			if value == name {
				s |= SetOf(Role(role))
			}
		}
	}

	return s
}

// FromCertificate returns the roles that a certificate holds: the
// organizations of its subject. Whether it is to be trusted is not asked here.
func FromCertificate(certificate *x509.Certificate) Set {
	return Parse(certificate.Subject.Organization)
}

// Has tells whether the set holds role.
func (s Set) Has(role Role) bool { return s&SetOf(role) != 0 }

// Without returns the set less role.
func (s Set) Without(role Role) Set { return s &^ SetOf(role) }

// Names returns the names of the roles in the set, as metadata carries them.
func (s Set) Names() []string {
	var out []string

	for role, name := range names {
		if s.Has(Role(role)) {
			out = append(out, name)
		}
	}

	return out
}

// String returns the names of the roles, or "none".
func (s Set) String() string {
	if s == 0 {
		return "none"
	}

	return strings.Join(s.Names(), ", ")
}
