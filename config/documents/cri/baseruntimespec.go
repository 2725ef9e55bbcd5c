package cri

import (
	"github.com/ichor-os/ichor/config/document"
)

// BaseRuntimeSpecKind is the kind CRIBaseRuntimeSpecConfig.
var BaseRuntimeSpecKind = &document.Kind{
	APIVersion: document.V1Alpha1, Kind: "CRIBaseRuntimeSpecConfig", Since: "1.14",
	New: func() document.Document { return new(BaseRuntimeSpecConfig) },
	Doc: "Changes the OCI runtime spec that every container starts from.",
	Example: `apiVersion: v1alpha1
kind: CRIBaseRuntimeSpecConfig
overrides:
  process:
    rlimits:
      - type: RLIMIT_NOFILE
        hard: 1024
        soft: 1024
`,
}

// BaseRuntimeSpecConfig changes the spec of all containers.
type BaseRuntimeSpecConfig struct {
	Overrides document.Freeform `yaml:"overrides,omitempty" change:"restart=containerd" doc:"Parts of an OCI runtime spec, which are put over the default one."`
}

// Kind returns BaseRuntimeSpecKind.
func (c *BaseRuntimeSpecConfig) Kind() *document.Kind { return BaseRuntimeSpecKind }

// Name is empty: there is one such document.
func (c *BaseRuntimeSpecConfig) Name() string { return "" }

// Validate accepts everything: the spec is checked against the runtime's by the main document's rule for the same key.
func (c *BaseRuntimeSpecConfig) Validate(v *document.Validation) {
	if len(c.Overrides) == 0 {
		v.Advisef("overrides", "document changes nothing")
	}
}
