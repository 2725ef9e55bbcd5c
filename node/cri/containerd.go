// Package cri configures containerd, the one container engine of a node, and
// serves the image cache that the operating system ships to it.
//
// Config renders containerd's configuration. Cache serves an OCI layout
// read-only as a registry on a loopback address; Hosts renders the hosts file
// that makes containerd ask it before any registry. So a pull by kubelet, by
// the system's own services and by clients takes one path.
package cri

import (
	_ "embed"
	"fmt"
	"path/filepath"
	"strconv"
	"strings"

	filespec "github.com/ichor-os/ichor/node/file/spec"
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

//go:embed containerd.toml
var configText string

// Config renders containerd's configuration. The text has no template language:
// a program that links text/template keeps every exported method of every type.
func Config(s Settings) string {
	return strings.NewReplacer(
		"@HOSTS@", strconv.Quote(s.Hosts),
		"@PAUSE@", strconv.Quote(s.Pause),
		"@NAMESPACED@", strconv.FormatBool(s.Namespaced),
	).Replace(configText)
}

// Folder is the folder of /etc that holds containerd's configuration.
const Folder = "cri/conf.d"

// ConfigPath is containerd's configuration on a node.
const ConfigPath = "/etc/" + Folder + "/containerd.toml"

// Files are what containerd reads, to be written to folder. cache is the URL of
// the image cache, or empty where there is none.
func Files(s Settings, folder, cache string) []filespec.File {
	files := []filespec.File{{Path: filepath.Join(folder, "containerd.toml"), Content: []byte(Config(s)), Mode: 0o644}}
	if cache != "" {
		files = append(files, filespec.File{
			Path: filepath.Join(folder, "hosts", "_default", "hosts.toml"), Content: []byte(Hosts(cache)), Mode: 0o644,
		})
	}
	return files
}

// Hosts renders the hosts file of all registries without one of their own: the
// cache first, then the registry itself.
func Hosts(cache string) string {
	return fmt.Sprintf("[host.%q]\n  capabilities = [\"pull\", \"resolve\"]\n", cache)
}
