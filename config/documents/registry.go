// Package documents lists every kind of config document. It is a plain list:
// nothing registers itself, and nothing happens before main.
package documents

import (
	"slices"

	"github.com/ichor-os/ichor/config/document"
	"github.com/ichor-os/ichor/config/documents/access"
	"github.com/ichor-os/ichor/config/documents/block"
	"github.com/ichor-os/ichor/config/documents/cluster"
	"github.com/ichor-os/ichor/config/documents/container"
	"github.com/ichor-os/ichor/config/documents/cri"
	"github.com/ichor-os/ichor/config/documents/extension"
	"github.com/ichor-os/ichor/config/documents/hardware"
	"github.com/ichor-os/ichor/config/documents/kubernetes"
	"github.com/ichor-os/ichor/config/documents/lifecycle"
	"github.com/ichor-os/ichor/config/documents/network"
	"github.com/ichor-os/ichor/config/documents/registry"
	"github.com/ichor-os/ichor/config/documents/runtime"
	"github.com/ichor-os/ichor/config/documents/security"
	"github.com/ichor-os/ichor/config/documents/siderolink"
	"github.com/ichor-os/ichor/config/documents/storage"
	"github.com/ichor-os/ichor/config/documents/v1alpha1"
)

// kinds is the list of all kinds: the main document, then by domain.
var kinds = slices.Concat(
	[]*document.Kind{v1alpha1.Kind},
	access.Kinds(),
	block.Kinds(),
	cluster.Kinds(),
	container.Kinds(),
	cri.Kinds(),
	extension.Kinds(),
	hardware.Kinds(),
	kubernetes.Kinds(),
	lifecycle.Kinds(),
	network.Kinds(),
	registry.Kinds(),
	runtime.Kinds(),
	security.Kinds(),
	siderolink.Kinds(),
	storage.Kinds(),
)

// Kinds returns every kind that decoding knows. The slice must not be changed.
func Kinds() []*document.Kind { return kinds }

// Lookup finds a kind by what a document carries; nil if there is none.
func Lookup(apiVersion, kind string) *document.Kind {
	for _, k := range kinds {
		if k.Kind == kind && k.APIVersion == apiVersion {
			return k
		}
	}

	return nil
}
