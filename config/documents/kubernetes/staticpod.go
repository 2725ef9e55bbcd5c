package kubernetes

import (
	"github.com/ichor-os/ichor/config/document"
	"github.com/ichor-os/ichor/config/documents/rules"
)

// StaticPodKind is the kind KubeStaticPodConfig.
var StaticPodKind = &document.Kind{
	APIVersion: document.V1Alpha1, Kind: "KubeStaticPodConfig", Named: true, Since: "1.14",
	New: func() document.Document { return new(StaticPodConfig) },
	Doc: "Has the kubelet run a pod without the API server.",
	Example: `apiVersion: v1alpha1
kind: KubeStaticPodConfig
name: nginx
pod:
  apiVersion: v1
  kind: Pod
  metadata:
    name: nginx
  spec:
    containers:
      - name: nginx
        image: registry.example.com/nginx:1.29
`,
}

// StaticPodConfig runs a pod without the API server.
type StaticPodConfig struct {
	DocName string            `yaml:"name" doc:"Name of the document."`
	Pod     document.Freeform `yaml:"pod" doc:"The pod, in Kubernetes' own form."`
}

// Kind returns StaticPodKind.
func (c *StaticPodConfig) Kind() *document.Kind { return StaticPodKind }

// Name is the document's name.
func (c *StaticPodConfig) Name() string { return c.DocName }

// Validate checks the document.
func (c *StaticPodConfig) Validate(v *document.Validation) {
	rules.NameGiven(v, c.DocName)

	if k, given := c.Pod["kind"]; len(c.Pod) == 0 || given && k != "Pod" {
		v.Errorf("pod", "value is no pod").Fix("put an object of kind Pod here")
	}
}
