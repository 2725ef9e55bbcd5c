package machined

import (
	"context"
	"fmt"
	"net"
	"net/netip"
	"os"
	"path/filepath"
	"time"

	machineconfig "github.com/ichor-os/ichor/config"
	"github.com/ichor-os/ichor/config/documents/v1alpha1"
	"github.com/ichor-os/ichor/node/apid/settings"
	"github.com/ichor-os/ichor/node/identity"
	"github.com/ichor-os/ichor/node/service"
	"github.com/ichor-os/ichor/node/service/process"
	"github.com/ichor-os/ichor/pki"
)

// trustdPort is where control plane nodes sign certificates.
const trustdPort = "50001"

func (n *node) names() identity.Names {
	names := identity.Names{Hostname: n.platform.Hostname}
	for _, prefix := range n.platform.Addresses {
		names.Addresses = append(names.Addresses, prefix.Addr())
	}
	return names
}

// address is the node's first address.
func (n *node) address() netip.Addr { return n.platform.Addresses[0].Addr() }

// maintenance makes the API answer without a config and tells the console how
// to know this node.
func (n *node) maintenance() error {
	pair, fingerprint, err := identity.Maintenance(n.names(), time.Now())
	if err != nil {
		return err
	}
	if err := n.saveAPI(&settings.API{Mode: settings.Maintenance, Server: pair}); err != nil {
		return err
	}
	n.log.Info("node waits for its config", "stage", "maintenance", "address", n.address().String(), "fingerprint", fingerprint)
	return nil
}

// saveAPI tells apid what is in force.
func (n *node) saveAPI(api *settings.API) error {
	api.Self = n.names().Addressable()
	if err := os.MkdirAll(filepath.Dir(settings.DefaultAPIPath), 0o755); err != nil {
		return fmt.Errorf("write apid settings: %w", err)
	}
	return settings.Save(settings.DefaultAPIPath, api, apidUID)
}

// useConfig puts the machine CA of the config in force: from then on the API
// knows its callers by certificate.
func (n *node) useConfig(ctx context.Context, c *machineconfig.Config) error {
	machine := c.Main().Machine
	names := n.names()
	names.Further = machine.CertSANs
	ca := pairOf(machine.CA)
	authorities := append([]byte{}, ca.Crt...)
	for _, accepted := range machine.AcceptedCAs {
		authorities = append(append(authorities, '\n'), accepted.Crt...)
	}
	if len(ca.Key) == 0 {
		return n.useWorkerConfig(ctx, c, names, authorities)
	}
	server, client, err := identity.ControlPlane(ca, names, time.Now())
	if err != nil {
		return err
	}
	if err := n.saveAPI(&settings.API{Mode: settings.ControlPlane, CA: authorities, Server: server, Client: client}); err != nil {
		return err
	}
	return n.startTrustd(c.Main(), names, ca, authorities)
}

func (n *node) startTrustd(c *v1alpha1.Config, names identity.Names, ca pki.Pair, authorities []byte) error {
	names.Further = append(append([]string{}, names.Further...), c.Cluster.ControlPlane.Endpoint.Hostname())
	server, err := identity.Trustd(ca, names, time.Now())
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(settings.DefaultTrustPath), 0o755); err != nil {
		return fmt.Errorf("write trustd settings: %w", err)
	}
	err = settings.Save(settings.DefaultTrustPath, &settings.Trust{
		Server: server, Issuer: ca, CA: authorities, Token: c.Machine.Token,
	}, trustdUID)
	if err != nil {
		return err
	}
	return n.startService(n.trustdService())
}

func (n *node) trustdService() service.Service {
	return service.Service{
		ID:    "trustd",
		Needs: []string{"machined"},
		Runner: n.program("trustd", process.Spec{
			Path: "/proc/self/exe", Name: "trustd", UID: trustdUID, GID: trustdUID, OpenFiles: 1 << 14,
		}),
		Health:       &service.Health{Check: connects("127.0.0.1:" + trustdPort)},
		KeepsRunning: true,
	}
}

// useWorkerConfig asks a control plane node for the worker's certificate. Until
// it is there the API is silent: a node with a config is not in maintenance.
func (n *node) useWorkerConfig(ctx context.Context, c *machineconfig.Config, names identity.Names, authorities []byte) error {
	if err := n.services.Stop(ctx, "apid"); err != nil {
		return err
	}
	if err := os.Remove(settings.DefaultAPIPath); err != nil && !os.IsNotExist(err) {
		return fmt.Errorf("remove apid settings: %w", err)
	}
	host := c.Main().Cluster.ControlPlane.Endpoint.Hostname()
	last := ""
	for wait := 250 * time.Millisecond; ; wait = min(2*wait, 5*time.Second) {
		bounded, cancel := context.WithTimeout(ctx, 10*time.Second)
		pair, err := identity.Request(bounded, net.JoinHostPort(host, trustdPort), host, authorities, c.Main().Machine.Token, names)
		cancel()
		if err == nil {
			if err := n.saveAPI(&settings.API{Mode: settings.Worker, CA: authorities, Server: pair}); err != nil {
				return err
			}
			return n.services.Start("apid")
		}
		if err.Error() != last {
			last = err.Error()
			n.log.Warn("node has no certificate yet", "error", err)
		}
		if !pause(ctx, wait) {
			return ctx.Err()
		}
	}
}
