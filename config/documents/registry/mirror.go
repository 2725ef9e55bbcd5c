package registry

import (
	"github.com/ichor-os/ichor/config/document"
	"github.com/ichor-os/ichor/config/documents/rules"
	"github.com/ichor-os/ichor/config/scalar"
)

// MirrorKind is the kind RegistryMirrorConfig.
var MirrorKind = &document.Kind{
	APIVersion: document.V1Alpha1, Kind: "RegistryMirrorConfig", Named: true, Since: "1.13",
	New: func() document.Document { return new(MirrorConfig) },
	Doc: "Says where images of a registry are pulled from instead.",
	Example: `apiVersion: v1alpha1
kind: RegistryMirrorConfig
name: docker.io
endpoints:
  - url: https://mirror.example.com/docker
    overridePath: true
skipFallback: false
`,
}

// MirrorConfig redirects pulls from a registry.
type MirrorConfig struct {
	DocName      string     `yaml:"name" doc:"Registry as in image references; * stands for all that have no document of their own."`
	Endpoints    []Endpoint `yaml:"endpoints,omitempty" doc:"Mirrors, in the order they are tried."`
	SkipFallback *bool      `yaml:"skipFallback,omitempty" doc:"Whether the registry itself is never asked, even when no mirror has the image." default:"false"`
}

// Endpoint is a mirror.
type Endpoint struct {
	URL          scalar.WrittenURL `yaml:"url" doc:"Address of the mirror: http or https."`
	OverridePath *bool             `yaml:"overridePath,omitempty" doc:"Whether the address holds the whole path of the registry's API, so that /v2 is not added." default:"false"`
}

// Kind returns MirrorKind.
func (c *MirrorConfig) Kind() *document.Kind { return MirrorKind }

// Name is the registry.
func (c *MirrorConfig) Name() string { return c.DocName }

// Validate checks the document.
func (c *MirrorConfig) Validate(v *document.Validation) {
	if rules.NameGiven(v, c.DocName) {
		adviseRegistry(v, c.DocName)
	}

	for i, e := range c.Endpoints {
		at := v.Item("endpoints", i)

		if e.URL.String() == "" {
			at.Errorf("url", "URL is missing").Fix("add the address of the mirror")

			continue
		}

		switch e.URL.Scheme {
		case "http", "https":
			if e.URL.Host == "" {
				at.Advisef("url", "URL has no host")
			}
		default:
			at.Errorf("url", "scheme is not supported: %q", e.URL.Scheme).Fix("use http or https")
		}
	}

	if skip := c.SkipFallback; skip != nil && *skip && len(c.Endpoints) == 0 {
		v.Advisef("skipFallback", "no image of %s can be pulled: there is no mirror, and the registry is not asked", c.DocName)
	}
}
