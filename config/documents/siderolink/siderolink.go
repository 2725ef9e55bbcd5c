// Package siderolink holds the config document about the tunnel to a
// management service.
package siderolink

import (
	"github.com/ichor-os/ichor/config/document"
	"github.com/ichor-os/ichor/config/scalar"
)

// Kinds lists the kinds of this domain.
func Kinds() []*document.Kind { return []*document.Kind{Kind} }

// Kind is the kind SideroLinkConfig.
var Kind = &document.Kind{
	APIVersion: document.V1Alpha1, Kind: "SideroLinkConfig", Since: "1.13",
	New: func() document.Document { return new(Config) },
	Doc: "Connects the node to a management service by a point-to-point tunnel.",
	Example: `apiVersion: v1alpha1
kind: SideroLinkConfig
apiUrl: https://link.example.com:443/?jointoken=example
`,
}

// Config connects the node to a management service.
type Config struct {
	APIURL      scalar.WrittenURL `yaml:"apiUrl" secret:"true" cut:"network" doc:"Address of the service, https or grpc, with the token that lets the node join."`
	UniqueToken string            `yaml:"uniqueToken,omitempty" secret:"true" cut:"network" doc:"Token that tells this node from all others."`
}

// Kind returns Kind.
func (c *Config) Kind() *document.Kind { return Kind }

// Name is empty: there is one such document.
func (c *Config) Name() string { return "" }

// Validate checks the document.
func (c *Config) Validate(v *document.Validation) {
	if c.APIURL.String() == "" {
		v.Errorf("apiUrl", "URL is missing").Fix("add the address of the service")

		return
	}

	if s := c.APIURL.Scheme; s != "https" && s != "grpc" {
		v.Errorf("apiUrl", "scheme is not supported: %q", s).Fix("use https or grpc")
	}

	if p := c.APIURL.Path; p != "" && p != "/" {
		v.Errorf("apiUrl", "URL has a path: %q", p).Fix("remove the path")
	}

	if c.APIURL.Hostname() == "" {
		v.Advisef("apiUrl", "URL has no host")
	}
}
