package pki

import (
	"fmt"
	"slices"
	"time"
)

// Lifetimes of what a cluster signs.
const (
	AuthorityLifetime = 10 * 365 * 24 * time.Hour
	AdminLifetime     = 365 * 24 * time.Hour
	// NodeLifetime is that of an API certificate on a node; it is renewed at half of it.
	NodeLifetime = 24 * time.Hour
)

// Role is what a client of the API may be; it stands as an organization in the
// subject of its certificate.
type Role string

// The roles of the API.
const (
	RoleAdmin         Role = "os:admin"
	RoleOperator      Role = "os:operator"
	RoleReader        Role = "os:reader"
	RoleEtcdBackup    Role = "os:etcd:backup"
	RoleImageVerifier Role = "os:image:verifier"
	RoleMetaWriter    Role = "os:meta:writer"
	RoleImpersonator  Role = "os:impersonator"
)

// Roles lists all roles.
func Roles() []Role {
	return []Role{RoleAdmin, RoleOperator, RoleReader, RoleEtcdBackup, RoleImageVerifier, RoleMetaWriter, RoleImpersonator}
}

// ParseRoles reads the names of roles. Each must be known; repeated ones count once.
func ParseRoles(names []string) ([]Role, error) {
	var roles []Role
	for _, name := range names {
		role := Role(name)
		if !slices.Contains(Roles(), role) {
			return nil, fmt.Errorf("unknown role %q: the roles are %v", name, Roles())
		}
		if !slices.Contains(roles, role) {
			roles = append(roles, role)
		}
	}
	if len(roles) == 0 {
		return nil, fmt.Errorf("no role given: the roles are %v", Roles())
	}
	return roles, nil
}

// RolesOf returns the roles that a verified client certificate's organizations
// name, others left out.
func RolesOf(organizations []string) []Role {
	var roles []Role
	for _, name := range organizations {
		if slices.Contains(Roles(), Role(name)) {
			roles = append(roles, Role(name))
		}
	}
	return roles
}

// NewMachineAuthority makes the authority of the machine API.
func NewMachineAuthority(now time.Time) (*Authority, error) {
	return newClusterAuthority("talos", Ed25519, now)
}

// NewKubernetesAuthority makes the authority of the Kubernetes API.
func NewKubernetesAuthority(now time.Time) (*Authority, error) {
	return newClusterAuthority("kubernetes", ECDSAP256, now)
}

// NewAggregatorAuthority makes the authority of the Kubernetes front proxy.
func NewAggregatorAuthority(now time.Time) (*Authority, error) {
	return newClusterAuthority("", ECDSAP256, now)
}

// NewEtcdAuthority makes the authority of etcd.
func NewEtcdAuthority(now time.Time) (*Authority, error) {
	return newClusterAuthority("etcd", ECDSAP256, now)
}

func newClusterAuthority(organization string, algorithm Algorithm, now time.Time) (*Authority, error) {
	return NewAuthority(AuthorityTemplate{
		Organization: organization,
		Algorithm:    algorithm,
		Lifetime:     AuthorityLifetime,
		NotBefore:    now,
	})
}

// IssueClient makes a certificate for a client of the machine API with exactly
// these roles.
func (a *Authority) IssueClient(roles []Role, lifetime time.Duration, now time.Time) (Pair, error) {
	organizations := make([]string, len(roles))
	for i, role := range roles {
		organizations[i] = string(role)
	}
	return a.Issue(Ed25519, Template{
		Organizations: organizations,
		Usages:        ClientAuth,
		Lifetime:      lifetime,
		NotBefore:     now,
	})
}
