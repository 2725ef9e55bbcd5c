package runtime

import (
	"maps"
	"regexp"
	"slices"

	"github.com/ichor-os/ichor/config/document"
)

// EnvironmentKind is the kind EnvironmentConfig.
var EnvironmentKind = &document.Kind{
	APIVersion: document.V1Alpha1, Kind: "EnvironmentConfig", Since: "1.13",
	New: func() document.Document { return new(EnvironmentConfig) },
	Doc: "Sets environment variables for the node's services, such as those for a proxy.",
	Example: `apiVersion: v1alpha1
kind: EnvironmentConfig
variables:
  https_proxy: http://proxy.example.com:3128
  no_proxy: 192.0.2.0/24,.example.com
`,
}

// EnvironmentConfig sets environment variables.
type EnvironmentConfig struct {
	Variables map[string]string `yaml:"variables,omitempty" change:"reboot" effect:"yes" secret:"true" doc:"Variables by name."`
}

// Kind returns EnvironmentKind.
func (c *EnvironmentConfig) Kind() *document.Kind { return EnvironmentKind }

// Name is empty: there is one such document.
func (c *EnvironmentConfig) Name() string { return "" }

var variableName = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)

// Validate checks the document.
func (c *EnvironmentConfig) Validate(v *document.Validation) {
	for _, name := range slices.Sorted(maps.Keys(c.Variables)) {
		if !variableName.MatchString(name) {
			v.At("variables").Errorf(name, "name is not valid: %q", name).Fix("use letters, digits and underscores, not starting with a digit")
		}
	}
}
