package runtime

import (
	"time"

	"github.com/ichor-os/ichor/config/cel"
	"github.com/ichor-os/ichor/config/document"
	"github.com/ichor-os/ichor/config/documents/rules"
	"github.com/ichor-os/ichor/config/scalar"
)

// OOMKind is the kind OOMConfig.
var OOMKind = &document.Kind{
	APIVersion: document.V1Alpha1, Kind: "OOMConfig", Since: "1.13",
	New: func() document.Document { return new(OOMConfig) },
	Doc: "Tunes the handler that ends workloads before the machine runs out of memory.",
	Example: `apiVersion: v1alpha1
kind: OOMConfig
triggerExpression: memory_full_avg10 > 12.0 && d_memory_full_avg10 > 0.0
cgroupRankingExpression: 'memory_max.hasValue() ? 0.0 : double(memory_current.orValue(0u))'
sampleInterval: 250ms
`,
}

// OOMConfig tunes the out-of-memory handler.
type OOMConfig struct {
	TriggerExpression         scalar.Expression `yaml:"triggerExpression,omitempty" doc:"CEL expression over the kernel's pressure figures that is true when something has to be ended."`
	CgroupRankingExpression   scalar.Expression `yaml:"cgroupRankingExpression,omitempty" doc:"CEL expression that gives each cgroup a number; the highest is ended first."`
	StrictCgroupClassOrdering *bool             `yaml:"strictCgroupClassOrdering,omitempty" doc:"Whether no cgroup of a better service class is ended while one of a worse class is left."`
	SampleInterval            time.Duration     `yaml:"sampleInterval,omitempty" doc:"Time between two looks at memory." default:"500ms"`
}

// Kind returns OOMKind.
func (c *OOMConfig) Kind() *document.Kind { return OOMKind }

// Name is empty: there is one such document.
func (c *OOMConfig) Name() string { return "" }

// Validate checks the document.
func (c *OOMConfig) Validate(v *document.Validation) {
	if c.TriggerExpression != "" {
		rules.Expression(v, "triggerExpression", cel.OOMTrigger, c.TriggerExpression)
	}

	if c.CgroupRankingExpression != "" {
		rules.Expression(v, "cgroupRankingExpression", cel.OOMRanking, c.CgroupRankingExpression)
	}

	rules.NotNegative(v, "sampleInterval", c.SampleInterval)
}
