package cluster

import (
	"github.com/ichor-os/ichor/config/document"
	"github.com/ichor-os/ichor/config/documents/rules"
	"github.com/ichor-os/ichor/config/scalar"
)

// DiscoveryServiceKind is the kind DiscoveryServiceConfig.
var DiscoveryServiceKind = &document.Kind{
	APIVersion: document.V1Alpha1, Kind: "DiscoveryServiceConfig", Named: true, Since: "1.14",
	New: func() document.Document { return new(DiscoveryServiceConfig) },
	Doc: "Names a service through which the nodes of a cluster find each other.",
	Example: `apiVersion: v1alpha1
kind: DiscoveryServiceConfig
name: local
endpoint: https://discovery.example.com/
`,
}

// DiscoveryServiceConfig names a discovery service.
type DiscoveryServiceConfig struct {
	DocName  string            `yaml:"name" doc:"Name of the service."`
	Endpoint scalar.WrittenURL `yaml:"endpoint" cut:"network" doc:"Address of the service: http, https or grpc."`
}

// Kind returns DiscoveryServiceKind.
func (c *DiscoveryServiceConfig) Kind() *document.Kind { return DiscoveryServiceKind }

// Name is the service's name.
func (c *DiscoveryServiceConfig) Name() string { return c.DocName }

// Validate checks the document.
func (c *DiscoveryServiceConfig) Validate(v *document.Validation) {
	rules.NameGiven(v, c.DocName)
	rules.URL(v, "endpoint", c.Endpoint.URL, "http", "https", "grpc")
}
