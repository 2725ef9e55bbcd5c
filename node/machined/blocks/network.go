package blocks

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/ichor-os/ichor/node/address"
	"github.com/ichor-os/ichor/node/dhcp"
	"github.com/ichor-os/ichor/node/dns"
	"github.com/ichor-os/ichor/node/kernel"
	"github.com/ichor-os/ichor/node/link"
	linkspec "github.com/ichor-os/ichor/node/link/spec"
	"github.com/ichor-os/ichor/node/platform"
	clock "github.com/ichor-os/ichor/node/time"
	"github.com/ichor-os/ichor/resource"
)

// network are the blocks of links, addresses, routes and names, and of the
// files of /etc.
func network(n Needs) []resource.Block {
	clients := &dhcp.Clients{Log: n.Log, Hostname: hostname}
	all := slices.Concat(
		link.Blocks(n.Network),
		clients.Blocks(),
		[]resource.Block{resource.Reconciler("platform-network", platform.ReconcileNetwork)},
		address.Blocks(),
		dns.Blocks(dns.Options{Offline: n.SharedKernel}),
		clock.Servers(),
		[]resource.Block{
			n.Etc.Mirror(dns.PodResolvConf),
			resource.Reconciler("network-status", dns.ReconcileStatus),
		},
	)
	if n.SharedKernel {
		return all // its command line is not about this node
	}
	return append(all, kernel.Cmdline("/proc/cmdline"), resource.Reconciler("cmdline-network", platform.ReconcileCommandLine))
}

// namesBound is how long the node may take to have its name and its files.
const namesBound = 30 * time.Second

// WaitForNames waits until the node has an address, its name and its files of
// /etc: services read them when they start.
func WaitForNames(ctx context.Context, engine *resource.Engine) error {
	ctx, cancel := context.WithTimeout(ctx, namesBound)
	defer cancel()
	tick := time.NewTicker(2 * time.Millisecond)
	defer tick.Stop()
	for {
		var status linkspec.NetworkStatusSpec
		err := engine.View(ctx, func(s *resource.Session) error {
			status, _ = linkspec.NetworkStatuses.Get(s, "status")
			return nil
		})
		if err != nil || status.AddressReady && status.HostnameReady && status.EtcFilesReady {
			return err
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return fmt.Errorf("wait for names: address %t, host name %t, files of /etc %t: %w%s",
				status.AddressReady, status.HostnameReady, status.EtcFilesReady, ctx.Err(), unwell(engine))
		}
	}
}

// hostname is the name that the node has at present.
func hostname() string {
	name, err := os.Hostname()
	if err != nil {
		return ""
	}
	return name
}

// unwell names what the engine could not do.
func unwell(engine *resource.Engine) string {
	var text strings.Builder
	for _, status := range engine.Status() {
		if status.Reason != "" {
			fmt.Fprintf(&text, "; %s %s: %s", status.Name, status.State, status.Reason)
		}
	}
	return text.String()
}
