package kubernetes

import (
	"github.com/ichor-os/ichor/config/document"
)

// EtcdEncryptionKind is the kind KubeEtcdEncryptionConfig.
var EtcdEncryptionKind = &document.Kind{
	APIVersion: document.V1Alpha1, Kind: "KubeEtcdEncryptionConfig", Since: "1.14",
	New: func() document.Document { return new(EtcdEncryptionConfig) },
	Doc: "Says how the API server encrypts what it stores in etcd.",
	Example: `apiVersion: v1alpha1
kind: KubeEtcdEncryptionConfig
config:
  apiVersion: apiserver.config.k8s.io/v1
  kind: EncryptionConfiguration
  resources:
    - resources:
        - secrets
      providers:
        - identity: {}
`,
}

// EtcdEncryptionConfig is a document in Kubernetes' own form: says how the API server encrypts what it stores in etcd.
type EtcdEncryptionConfig struct {
	Config document.Freeform `yaml:"config,omitempty" secret:"true" change:"restart=kube-apiserver" doc:"The configuration, in Kubernetes' own form."`
}

// Kind returns EtcdEncryptionKind.
func (c *EtcdEncryptionConfig) Kind() *document.Kind { return EtcdEncryptionKind }

// Name is empty: there is one such document.
func (c *EtcdEncryptionConfig) Name() string { return "" }

// Validate checks the document.
func (c *EtcdEncryptionConfig) Validate(v *document.Validation) {
	validateFreeform(v, "config", c.Config)
}
