package scalar

import (
	"fmt"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/ichor-os/ichor/config/document"
)

// RoutingTable is a kernel routing table number. Tables 1 to 252 are written as
// their number in text, the tables the kernel reserves by name.
type RoutingTable uint8

// Reserved routing tables (linux/rtnetlink.h).
const (
	TableUnspec  RoutingTable = 0
	TableDefault RoutingTable = 253
	TableMain    RoutingTable = 254
	TableLocal   RoutingTable = 255
)

// ParseRoutingTable reads unspec, default, main, local or a number from 1 to
// 252. Empty text is refused.
func ParseRoutingTable(text string) (RoutingTable, error) {
	for _, table := range []RoutingTable{TableUnspec, TableDefault, TableMain, TableLocal} {
		if strings.EqualFold(text, table.String()) {
			return table, nil
		}
	}

	number, err := strconv.ParseUint(text, 10, 8)
	if err != nil || number == 0 || RoutingTable(number) >= TableDefault || strconv.FormatUint(number, 10) != text {
		return 0, fmt.Errorf("routing table %q: want unspec, default, main, local or a number from 1 to 252", text)
	}

	return RoutingTable(number), nil
}

// DecodeYAML reads a table's name or number.
func (t *RoutingTable) DecodeYAML(n *yaml.Node) error {
	text, err := word(n)
	if err != nil {
		return err
	}

	parsed, err := ParseRoutingTable(text)
	if err != nil {
		return err
	}

	*t = parsed

	return nil
}

// EncodeYAML writes the canonical form.
func (t RoutingTable) EncodeYAML() *yaml.Node { return document.Text(t.String()) }

// String writes the table's name or number.
func (t RoutingTable) String() string {
	switch t {
	case TableUnspec:
		return "unspec"
	case TableDefault:
		return "default"
	case TableMain:
		return "main"
	case TableLocal:
		return "local"
	default:
		return strconv.Itoa(int(t))
	}
}

// IsZero tells whether the table is unspec.
func (t RoutingTable) IsZero() bool { return t == TableUnspec }

// JSONSchema accepts the names and the numbers.
func (t RoutingTable) JSONSchema() map[string]any {
	return map[string]any{"anyOf": []any{
		map[string]any{"enum": []any{"unspec", "default", "main", "local"}},
		map[string]any{"type": "integer", "minimum": 1, "maximum": int(TableDefault) - 1},
		map[string]any{"type": "string", "pattern": "^([uU][nN][sS][pP][eE][cC]|[dD][eE][fF][aA][uU][lL][tT]|[mM][aA][iI][nN]|[lL][oO][cC][aA][lL]|[1-9][0-9]?|1[0-9][0-9]|2[0-4][0-9]|25[0-2])$"},
	}}
}

// Form names the form of the value for readers.
func (RoutingTable) Form() string { return "routing table" }
