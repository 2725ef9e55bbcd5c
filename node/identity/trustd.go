package identity

import (
	"fmt"
	"time"

	"github.com/ichor-os/ichor/pki"
)

// Trustd makes the identity of trustd on a control plane node, good for the
// endpoint too, by which workers find it.
func Trustd(machineCA pki.Pair, names Names, now time.Time) (pki.Pair, error) {
	authority, err := pki.LoadAuthority(machineCA)
	if err != nil {
		return pki.Pair{}, fmt.Errorf("load machine CA: %w", err)
	}
	pair, err := authority.Issue(pki.Ed25519, pki.Template{
		CommonName: names.Hostname, Names: names.All(), Usages: pki.ServerAuth, Lifetime: pki.NodeLifetime, NotBefore: now,
	})
	if err != nil {
		return pki.Pair{}, fmt.Errorf("issue trustd certificate: %w", err)
	}
	return pair, nil
}
