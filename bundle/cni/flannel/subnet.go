package main

import (
	"fmt"
	"net/netip"
	"os"
	"strconv"
	"strings"
)

// subnet is what flanneld writes about the node's lease.
type subnet struct {
	Networks []netip.Prefix // of all nodes
	Subnets  []netip.Prefix // of this node
	MTU      int            // bytes
	IPMasq   bool           // flanneld translates addresses of outgoing packets
}

// readSubnet reads flanneld's file: lines NAME=VALUE. The subnets stand there
// with the node's own address, which is dropped.
func readSubnet(path string) (subnet, error) {
	content, err := os.ReadFile(path)
	if err != nil {
		return subnet{}, fmt.Errorf("read flanneld's subnet file: %w", err)
	}
	leased, err := parseSubnet(string(content))
	if err != nil {
		return subnet{}, fmt.Errorf("read flanneld's subnet file: %s: %w", path, err)
	}
	return leased, nil
}

func parseSubnet(text string) (subnet, error) {
	var leased subnet
	var err error
	for line := range strings.Lines(text) {
		name, value, _ := strings.Cut(strings.TrimSpace(line), "=")
		switch name {
		case "FLANNEL_NETWORK", "FLANNEL_IPV6_NETWORK":
			// A network may be several, separated by commas.
			leased.Networks, err = appendPrefixes(leased.Networks, value)
		case "FLANNEL_SUBNET", "FLANNEL_IPV6_SUBNET":
			leased.Subnets, err = appendPrefixes(leased.Subnets, value)
		case "FLANNEL_MTU":
			leased.MTU, err = strconv.Atoi(value)
		case "FLANNEL_IPMASQ":
			leased.IPMasq, err = strconv.ParseBool(value)
		}
		if err != nil {
			return subnet{}, fmt.Errorf("%s: %w", name, err)
		}
	}
	if len(leased.Networks) == 0 || len(leased.Subnets) == 0 || leased.MTU <= 0 {
		return subnet{}, fmt.Errorf("is incomplete: network %v, subnet %v, MTU %d", leased.Networks, leased.Subnets, leased.MTU)
	}
	return leased, nil
}

func appendPrefixes(prefixes []netip.Prefix, list string) ([]netip.Prefix, error) {
	for item := range strings.SplitSeq(list, ",") {
		prefix, err := netip.ParsePrefix(item)
		if err != nil {
			return nil, err
		}
		prefixes = append(prefixes, prefix.Masked())
	}
	return prefixes, nil
}
