package scalar

import (
	"fmt"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/ichor-os/ichor/config/document"
)

const maxPort = 65535

// PortRange is an inclusive range of TCP or UDP ports. One port is written as a
// bare integer, several as text "first-last". Low may exceed High in what was
// read; validation refuses that.
type PortRange struct {
	Low, High uint16
}

// ParsePortRange reads "first-last". A single port is refused: as text it is
// not a range.
func ParsePortRange(text string) (PortRange, error) {
	first, last, found := strings.Cut(text, "-")
	low, errLow := strconv.ParseUint(first, 10, 16)
	high, errHigh := strconv.ParseUint(last, 10, 16)

	if !found || errLow != nil || errHigh != nil {
		return PortRange{}, fmt.Errorf("port range %q: want a bare number or first-last with numbers from 0 to 65535", text)
	}

	return PortRange{Low: uint16(low), High: uint16(high)}, nil
}

// DecodeYAML reads a bare integer or the text "first-last".
func (p *PortRange) DecodeYAML(n *yaml.Node) error {
	text, err := word(n)
	if err != nil {
		return err
	}

	if isNumber(n) {
		port, negative, err := document.IntegerOf(n)
		if err != nil || negative && port > 0 || port > maxPort {
			return fmt.Errorf("port %s: want a number from 0 to 65535", text)
		}

		p.Low, p.High = uint16(port), uint16(port)

		return nil
	}

	parsed, err := ParsePortRange(text)
	if err != nil {
		return err
	}

	*p = parsed

	return nil
}

// EncodeYAML writes one port as a number, several as text.
func (p PortRange) EncodeYAML() *yaml.Node {
	if p.Low == p.High {
		return document.Plain(p.String())
	}

	return document.Text(p.String())
}

// isNumber tells whether a scalar was written as a bare number.
func isNumber(n *yaml.Node) bool {
	tag := n.ShortTag()

	return tag == "!!int" || tag == "!!float"
}

// String writes "first-last", or the number alone for a single port.
func (p PortRange) String() string {
	if p.Low == p.High {
		return strconv.Itoa(int(p.Low))
	}

	return strconv.Itoa(int(p.Low)) + "-" + strconv.Itoa(int(p.High))
}

// IsZero is false: port 0 is a port like others.
func (p PortRange) IsZero() bool { return false }

// JSONSchema accepts a number or "first-last".
func (p PortRange) JSONSchema() map[string]any {
	return map[string]any{"anyOf": []any{
		map[string]any{"type": "integer", "minimum": 0, "maximum": maxPort},
		map[string]any{"type": "string", "pattern": "^[0-9]+-[0-9]+$"},
	}}
}

// Overlaps tells whether p and q share a port.
func (p PortRange) Overlaps(q PortRange) bool { return p.Low <= q.High && q.Low <= p.High }

// Form names the form of the value for readers.
func (PortRange) Form() string { return "port or range of ports" }
