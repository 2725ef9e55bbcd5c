package kubernetes

import (
	"github.com/ichor-os/ichor/config/document"
	"github.com/ichor-os/ichor/config/documents/rules"
	"github.com/ichor-os/ichor/config/scalar"
)

// AuthorizerKind is the kind KubeAuthorizerConfig.
var AuthorizerKind = &document.Kind{
	APIVersion: document.V1Alpha1, Kind: "KubeAuthorizerConfig", Named: true, Since: "1.14",
	New: func() document.Document { return new(AuthorizerConfig) },
	Doc: "Adds an authorizer to the API server; they are asked in the order of the documents.",
	Example: `apiVersion: v1alpha1
kind: KubeAuthorizerConfig
name: hook
type: Webhook
webhook:
  timeout: 3s
  connectionInfo:
    type: InClusterConfig
`,
}

// AuthorizerConfig adds an authorizer.
type AuthorizerConfig struct {
	DocName string            `yaml:"name" change:"restart=kube-apiserver" doc:"Name of the authorizer."`
	Type    AuthorizerType    `yaml:"type,omitempty" change:"restart=kube-apiserver" doc:"Kind of authorizer." enum:"Node,RBAC,Webhook"`
	Webhook document.Freeform `yaml:"webhook,omitempty" change:"restart=kube-apiserver" doc:"Settings of a webhook, in Kubernetes' own form."`
}

type (
	// AuthorizerType is a kind of authorizer.
	AuthorizerType = scalar.Enum[authorizerTypes]

	authorizerTypes struct{}
)

func (authorizerTypes) Words() []string { return []string{"Node", "RBAC", "Webhook"} }

// Kind returns AuthorizerKind.
func (c *AuthorizerConfig) Kind() *document.Kind { return AuthorizerKind }

// Name is the authorizer's name.
func (c *AuthorizerConfig) Name() string { return c.DocName }

// Validate checks the document.
func (c *AuthorizerConfig) Validate(v *document.Validation) {
	rules.NameGiven(v, c.DocName)

	switch {
	case c.Type.IsZero():
		v.Errorf("type", "type is missing").Fix("use Node, RBAC or Webhook")
	case c.Type == "Webhook" && len(c.Webhook) == 0:
		v.Errorf("webhook", "settings of the webhook are missing").Fix("give webhook, in the form of Kubernetes' own configuration")
	case c.Type != "Webhook" && len(c.Webhook) > 0:
		v.Errorf("webhook", "an authorizer of type %s has no webhook", c.Type).Fix("remove the section")
	}
}
