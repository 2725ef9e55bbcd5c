package container

import (
	"strings"

	"github.com/ichor-os/ichor/config/document"
	"github.com/ichor-os/ichor/config/documents/rules"
	"github.com/ichor-os/ichor/config/scalar"
)

// Mount is a folder or volume that a container sees: exactly one of the three.
type Mount struct {
	UserVolume *UserVolumeMount `yaml:"userVolume,omitempty" doc:"A volume for workloads."`
	Tmpfs      *TmpfsMount      `yaml:"tmpfs,omitempty" doc:"A folder in memory."`
	HostPath   *HostPathMount   `yaml:"hostPath,omitempty" doc:"A folder or file of the node."`
}

// UserVolumeMount is a volume for workloads.
type UserVolumeMount struct {
	Name        string                        `yaml:"name,omitempty" doc:"Name of the volume: that of its UserVolumeConfig."`
	Destination string                        `yaml:"destination,omitempty" doc:"Where the container sees the volume."`
	Options     scalar.WordList[mountOptions] `yaml:"options,omitempty" doc:"Mount options." enum:"ro,rw,noexec,nosuid,nodev,noatime,rbind,rshared"`
}

// TmpfsMount is a folder in memory.
type TmpfsMount struct {
	Destination string      `yaml:"destination,omitempty" doc:"Where the container sees the folder."`
	Size        scalar.Size `yaml:"size,omitempty" doc:"The most that the folder may hold, such as 64MiB."`
	Options     []string    `yaml:"options,omitempty" doc:"Mount options."`
}

// HostPathMount is a folder or file of the node.
type HostPathMount struct {
	Source      string   `yaml:"source,omitempty" doc:"Path on the node."`
	Destination string   `yaml:"destination,omitempty" doc:"Where the container sees it."`
	Options     []string `yaml:"options,omitempty" doc:"Mount options."`
}

type mountOptions struct{}

func (mountOptions) Words() []string {
	return []string{"ro", "rw", "noexec", "nosuid", "nodev", "noatime", "rbind", "rshared"}
}

// validate checks the mount and returns its destination, "" if it has none.
func (m *Mount) validate(v *document.Validation) string {
	given := 0

	for _, present := range []bool{m.UserVolume != nil, m.Tmpfs != nil, m.HostPath != nil} {
		if present {
			given++
		}
	}

	if given != 1 {
		v.Errorf("", "mount has %d sources", given).Fix("give exactly one of userVolume, tmpfs and hostPath")

		return ""
	}

	switch {
	case m.UserVolume != nil:
		rules.Given(v, "userVolume.name", m.UserVolume.Name)

		return checkPath(v, "userVolume.destination", m.UserVolume.Destination)
	case m.Tmpfs != nil:
		if m.Tmpfs.Size.IsNegative() {
			v.Errorf("tmpfs.size", "size is negative: %s", m.Tmpfs.Size)
		}

		return checkPath(v, "tmpfs.destination", m.Tmpfs.Destination)
	default:
		checkPath(v, "hostPath.source", m.HostPath.Source)

		return checkPath(v, "hostPath.destination", m.HostPath.Destination)
	}
}

// checkPath demands an absolute path and returns it.
func checkPath(v *document.Validation, key, path string) string {
	if !rules.Given(v, key, path) {
		return ""
	}

	if !strings.HasPrefix(path, "/") {
		v.Errorf(key, "path is not absolute: %q", path)
	}

	return path
}
