package scalar

import (
	"fmt"
	"net/netip"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/ichor-os/ichor/config/document"
)

// Address is an IP address, with a zone if it has one. Leading zeros are
// refused; it is written in the shortest form. The zero Address is absent.
type Address struct{ netip.Addr }

// ParseAddress reads an IP address; empty text is the zero value.
func ParseAddress(text string) (Address, error) {
	if text == "" {
		return Address{}, nil
	}

	addr, err := netip.ParseAddr(text)
	if err != nil {
		return Address{}, fmt.Errorf("IP address %q: want the form 192.0.2.1 or 2001:db8::1, without prefix length", text)
	}

	return Address{addr}, nil
}

// DecodeYAML reads an IP address.
func (a *Address) DecodeYAML(n *yaml.Node) error {
	text, err := word(n)
	if err != nil {
		return err
	}

	*a, err = ParseAddress(text)

	return err
}

// EncodeYAML writes the shortest form, or empty text.
func (a Address) EncodeYAML() *yaml.Node { return document.Text(a.String()) }

// String is the shortest form, "" when absent.
func (a Address) String() string {
	if !a.IsValid() {
		return ""
	}

	return a.Addr.String()
}

// IsZero tells whether the address is absent.
func (a Address) IsZero() bool { return !a.IsValid() }

// JSONSchema accepts text.
func (a Address) JSONSchema() map[string]any {
	return map[string]any{"type": "string", "pattern": addressPattern}
}

// Prefix is an IP address with a prefix length. Bits beyond the length are
// kept. The zero Prefix is absent.
type Prefix struct{ netip.Prefix }

// ParsePrefix reads ADDRESS/LENGTH; empty text is the zero value.
func ParsePrefix(text string) (Prefix, error) {
	if text == "" {
		return Prefix{}, nil
	}

	prefix, err := netip.ParsePrefix(text)
	if err != nil {
		return Prefix{}, fmt.Errorf("network %q: want an address with prefix length, such as 192.0.2.0/24 or 2001:db8::/64", text)
	}

	return Prefix{prefix}, nil
}

// DecodeYAML reads ADDRESS/LENGTH.
func (p *Prefix) DecodeYAML(n *yaml.Node) error {
	text, err := word(n)
	if err != nil {
		return err
	}

	*p, err = ParsePrefix(text)

	return err
}

// EncodeYAML writes ADDRESS/LENGTH, or empty text.
func (p Prefix) EncodeYAML() *yaml.Node { return document.Text(p.String()) }

// String is ADDRESS/LENGTH, "" when absent.
func (p Prefix) String() string {
	if !p.IsValid() {
		return ""
	}

	return p.Prefix.String()
}

// IsZero tells whether the prefix is absent.
func (p Prefix) IsZero() bool { return !p.IsValid() }

// JSONSchema accepts text.
func (p Prefix) JSONSchema() map[string]any {
	return map[string]any{"type": "string", "pattern": prefixPattern}
}

// AddrPort is an IP address with a port: 192.0.2.1:443 or [2001:db8::1]:443.
// Host names are refused. The zero AddrPort is absent.
type AddrPort struct{ netip.AddrPort }

// ParseAddrPort reads ADDRESS:PORT; empty text is the zero value.
func ParseAddrPort(text string) (AddrPort, error) {
	if text == "" {
		return AddrPort{}, nil
	}

	pair, err := netip.ParseAddrPort(text)
	if err != nil {
		return AddrPort{}, fmt.Errorf("endpoint %q: want an IP address and a port, such as 192.0.2.1:51820 or [2001:db8::1]:51820", text)
	}

	return AddrPort{pair}, nil
}

// DecodeYAML reads ADDRESS:PORT.
func (a *AddrPort) DecodeYAML(n *yaml.Node) error {
	text, err := word(n)
	if err != nil {
		return err
	}

	*a, err = ParseAddrPort(text)

	return err
}

// EncodeYAML writes ADDRESS:PORT, or empty text.
func (a AddrPort) EncodeYAML() *yaml.Node { return document.Text(a.String()) }

// String is ADDRESS:PORT, "" when absent.
func (a AddrPort) String() string {
	if !a.IsValid() {
		return ""
	}

	return a.AddrPort.String()
}

// IsZero tells whether the pair is absent.
func (a AddrPort) IsZero() bool { return !a.IsValid() }

// JSONSchema accepts text.
func (a AddrPort) JSONSchema() map[string]any {
	return map[string]any{"type": "string", "pattern": addrPortPattern}
}

// CheckSubnetFilter tells whether text is an address or a prefix, with an
// optional leading "!" that excludes it.
func CheckSubnetFilter(text string) error {
	body := strings.TrimPrefix(text, "!")

	if _, err := netip.ParsePrefix(body); err == nil {
		return nil
	}

	if _, err := netip.ParseAddr(body); err == nil {
		return nil
	}

	return fmt.Errorf("filter %q: want an address or a network, with a leading ! to exclude it", text)
}

// Form names the form of the value for readers.
func (Address) Form() string { return "IP address" }

// Form names the form of the value for readers.
func (Prefix) Form() string { return "network" }

// Form names the form of the value for readers.
func (AddrPort) Form() string { return "address:port" }
