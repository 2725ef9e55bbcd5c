package kubernetes

import (
	"slices"
	"strings"

	"github.com/ichor-os/ichor/config/document"
)

// APIAccessKind is the kind KubeTalosAPIAccessConfig.
var APIAccessKind = &document.Kind{
	APIVersion: document.V1Alpha1, Kind: "KubeTalosAPIAccessConfig", Since: "1.14",
	New: func() document.Document { return new(APIAccessConfig) },
	Doc: "Lets pods call the node API.",
	Example: `apiVersion: v1alpha1
kind: KubeTalosAPIAccessConfig
allowedRoles:
  - os:reader
allowedKubernetesNamespaces:
  - kube-system
`,
}

// APIAccessConfig lets pods call the node API.
type APIAccessConfig struct {
	AllowedRoles                []string `yaml:"allowedRoles,omitempty" doc:"Roles that pods may ask for."`
	AllowedKubernetesNamespaces []string `yaml:"allowedKubernetesNamespaces,omitempty" doc:"Namespaces whose pods may ask."`
}

// roles are the roles of the node API.
var roles = []string{"os:admin", "os:operator", "os:reader", "os:etcd:backup", "os:impersonator"}

// Kind returns APIAccessKind.
func (c *APIAccessConfig) Kind() *document.Kind { return APIAccessKind }

// Name is empty: there is one such document.
func (c *APIAccessConfig) Name() string { return "" }

// Validate checks the document.
func (c *APIAccessConfig) Validate(v *document.Validation) {
	for i, r := range c.AllowedRoles {
		if !slices.Contains(roles, r) {
			v.Item("allowedRoles", i).Errorf("", "role is not known: %q", r).Fix("use one of %s", strings.Join(roles, ", "))
		}
	}
}
