package kubernetes

import (
	"github.com/ichor-os/ichor/config/document"
	"github.com/ichor-os/ichor/config/documents/rules"
	"github.com/ichor-os/ichor/config/scalar"
)

// ClusterKind is the kind KubeClusterConfig.
var ClusterKind = &document.Kind{
	APIVersion: document.V1Alpha1, Kind: "KubeClusterConfig", Since: "1.14",
	New: func() document.Document { return new(ClusterConfig) },
	Doc: "Names the Kubernetes cluster and its endpoint.",
	Example: `apiVersion: v1alpha1
kind: KubeClusterConfig
clusterName: orchard
endpoint: https://api.example.com:6443
`,
}

// ClusterConfig names the cluster.
type ClusterConfig struct {
	ClusterName string            `yaml:"clusterName" doc:"Name of the cluster."`
	Endpoint    scalar.WrittenURL `yaml:"endpoint" cut:"network" doc:"URL at which nodes and users reach the Kubernetes API."`
}

// Kind returns ClusterKind.
func (c *ClusterConfig) Kind() *document.Kind { return ClusterKind }

// Name is empty: there is one such document.
func (c *ClusterConfig) Name() string { return "" }

// Validate checks the document.
func (c *ClusterConfig) Validate(v *document.Validation) {
	rules.Given(v, "clusterName", c.ClusterName)
	rules.URL(v, "endpoint", c.Endpoint.URL, "https")
}
