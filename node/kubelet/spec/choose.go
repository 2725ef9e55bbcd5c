package spec

import (
	"fmt"
	"net/netip"
	"slices"
)

// Choose keeps the addresses that lie in one of valid, when there is any, and in
// none of excluded. Both hold subnets and addresses.
func Choose(addresses []netip.Addr, valid, excluded []string) ([]netip.Addr, error) {
	in, err := networks(valid)
	if err != nil {
		return nil, err
	}
	not, err := networks(excluded)
	if err != nil {
		return nil, err
	}
	var out []netip.Addr
	for _, a := range addresses {
		holds := func(p netip.Prefix) bool { return p.Contains(a) }
		if (len(in) == 0 || slices.ContainsFunc(in, holds)) && !slices.ContainsFunc(not, holds) {
			out = append(out, a)
		}
	}
	return out, nil
}

func networks(texts []string) ([]netip.Prefix, error) {
	var out []netip.Prefix
	for _, text := range texts {
		if a, err := netip.ParseAddr(text); err == nil {
			out = append(out, netip.PrefixFrom(a, a.BitLen()))
			continue
		}
		p, err := netip.ParsePrefix(text)
		if err != nil {
			return nil, fmt.Errorf("read subnet: %q: %w", text, err)
		}
		out = append(out, p.Masked())
	}
	return out, nil
}

// NameService is the address of the cluster's name service in a network of
// services: the tenth, by convention.
func NameService(network string) (netip.Addr, error) {
	prefix, err := netip.ParsePrefix(network)
	if err != nil {
		return netip.Addr{}, fmt.Errorf("read service network: %w", err)
	}
	address := prefix.Masked().Addr()
	for range 10 {
		address = address.Next()
	}
	return address, nil
}
