package network

import (
	"strconv"

	"github.com/ichor-os/ichor/config/document"
	"github.com/ichor-os/ichor/config/documents/rules"
	"github.com/ichor-os/ichor/config/scalar"
)

// Priorities that the kernel and the node itself use.
const (
	priorityLocal    = 0
	priorityKubeSpan = 32500
	priorityMain     = 32766
	priorityDefault  = 32767
)

// RoutingRuleKind is the kind RoutingRuleConfig.
var RoutingRuleKind = &document.Kind{
	APIVersion: document.V1Alpha1, Kind: "RoutingRuleConfig", Named: true, Since: "1.13",
	New: func() document.Document { return new(RoutingRuleConfig) },
	Doc: "Policy routing rule: which packets use which routing table. Its name is its priority; the lowest is tried first.",
	Example: `apiVersion: v1alpha1
kind: RoutingRuleConfig
name: "1000"
src: 192.0.2.0/24
table: "100"
`,
}

// RoutingRuleConfig is a policy routing rule.
type RoutingRuleConfig struct {
	DocName string              `yaml:"name" effect:"yes" cut:"network" doc:"Priority of the rule, 1 to 32765, as text."`
	Src     scalar.Prefix       `yaml:"src,omitempty" effect:"yes" cut:"network" doc:"Network that packets come from."`
	Dst     scalar.Prefix       `yaml:"dst,omitempty" effect:"yes" cut:"network" doc:"Network that packets go to."`
	Table   scalar.RoutingTable `yaml:"table" effect:"yes" cut:"network" doc:"Routing table that matching packets use."`
	Action  RoutingRuleAction   `yaml:"action,omitempty" effect:"yes" cut:"network" doc:"What happens to matching packets: a lookup in the table, or one of the ways to refuse them." enum:"unicast,blackhole,unreachable,prohibit" default:"unicast"`
	IIFName string              `yaml:"iifName,omitempty" effect:"yes" cut:"network" doc:"Link that packets came in on."`
	OIFName string              `yaml:"oifName,omitempty" effect:"yes" cut:"network" doc:"Link that the sending socket is bound to."`
	FwMark  uint32              `yaml:"fwMark,omitempty" effect:"yes" cut:"network" doc:"Firewall mark that packets carry."`
	FwMask  uint32              `yaml:"fwMask,omitempty" effect:"yes" cut:"network" doc:"Bits of the mark that count."`
}

// Kind returns RoutingRuleKind.
func (c *RoutingRuleConfig) Kind() *document.Kind { return RoutingRuleKind }

// Name is the rule's priority as text.
func (c *RoutingRuleConfig) Name() string { return c.DocName }

// Priority is the rule's priority, 0 if its name is no number.
func (c *RoutingRuleConfig) Priority() uint32 {
	priority, err := strconv.ParseUint(c.DocName, 10, 32)
	if err != nil {
		return 0
	}

	return uint32(priority)
}

// Validate checks the document.
func (c *RoutingRuleConfig) Validate(v *document.Validation) {
	if rules.NameGiven(v, c.DocName) {
		c.validatePriority(v)
	}

	if c.Table == scalar.TableUnspec && (c.Action.IsZero() || c.Action == RoutingRuleUnicast) {
		v.Errorf("table", "table is missing").Fix("add a table, or an action other than unicast")
	}

	if c.FwMask != 0 && c.FwMark == 0 {
		v.Errorf("fwMask", "fwMask is given without fwMark").Fix("add fwMark, or remove fwMask")
	}

	c.advise(v)
}

func (c *RoutingRuleConfig) validatePriority(v *document.Validation) {
	priority, err := strconv.ParseUint(c.DocName, 10, 32)
	if err != nil {
		v.Errorf("name", "name is no priority: %q", c.DocName).Fix("use a number from 1 to 32765")

		return
	}

	switch priority {
	case priorityLocal, priorityKubeSpan, priorityMain, priorityDefault:
		v.Errorf("name", "priority is reserved: %d", priority).Fix("use another number from 1 to 32765")
	}
}
