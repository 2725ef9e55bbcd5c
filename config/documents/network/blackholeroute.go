package network

import (
	"net/netip"

	"github.com/ichor-os/ichor/config/document"
	"github.com/ichor-os/ichor/config/documents/rules"
)

// BlackholeRouteKind is the kind BlackholeRouteConfig.
var BlackholeRouteKind = &document.Kind{
	APIVersion: document.V1Alpha1, Kind: "BlackholeRouteConfig", Named: true, Since: "1.13",
	New: func() document.Document { return new(BlackholeRouteConfig) },
	Doc: "Drops packets to a network silently.",
	Example: `apiVersion: v1alpha1
kind: BlackholeRouteConfig
name: 198.51.100.0/24
metric: 4096
`,
}

// BlackholeRouteConfig drops packets to a network.
type BlackholeRouteConfig struct {
	DocName string `yaml:"name" effect:"yes" cut:"network" doc:"Network whose packets are dropped."`
	Metric  uint32 `yaml:"metric,omitempty" effect:"yes" cut:"network" doc:"Priority among routes to the same network; the lowest wins." default:"1024"`
}

// Kind returns BlackholeRouteKind.
func (c *BlackholeRouteConfig) Kind() *document.Kind { return BlackholeRouteKind }

// Name is the network.
func (c *BlackholeRouteConfig) Name() string { return c.DocName }

// Validate checks the document.
func (c *BlackholeRouteConfig) Validate(v *document.Validation) {
	if !rules.NameGiven(v, c.DocName) {
		return
	}

	prefix, err := netip.ParsePrefix(c.DocName)
	if err != nil {
		v.Errorf("name", "name is no network: %q", c.DocName).Fix("use an address with prefix length, such as 198.51.100.0/24")

		return
	}

	if prefix.Bits() == 0 {
		v.Advisef("name", "all traffic without a better route is dropped")
	}
}
