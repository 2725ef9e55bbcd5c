package network

import (
	"github.com/ichor-os/ichor/config/document"
	"github.com/ichor-os/ichor/config/documents/rules"
	"github.com/ichor-os/ichor/config/scalar"
)

// RuleKind is the kind NetworkRuleConfig.
var RuleKind = &document.Kind{
	APIVersion: document.V1Alpha1, Kind: "NetworkRuleConfig", Named: true, Since: "1.13",
	New: func() document.Document { return new(RuleConfig) },
	Doc: "Firewall rule: who may reach ports of the node.",
	Example: `apiVersion: v1alpha1
kind: NetworkRuleConfig
name: kubelet
portSelector:
  ports:
    - 10250
  protocol: tcp
ingress:
  - subnet: 192.0.2.0/24
    except: 192.0.2.7/32
`,
}

// RuleConfig is a firewall rule.
type RuleConfig struct {
	DocName      string        `yaml:"name" doc:"Name of the rule."`
	PortSelector PortSelector  `yaml:"portSelector" cut:"network" doc:"Ports that the rule is about."`
	Ingress      []IngressRule `yaml:"ingress" merge:"replace" cut:"network" doc:"Networks that may reach the ports; all others may not."`
}

// PortSelector chooses ports.
type PortSelector struct {
	Ports    []scalar.PortRange `yaml:"ports" merge:"replace" doc:"Ports and ranges of ports, which must not overlap."`
	Protocol Protocol           `yaml:"protocol,omitempty" doc:"Protocol of the packets." enum:"tcp,udp,icmp,icmpv6"`
}

// IngressRule is a network that may reach the ports.
type IngressRule struct {
	Subnet scalar.Prefix `yaml:"subnet" doc:"Network that may reach the ports."`
	Except scalar.Prefix `yaml:"except,omitempty" doc:"Part of that network that may not."`
}

// Kind returns RuleKind.
func (c *RuleConfig) Kind() *document.Kind { return RuleKind }

// Name is the rule's name.
func (c *RuleConfig) Name() string { return c.DocName }

// Validate reports the first fault of the document.
func (c *RuleConfig) Validate(v *document.Validation) {
	_ = rules.NameGiven(v, c.DocName) && c.validatePorts(v.At("portSelector")) && c.validateIngress(v)

	c.adviseRule(v)
}

func (c *RuleConfig) validatePorts(v *document.Validation) bool {
	ports := c.PortSelector.Ports
	if len(ports) == 0 {
		v.Errorf("ports", "rule has no ports").Fix("list at least one port")

		return false
	}

	for i, p := range ports {
		at := v.Item("ports", i)

		if p.Low > p.High {
			at.Errorf("", "range starts behind its end: %s", p).Fix("use %d-%d", p.High, p.Low)

			return false
		}

		for _, q := range ports[:i] {
			if p.Overlaps(q) {
				at.Errorf("", "ports overlap: %s and %s", q, p).Fix("join the two ranges")

				return false
			}
		}
	}

	return true
}

func (c *RuleConfig) validateIngress(v *document.Validation) bool {
	for i, r := range c.Ingress {
		if r.Subnet.IsZero() {
			v.Item("ingress", i).Errorf("subnet", "subnet is missing").Fix("add a network, such as 192.0.2.0/24")

			return false
		}
	}

	return true
}
