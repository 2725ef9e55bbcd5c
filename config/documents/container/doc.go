// Package container holds the config document about containers that run on a
// node beside Kubernetes.
package container

import "github.com/ichor-os/ichor/config/document"

// Kinds lists the kinds of this domain.
func Kinds() []*document.Kind { return []*document.Kind{ContainerKind} }
