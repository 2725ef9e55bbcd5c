package kubernetes

import (
	"github.com/ichor-os/ichor/config/document"
	"github.com/ichor-os/ichor/config/documents/rules"
)

// InlineManifestKind is the kind KubeInlineManifestConfig.
var InlineManifestKind = &document.Kind{
	APIVersion: document.V1Alpha1, Kind: "KubeInlineManifestConfig", Named: true, Since: "1.14",
	New: func() document.Document { return new(InlineManifestConfig) },
	Doc: "Applies Kubernetes objects from the config when the cluster is made.",
	Example: `apiVersion: v1alpha1
kind: KubeInlineManifestConfig
name: namespace-ci
manifest: |
  apiVersion: v1
  kind: Namespace
  metadata:
    name: ci
`,
}

// InlineManifestConfig applies objects from the config.
type InlineManifestConfig struct {
	DocName  string `yaml:"name" doc:"Name of the manifest."`
	Manifest string `yaml:"manifest" doc:"Kubernetes objects, in YAML."`
}

// Kind returns InlineManifestKind.
func (c *InlineManifestConfig) Kind() *document.Kind { return InlineManifestKind }

// Name is the manifest's name.
func (c *InlineManifestConfig) Name() string { return c.DocName }

// Validate checks the document.
func (c *InlineManifestConfig) Validate(v *document.Validation) {
	rules.NameGiven(v, c.DocName)
	rules.Given(v, "manifest", c.Manifest)
}
