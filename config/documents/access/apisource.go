package access

import (
	"github.com/ichor-os/ichor/config/document"
	"github.com/ichor-os/ichor/config/scalar"
)

// APISourceKind is the kind APISourceConfig.
var APISourceKind = &document.Kind{
	APIVersion: document.IchorV1Alpha1, Kind: "APISourceConfig", Since: "1.13",
	New: func() document.Document { return new(APISourceConfig) },
	Doc: "Says from which networks the node's API can be reached. Connections from elsewhere are closed before anything is read from them.",
	Example: `apiVersion: ichor.dev/v1alpha1
kind: APISourceConfig
subnets:
  - 192.0.2.0/24
  - 2001:db8::/48
`,
}

// APISourceConfig restricts who reaches the node's API.
type APISourceConfig struct {
	Subnets []scalar.Prefix `yaml:"subnets" merge:"replace" effect:"yes" change:"live" cut:"network" doc:"Networks that may connect, besides the node itself and the nodes of its cluster."`
}

// Kind returns APISourceKind.
func (c *APISourceConfig) Kind() *document.Kind { return APISourceKind }

// Name is empty: there is one such document.
func (c *APISourceConfig) Name() string { return "" }

// Validate checks the document.
func (c *APISourceConfig) Validate(v *document.Validation) {
	if len(c.Subnets) == 0 {
		v.Errorf("subnets", "no network is given").Fix("list at least one network, or remove the document")
	}

	for i, s := range c.Subnets {
		at := v.Item("subnets", i)

		switch {
		case s.IsZero():
			at.Errorf("", "network is empty")
		case s.Masked() != s.Prefix:
			at.Advisef("", "network has bits beyond its length: %s", s).Fix("write %s", s.Masked())
		case s.Bits() == 0:
			at.Advisef("", "every address lies in %s, so nothing is restricted", s)
		}
	}
}
