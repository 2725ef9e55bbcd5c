package runtime

import (
	"strings"

	"github.com/ichor-os/ichor/config/document"
)

// UdevRulesKind is the kind UdevRulesConfig.
var UdevRulesKind = &document.Kind{
	APIVersion: document.V1Alpha1, Kind: "UdevRulesConfig", Since: "1.14",
	New: func() document.Document { return new(UdevRulesConfig) },
	Doc: "Adds rules for device files.",
	Example: `apiVersion: v1alpha1
kind: UdevRulesConfig
rules:
  - SUBSYSTEM=="drm", KERNEL=="renderD*", GROUP="44", MODE="0660"
`,
}

// UdevRulesConfig adds udev rules.
type UdevRulesConfig struct {
	Rules []string `yaml:"rules,omitempty" doc:"Rules, in the notation of udev."`
}

// Kind returns UdevRulesKind.
func (c *UdevRulesConfig) Kind() *document.Kind { return UdevRulesKind }

// Name is empty: there is one such document.
func (c *UdevRulesConfig) Name() string { return "" }

// Validate checks the document.
func (c *UdevRulesConfig) Validate(v *document.Validation) {
	for i, r := range c.Rules {
		if strings.TrimSpace(r) == "" {
			v.Item("rules", i).Errorf("", "rule is empty").Fix("remove it")
		}
	}
}
