// Package extension holds the config documents about system extensions.
package extension

import (
	"strings"

	"github.com/ichor-os/ichor/config/document"
	"github.com/ichor-os/ichor/config/documents/rules"
)

// Kinds lists the kinds of this domain.
func Kinds() []*document.Kind { return []*document.Kind{ServiceKind} }

// ServiceKind is the kind ExtensionServiceConfig.
var ServiceKind = &document.Kind{
	APIVersion: document.V1Alpha1, Kind: "ExtensionServiceConfig", Named: true, Since: "1.13",
	New: func() document.Document { return new(ServiceConfig) },
	Doc: "Gives files and environment variables to a service that a system extension brought.",
	Example: `apiVersion: v1alpha1
kind: ExtensionServiceConfig
name: frr
configFiles:
  - content: |
      router bgp 64512
    mountPath: /etc/frr/frr.conf
environment:
  - MODE=strict
`,
}

// ServiceConfig configures an extension's service.
type ServiceConfig struct {
	DocName     string   `yaml:"name" change:"restart=ext-*" doc:"Name of the service, without the prefix ext-."`
	ConfigFiles []File   `yaml:"configFiles,omitempty" merge:"key=mountPath" change:"restart=ext-*" doc:"Files to put into the service's container."`
	Environment []string `yaml:"environment,omitempty" secret:"true" change:"restart=ext-*" doc:"Environment variables of the service: NAME=value."`
}

// File is a file in the service's container.
type File struct {
	Content   string `yaml:"content" secret:"true" doc:"What the file holds."`
	MountPath string `yaml:"mountPath" doc:"Where the file appears in the container."`
}

// Kind returns ServiceKind.
func (c *ServiceConfig) Kind() *document.Kind { return ServiceKind }

// Name is the service's name.
func (c *ServiceConfig) Name() string { return c.DocName }

// Validate checks the document.
func (c *ServiceConfig) Validate(v *document.Validation) {
	rules.NameGiven(v, c.DocName)

	if len(c.ConfigFiles) == 0 && len(c.Environment) == 0 {
		v.Errorf("", "neither configFiles nor environment is given").Fix("add at least one of the two")
	}

	for i, f := range c.ConfigFiles {
		at := v.Item("configFiles", i)
		if !rules.Given(at, "content", f.Content) || !rules.Given(at, "mountPath", f.MountPath) {
			break
		}
	}

	c.advise(v)
}

func (c *ServiceConfig) advise(v *document.Validation) {
	seen := map[string]bool{}

	for i, f := range c.ConfigFiles {
		at := v.Item("configFiles", i)

		switch {
		case f.MountPath == "":
		case !strings.HasPrefix(f.MountPath, "/"):
			at.Advisef("mountPath", "path is not absolute: %q", f.MountPath)
		case seen[f.MountPath]:
			at.Advisef("mountPath", "path is used twice: %q", f.MountPath)
		}

		seen[f.MountPath] = true
	}

	for i, e := range c.Environment {
		if !strings.Contains(e, "=") {
			v.Item("environment", i).Advisef("", "variable has no value: %q", e).Fix("use the form NAME=value")
		}
	}
}
