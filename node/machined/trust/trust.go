// Package trust wires what a config says about trust to the services that face
// the network: it makes the node's identities and writes the settings of apid
// and trustd.
package trust

import (
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/ichor-os/ichor/config/documents/v1alpha1"
	"github.com/ichor-os/ichor/node/apid/settings"
	"github.com/ichor-os/ichor/node/identity"
	"github.com/ichor-os/ichor/pki"
)

// Users of the services that face the network.
const (
	APIDUID   = 50
	TrustdUID = 51
)

// Maintenance makes the API answer without a config, and returns the fingerprint
// by which callers know the node.
func Maintenance(names identity.Names) (fingerprint string, err error) {
	pair, fingerprint, err := identity.Maintenance(names, time.Now())
	if err != nil {
		return "", err
	}
	return fingerprint, saveAPI(names, &settings.API{Mode: settings.Maintenance, Server: pair})
}

// saveAPI tells apid what is in force.
func saveAPI(names identity.Names, api *settings.API) error {
	api.Self = names.Addressable()
	if err := apiFolder(filepath.Dir(settings.DefaultAPIPath)); err != nil {
		return fmt.Errorf("write apid settings: %w", err)
	}
	around.mu.Lock()
	defer around.mu.Unlock()
	return writeAPI(api)
}

// apiFolder makes the folder in which apid finds its settings and makes its
// socket; what is not its own there it can neither replace nor remove.
func apiFolder(path string) error {
	if err := os.MkdirAll(path, 0o755); err != nil {
		return err
	}
	if err := os.Chown(path, 0, APIDUID); err != nil {
		return err
	}
	return os.Chmod(path, 0o775|os.ModeSticky)
}

// CA is the machine CA of a config; only control plane nodes hold its key.
func CA(machine *v1alpha1.MachineConfig) pki.Pair {
	if machine.CA == nil {
		return pki.Pair{}
	}
	return pki.Pair{Crt: machine.CA.Crt, Key: machine.CA.Key}
}

// authorities are all that the API accepts, as PEM.
func authorities(machine *v1alpha1.MachineConfig) []byte {
	all := append([]byte{}, CA(machine).Crt...)
	for _, accepted := range machine.AcceptedCAs {
		all = append(append(all, '\n'), accepted.Crt...)
	}
	return all
}

// ControlPlane puts the identities of a control plane node in force, for apid
// and for trustd.
func ControlPlane(c *v1alpha1.Config, names identity.Names) error {
	ca := CA(c.Machine)
	names.Further = c.Machine.CertSANs
	server, client, err := identity.ControlPlane(ca, names, time.Now())
	if err != nil {
		return err
	}
	err = saveAPI(names, &settings.API{Mode: settings.ControlPlane, CA: authorities(c.Machine), Server: server, Client: client})
	if err != nil {
		return err
	}
	names.Further = append(append([]string{}, names.Further...), c.Cluster.ControlPlane.Endpoint.Hostname())
	trusted, err := identity.Trustd(ca, names, time.Now())
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(settings.DefaultTrustPath), 0o755); err != nil {
		return fmt.Errorf("write trustd settings: %w", err)
	}
	around.mu.Lock()
	defer around.mu.Unlock()
	return writeTrust(&settings.Trust{Server: trusted, Issuer: ca, CA: authorities(c.Machine), Token: c.Machine.Token})
}

// Silence takes apid's settings away: a node that has a config but no
// certificate yet is not in maintenance, and answers nobody.
func Silence() error { return removeAPI() }
