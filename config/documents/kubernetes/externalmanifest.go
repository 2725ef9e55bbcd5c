package kubernetes

import (
	"github.com/ichor-os/ichor/config/document"
	"github.com/ichor-os/ichor/config/documents/rules"
	"github.com/ichor-os/ichor/config/scalar"
)

// ExternalManifestKind is the kind KubeExternalManifestConfig.
var ExternalManifestKind = &document.Kind{
	APIVersion: document.V1Alpha1, Kind: "KubeExternalManifestConfig", Named: true, Since: "1.14",
	New: func() document.Document { return new(ExternalManifestConfig) },
	Doc: "Applies Kubernetes objects from a URL when the cluster is made.",
	Example: `apiVersion: v1alpha1
kind: KubeExternalManifestConfig
name: ccm
url: https://manifests.example.com/ccm.yaml
`,
}

// ExternalManifestConfig applies objects from a URL.
type ExternalManifestConfig struct {
	DocName string            `yaml:"name" doc:"Name of the manifest."`
	Headers map[string]string `yaml:"headers,omitempty" secret:"true" doc:"HTTP headers of the request."`
	URL     scalar.WrittenURL `yaml:"url" doc:"Address of the manifest: http or https."`
}

// Kind returns ExternalManifestKind.
func (c *ExternalManifestConfig) Kind() *document.Kind { return ExternalManifestKind }

// Name is the manifest's name.
func (c *ExternalManifestConfig) Name() string { return c.DocName }

// Validate checks the document.
func (c *ExternalManifestConfig) Validate(v *document.Validation) {
	rules.NameGiven(v, c.DocName)
	rules.URL(v, "url", c.URL.URL, "http", "https")
}
