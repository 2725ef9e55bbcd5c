package kubernetes

import (
	"github.com/ichor-os/ichor/config/document"
	"github.com/ichor-os/ichor/config/documents/rules"
	"github.com/ichor-os/ichor/config/documents/v1alpha1"
)

// APIServerKind is the kind KubeAPIServerConfig.
var APIServerKind = &document.Kind{
	APIVersion: document.V1Alpha1, Kind: "KubeAPIServerConfig", Since: "1.14",
	New: func() document.Document { return new(APIServerConfig) },
	Doc: "Runs the Kubernetes API server on a control plane node.",
	Example: `apiVersion: v1alpha1
kind: KubeAPIServerConfig
image: registry.k8s.io/kube-apiserver:v1.36.3
extraArgs:
  feature-gates: ServerSideApply=true
certExtraSANs:
  - api.example.com
apiPort: 6443
`,
}

// APIServerConfig runs the API server.
type APIServerConfig struct {
	Image         string                       `yaml:"image" change:"restart=kube-apiserver" doc:"Image of the API server, with its version."`
	ExtraArgs     map[string]v1alpha1.Argument `yaml:"extraArgs,omitempty" merge:"perkey" change:"restart=kube-apiserver" doc:"Further flags, name to value. A list gives the flag several times."`
	Env           map[string]string            `yaml:"env,omitempty" secret:"true" change:"restart=kube-apiserver" doc:"Environment variables of the API server."`
	Resources     *v1alpha1.ResourcesConfig    `yaml:"resources,omitempty" change:"restart=kube-apiserver" doc:"Share of the machine that the API server may use."`
	APIPort       uint16                       `yaml:"apiPort,omitempty" change:"restart=kube-apiserver" cut:"network" doc:"Port to listen on." default:"6443"`
	CertExtraSANs []string                     `yaml:"certExtraSANs,omitempty" change:"restart=kube-apiserver" doc:"Further names and addresses for the API server's certificate."`
	StartupProbes *bool                        `yaml:"startupProbes,omitempty" change:"restart=kube-apiserver" doc:"Whether the kubelet gives the API server time to start before it checks on it."`
}

// Kind returns APIServerKind.
func (c *APIServerConfig) Kind() *document.Kind { return APIServerKind }

// Name is empty: there is one such document.
func (c *APIServerConfig) Name() string { return "" }

// Validate checks the document.
func (c *APIServerConfig) Validate(v *document.Validation) {
	rules.Image(v, "image", c.Image)
	validateResources(v, c.Resources)
	validateFlags(v, c.ExtraArgs)
}
