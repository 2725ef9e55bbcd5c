package network

import (
	"github.com/ichor-os/ichor/config/document"
	"github.com/ichor-os/ichor/config/scalar"
)

// KubeSpanEndpointsKind is the kind KubeSpanEndpointsConfig.
var KubeSpanEndpointsKind = &document.Kind{
	APIVersion: document.V1Alpha1, Kind: "KubeSpanEndpointsConfig", Since: "1.13",
	New: func() document.Document { return new(KubeSpanEndpointsConfig) },
	Doc: "Announces further addresses at which the node's end of the mesh network can be reached, such as one that a router forwards.",
	Example: `apiVersion: v1alpha1
kind: KubeSpanEndpointsConfig
extraAnnouncedEndpoints:
  - 192.0.2.8:51820
`,
}

// KubeSpanEndpointsConfig announces further endpoints.
type KubeSpanEndpointsConfig struct {
	ExtraAnnouncedEndpoints []scalar.AddrPort `yaml:"extraAnnouncedEndpoints" doc:"Addresses with port to announce to the other nodes."`
}

// Kind returns KubeSpanEndpointsKind.
func (c *KubeSpanEndpointsConfig) Kind() *document.Kind { return KubeSpanEndpointsKind }

// Name is empty: there is one such document.
func (c *KubeSpanEndpointsConfig) Name() string { return "" }

// Validate accepts everything: each endpoint was checked on reading.
func (c *KubeSpanEndpointsConfig) Validate(*document.Validation) {}
