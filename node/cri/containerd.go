// Package cri configures containerd, the one container engine of a node, and
// serves the image cache that the operating system ships to it.
//
// Config renders containerd's configuration. Cache serves an OCI layout
// read-only as a registry on a loopback address; Hosts renders the hosts file
// that makes containerd ask it before any registry. So a pull by kubelet, by
// the system's own services and by clients takes one path.
package cri

import (
	"bytes"
	_ "embed"
	"fmt"
	"text/template"
)

// Settings are what containerd's configuration depends on.
type Settings struct {
	// Hosts is the folder with a hosts file per registry.
	Hosts string
	// Pause is the image of every pod's first container.
	Pause string
	// Namespaced says that the node is a set of namespaces of a computer that
	// keeps limits of its own: scores of processes cannot be lowered, and
	// controllers may be missing.
	Namespaced bool
}

//go:embed containerd.toml.tmpl
var configText string

var configTemplate = template.Must(template.New("containerd").Parse(configText))

// Config renders containerd's configuration.
func Config(s Settings) (string, error) {
	var out bytes.Buffer
	if err := configTemplate.Execute(&out, s); err != nil {
		return "", fmt.Errorf("render containerd configuration: %w", err)
	}
	return out.String(), nil
}

// Hosts renders the hosts file of all registries without one of their own: the
// cache first, then the registry itself.
func Hosts(cache string) string {
	if cache == "" {
		return ""
	}
	return fmt.Sprintf("[host.%q]\n  capabilities = [\"pull\", \"resolve\"]\n", cache)
}
