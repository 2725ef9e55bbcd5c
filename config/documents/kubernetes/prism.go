package kubernetes

import (
	"github.com/ichor-os/ichor/config/document"
)

// PrismKind is the kind KubePrismConfig.
var PrismKind = &document.Kind{
	APIVersion: document.V1Alpha1, Kind: "KubePrismConfig", Since: "1.14",
	New: func() document.Document { return new(PrismConfig) },
	Doc: "Serves the Kubernetes API on a local port of every node, whichever control plane node is up.",
	Example: `apiVersion: v1alpha1
kind: KubePrismConfig
port: 7445
`,
}

// PrismConfig serves the Kubernetes API locally.
type PrismConfig struct {
	Port          uint16 `yaml:"port" change:"restart=kubelet" doc:"Local port."`
	TLSServerName string `yaml:"tlsServerName,omitempty" change:"restart=kubelet" doc:"Name that the API server's certificate is checked for." default:"the address"`
}

// Kind returns PrismKind.
func (c *PrismConfig) Kind() *document.Kind { return PrismKind }

// Name is empty: there is one such document.
func (c *PrismConfig) Name() string { return "" }

// Validate checks the document.
func (c *PrismConfig) Validate(v *document.Validation) {
	if c.Port == 0 {
		v.Errorf("port", "port is missing").Fix("add a port; 7445 is usual")
	}
}
