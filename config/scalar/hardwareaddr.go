package scalar

import (
	"encoding/hex"
	"fmt"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/ichor-os/ichor/config/document"
)

// HardwareAddr is a link-layer address or another identifier written in hex
// bytes, such as a DHCP unique identifier. Any length is allowed.
type HardwareAddr []byte

// ParseHardwareAddr reads hex digits with or without colons between the bytes.
// Dashes and dots are refused.
func ParseHardwareAddr(text string) (HardwareAddr, error) {
	if text == "" {
		return nil, nil
	}

	addr, err := hex.DecodeString(strings.ReplaceAll(text, ":", ""))
	if err != nil || len(addr) == 0 {
		return nil, fmt.Errorf("hardware address %q: want pairs of hex digits with or without colons, such as 02:00:5e:10:00:07", text)
	}

	return addr, nil
}

// DecodeYAML reads hex digits with or without colons.
func (a *HardwareAddr) DecodeYAML(n *yaml.Node) error {
	text, err := word(n)
	if err != nil {
		return err
	}

	parsed, err := ParseHardwareAddr(text)
	if err != nil {
		return err
	}

	*a = parsed

	return nil
}

// EncodeYAML writes the canonical form.
func (a HardwareAddr) EncodeYAML() *yaml.Node { return document.Text(a.String()) }

// String writes lower-case hex bytes with colons.
func (a HardwareAddr) String() string {
	if len(a) == 0 {
		return ""
	}

	out := make([]byte, 0, len(a)*3-1)

	for i, b := range a {
		if i > 0 {
			out = append(out, ':')
		}

		out = hex.AppendEncode(out, []byte{b})
	}

	return string(out)
}

// IsZero tells whether no byte was given.
func (a HardwareAddr) IsZero() bool { return len(a) == 0 }

// JSONSchema accepts hex digits; a bare run of decimal digits is a number in JSON.
func (a HardwareAddr) JSONSchema() map[string]any {
	return map[string]any{"type": []any{"string", "number"}, "pattern": "^(:*[0-9a-fA-F]:*[0-9a-fA-F]:*)*$"}
}

// Form names the form of the value for readers.
func (HardwareAddr) Form() string { return "hex bytes with colons" }
