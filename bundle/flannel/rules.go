package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"os/exec"
	"strings"

	"github.com/flannel-io/flannel/pkg/backend"
	"github.com/flannel-io/flannel/pkg/ip"
	"github.com/flannel-io/flannel/pkg/ipmatch"
	"github.com/flannel-io/flannel/pkg/lease"
	"github.com/flannel-io/flannel/pkg/subnet"
	"github.com/flannel-io/flannel/pkg/trafficmngr"
	"github.com/flannel-io/flannel/pkg/trafficmngr/iptables"
	"github.com/flannel-io/flannel/pkg/trafficmngr/nftables"
	"k8s.io/klog/v2"
)

// externalInterface finds the interface that leads to the other nodes: the
// first that the options name and that exists, or the one of the public
// address, or the one of the default route. A public address that an
// administrator has put on the node object wins over the option.
func externalInterface(ctx context.Context, o options, config *subnet.Config, leases subnet.Manager) (*backend.ExternalInterface, error) {
	family, err := ipmatch.GetIPFamily(config.EnableIPv4, config.EnableIPv6)
	if err != nil {
		return nil, fmt.Errorf("read network configuration: neither IPv4 nor IPv6 is enabled: %w", err)
	}
	public := ipmatch.PublicIPOpts{PublicIP: o.publicIP, PublicIPv6: o.publicIPv6}
	storedIPv4, storedIPv6 := leases.GetStoredPublicIP(ctx)
	if storedIPv4 != "" {
		public.PublicIP = storedIPv4
	}
	if storedIPv6 != "" {
		public.PublicIPv6 = storedIPv6
	}

	var failures []error
	try := func(name, pattern, reach string) *backend.ExternalInterface {
		found, err := ipmatch.LookupExtIface(name, pattern, reach, family, public)
		if err != nil {
			failures = append(failures, err)
			return nil
		}
		return found
	}
	for _, name := range o.interfaces {
		if found := try(name, "", ""); found != nil {
			return found, nil
		}
	}
	for _, pattern := range o.interfacePatterns {
		if found := try("", pattern, ""); found != nil {
			return found, nil
		}
	}
	if o.interfaceCanReach != "" {
		if found := try("", "", o.interfaceCanReach); found != nil {
			return found, nil
		}
	}
	if len(o.interfaces) == 0 && len(o.interfacePatterns) == 0 && o.interfaceCanReach == "" {
		address := public.PublicIP
		if address == "" {
			address = public.PublicIPv6
		}
		if found := try(address, "", ""); found != nil {
			return found, nil
		}
	}
	return nil, fmt.Errorf("find the interface to other nodes: %w", errors.Join(failures...))
}

// setUpRules installs the packet rules of the lease: translation, if it is asked
// for, and acceptance of forwarded packets. They are watched until ctx ends.
func setUpRules(ctx context.Context, o options, config *subnet.Config, leased *lease.Lease) error {
	_, err := exec.LookPath("iptables")
	rules, unused := chooseRules(config.EnableNFTables, err == nil)
	if unused != nil {
		// Rules of an earlier run that used the other kind.
		if err := unused.CleanUp(ctx); err != nil {
			return fmt.Errorf("remove packet rules of the other kind: %w", err)
		}
	}
	if err := rules.Init(ctx); err != nil {
		return fmt.Errorf("prepare packet rules: %w", err)
	}
	if o.ipMasq {
		previous, err := readPrevious(o.subnetFile)
		if err != nil {
			// The old rules stay until the next reboot; the new ones work.
			klog.ErrorS(err, "previous lease is unknown")
		}
		err = rules.SetupAndEnsureMasqRules(ctx,
			config.Network, previous.subnet, previous.network,
			config.IPv6Network, previous.subnetIPv6, previous.networkIPv6,
			leased, o.resyncSeconds, o.ipMasqNotRandom)
		if err != nil {
			return fmt.Errorf("set up address translation: %w", err)
		}
	}
	if o.forwardRules {
		rules.SetupAndEnsureForwardRules(ctx, config.Network, config.IPv6Network, o.resyncSeconds)
	}
	return nil
}

// chooseRules returns the kind of rules to use and the kind to clean up. Where
// there is no iptables there is nothing of its kind to clean up, and nftables is
// the only choice.
func chooseRules(wantNFTables, haveIPTables bool) (use, cleanUp trafficmngr.TrafficManager) {
	switch {
	case !haveIPTables:
		if !wantNFTables {
			klog.InfoS("there is no iptables here: using nftables, as with EnableNFTables")
		}
		return &nftables.NFTablesManager{}, nil
	case wantNFTables:
		return &nftables.NFTablesManager{}, &iptables.IPTablesManager{}
	default:
		return &iptables.IPTablesManager{}, &nftables.NFTablesManager{}
	}
}

// previousLease is what an earlier run wrote to the subnet file; zero if there
// was none.
type previousLease struct {
	network, subnet         ip.IP4Net
	networkIPv6, subnetIPv6 ip.IP6Net
}

func readPrevious(path string) (previousLease, error) {
	none := previousLease{
		networkIPv6: ip.IP6Net{IP: ip.FromIP6(net.IPv6zero)},
		subnetIPv6:  ip.IP6Net{IP: ip.FromIP6(net.IPv6zero)},
	}
	file, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return none, nil
	}
	if err != nil {
		return none, fmt.Errorf("read previous lease: %w", err)
	}
	defer file.Close()
	previous := none
	scanner := bufio.NewScanner(file)
	for scanner.Scan() {
		name, value, _ := strings.Cut(strings.TrimSpace(scanner.Text()), "=")
		if !strings.HasSuffix(name, "_NETWORK") && !strings.HasSuffix(name, "_SUBNET") {
			continue
		}
		_, prefix, err := net.ParseCIDR(value)
		if err != nil {
			return none, fmt.Errorf("read previous lease: %s: %s: %w", path, name, err)
		}
		switch name {
		case "FLANNEL_NETWORK":
			previous.network = ip.FromIPNet(prefix)
		case "FLANNEL_SUBNET":
			previous.subnet = ip.FromIPNet(prefix)
		case "FLANNEL_IPV6_NETWORK":
			previous.networkIPv6 = ip.FromIP6Net(prefix)
		case "FLANNEL_IPV6_SUBNET":
			previous.subnetIPv6 = ip.FromIP6Net(prefix)
		}
	}
	if err := scanner.Err(); err != nil {
		return none, fmt.Errorf("read previous lease: %s: %w", path, err)
	}
	return previous, nil
}
