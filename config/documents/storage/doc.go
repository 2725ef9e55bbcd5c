// Package storage holds the config documents about volumes that span disks:
// one file a kind.
package storage

import (
	"regexp"

	"github.com/ichor-os/ichor/config/document"
	"github.com/ichor-os/ichor/config/documents/rules"
)

// Kinds lists the kinds of this domain.
func Kinds() []*document.Kind {
	return []*document.Kind{LVMLogicalVolumeKind, LVMVolumeGroupKind, RAIDArrayKind}
}

var namePattern = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9-]*$`)

func checkName(v *document.Validation, name string) {
	if rules.NameGiven(v, name) && !namePattern.MatchString(name) {
		v.Errorf("name", "name holds other characters than letters, digits and dashes: %q", name)
	}
}
