package network

import "github.com/ichor-os/ichor/config/document"

// DefaultActionKind is the kind NetworkDefaultActionConfig.
var DefaultActionKind = &document.Kind{
	APIVersion: document.V1Alpha1, Kind: "NetworkDefaultActionConfig", Since: "1.13",
	New: func() document.Document { return new(DefaultActionConfig) },
	Doc: "Says what the firewall does with incoming packets that no rule names.",
	Example: `apiVersion: v1alpha1
kind: NetworkDefaultActionConfig
ingress: block
`,
}

// DefaultActionConfig sets the firewall's default.
type DefaultActionConfig struct {
	Ingress DefaultAction `yaml:"ingress" cut:"network" doc:"Whether incoming packets that no rule names are let in." enum:"accept,block" default:"accept"`
}

// Kind returns DefaultActionKind.
func (c *DefaultActionConfig) Kind() *document.Kind { return DefaultActionKind }

// Name is empty: there is one such document.
func (c *DefaultActionConfig) Name() string { return "" }

// Validate accepts everything: the word was checked on reading.
func (c *DefaultActionConfig) Validate(*document.Validation) {}
