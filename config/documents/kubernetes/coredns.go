package kubernetes

import (
	"github.com/ichor-os/ichor/config/document"
	"github.com/ichor-os/ichor/config/documents/rules"
)

// CoreDNSKind is the kind KubeCoreDNSConfig.
var CoreDNSKind = &document.Kind{
	APIVersion: document.V1Alpha1, Kind: "KubeCoreDNSConfig", Since: "1.14",
	New: func() document.Document { return new(CoreDNSConfig) },
	Doc: "Runs the cluster's name server.",
	Example: `apiVersion: v1alpha1
kind: KubeCoreDNSConfig
enabled: true
image: registry.k8s.io/coredns/coredns:v1.14.1
`,
}

// CoreDNSConfig runs the cluster's name server.
type CoreDNSConfig struct {
	Enabled *bool  `yaml:"enabled,omitempty" doc:"Whether CoreDNS runs." default:"true"`
	Image   string `yaml:"image,omitempty" doc:"Image of CoreDNS, with its version."`
}

// Kind returns CoreDNSKind.
func (c *CoreDNSConfig) Kind() *document.Kind { return CoreDNSKind }

// Name is empty: there is one such document.
func (c *CoreDNSConfig) Name() string { return "" }

// Validate checks the document.
func (c *CoreDNSConfig) Validate(v *document.Validation) {
	if c.Image != "" {
		rules.Image(v, "image", c.Image)
	}
}
