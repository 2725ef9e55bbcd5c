// Package registry holds the config documents about container image
// registries: one file a kind.
package registry

import (
	"strings"

	"github.com/ichor-os/ichor/config/document"
)

// Kinds lists the kinds of this domain.
func Kinds() []*document.Kind {
	return []*document.Kind{AuthKind, MirrorKind, TLSKind}
}

// adviseRegistry looks at a registry's name: a host with an optional port, no URL.
func adviseRegistry(v *document.Validation, name string) {
	if strings.Contains(name, "/") {
		v.Advisef("name", "%q is no registry", name).Fix("use the host as in image references, such as docker.io or registry.example.com:5000")
	}
}
