package network

import (
	"strings"

	"github.com/ichor-os/ichor/config/cel"
	"github.com/ichor-os/ichor/config/document"
	"github.com/ichor-os/ichor/config/documents/rules"
	"github.com/ichor-os/ichor/config/scalar"
)

// LinkAliasKind is the kind LinkAliasConfig.
var LinkAliasKind = &document.Kind{
	APIVersion: document.V1Alpha1, Kind: "LinkAliasConfig", Named: true, Since: "1.13",
	New: func() document.Document { return new(LinkAliasConfig) },
	Doc: "Gives links a second name by what they are, so that other documents need not know the kernel's names.",
	Example: `apiVersion: v1alpha1
kind: LinkAliasConfig
name: lan0
selector:
  match: mac(link.permanent_addr) == "02:00:5e:10:00:07"
`,
}

// LinkAliasConfig names links.
type LinkAliasConfig struct {
	DocName  string       `yaml:"name" effect:"yes" doc:"The alias. A trailing %d stands for a number, for a selector that matches several links."`
	Selector LinkSelector `yaml:"selector,omitempty" effect:"yes" doc:"Which links get the alias."`
}

// LinkSelector chooses links.
type LinkSelector struct {
	Match scalar.Expression `yaml:"match,omitempty" cut:"network" doc:"CEL expression over link that is true for the links to choose; mac() turns a hardware address into text."`
}

// Kind returns LinkAliasKind.
func (c *LinkAliasConfig) Kind() *document.Kind { return LinkAliasKind }

// Name is the alias.
func (c *LinkAliasConfig) Name() string { return c.DocName }

// Validate checks the document.
func (c *LinkAliasConfig) Validate(v *document.Validation) {
	if rules.NameGiven(v, c.DocName) {
		prefix := strings.TrimSuffix(c.DocName, "%d")
		if prefix == "" || strings.Contains(prefix, "%") {
			v.Errorf("name", "alias has a misplaced %%: %q", c.DocName).Fix("use %%d once, at the end, after at least one other character")
		}
	}

	if !rules.Given(v, "selector.match", string(c.Selector.Match)) {
		return
	}

	rules.Expression(v, "selector.match", cel.Link, c.Selector.Match)
	c.adviseSelector(v)
}
