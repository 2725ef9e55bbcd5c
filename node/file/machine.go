package file

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/pelletier/go-toml/v2"

	"github.com/ichor-os/ichor/config/documents/cri"
	"github.com/ichor-os/ichor/config/documents/v1alpha1"
	configspec "github.com/ichor-os/ichor/node/config/spec"
	"github.com/ichor-os/ichor/node/file/spec"
	"github.com/ichor-os/ichor/resource"
)

// ReconcileMachine puts the files of machine.files, and the parts that
// CRICustomizationConfig adds to the container runtime's configuration. An entry for a path that an
// earlier one has counts in its place, but appended texts come one after the other.
func ReconcileMachine(_ context.Context, s *resource.Session) error {
	config, ok, err := configspec.Config(s)
	if err != nil || !ok {
		return err
	}
	wanted := map[string]spec.MachineFileSpec{}
	for _, d := range config.Documents() {
		if part, ok := d.(*cri.CustomizationConfig); ok {
			wanted[PartFolder+"/"+part.DocName+".part"] = spec.MachineFileSpec{Content: []byte(part.Content), Mode: 0o644, Op: spec.OpOverwrite}
		}
	}
	var files []*v1alpha1.MachineFile
	if main := config.Main(); main != nil && main.Machine != nil {
		files = main.Machine.Files
	}
	for _, f := range files {
		want := spec.MachineFileSpec{Content: []byte(f.Content), Mode: fs.FileMode(f.Permissions), Op: f.Op}
		if before, ok := wanted[f.Path]; ok && f.Op == spec.OpAppend {
			want.Content = append(bytes.Clone(before.Content), want.Content...)
			want.Op = before.Op
		}
		wanted[f.Path] = want
	}
	for name, want := range wanted {
		if name != "" {
			spec.MachineFiles.Put(s, name, want)
		}
	}
	return nil
}

// Machine writes what the config wants on the node.
type Machine struct {
	// Var is /var; files stay in it.
	Var string
	// Parts is where the parts of the container runtime's configuration are
	// written that the config names below PartFolder.
	Parts string
}

// PartFolder is where a config may put parts of the container runtime's
// configuration, named *.part.
const PartFolder = "/etc/cri/conf.d"

// Mirror is the block that writes the files. One that the config does not name
// any more stays where it is on disk: what is in it may be somebody's.
func (m Machine) Mirror() resource.Block {
	return resource.Mirror("machine-files", spec.MachineFiles, nil,
		func(_ context.Context, s *resource.Session, r resource.Resource[spec.MachineFileSpec]) error {
			status := spec.MachineFileStatusSpec{Written: true}
			if err := m.write(r.ID, r.Spec); err != nil {
				status = spec.MachineFileStatusSpec{Problem: err.Error()}
			}
			spec.MachineFileStatuses.Put(s, r.ID, status)
			return nil
		},
		func(_ context.Context, _ *resource.Session, r resource.Resource[spec.MachineFileSpec]) error {
			name, ok := part(r.ID)
			if !ok {
				return nil
			}
			if err := os.Remove(filepath.Join(m.Parts, name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
				return fmt.Errorf("remove file: %s: %w", r.ID, err)
			}
			return nil
		})
}

// part gives the name of a part of the container runtime's configuration.
func part(name string) (string, bool) {
	folder, base := path.Split(path.Clean(name))
	return base, folder == PartFolder+"/" && path.Ext(base) == ".part"
}

func (m Machine) write(name string, want spec.MachineFileSpec) error {
	below, rest := "", ""
	if base, ok := part(name); ok {
		// Append makes no sense in memory, which is empty at each boot.
		below, rest = m.Parts, base
		// One that cannot be read would keep the container runtime from starting.
		if err := toml.Unmarshal(want.Content, &map[string]any{}); err != nil {
			return fmt.Errorf("the part is no TOML: %w", err)
		}
	} else if inside, ok := strings.CutPrefix(path.Clean(name), "/var/"); ok {
		below, rest = m.Var, inside
	} else {
		return fmt.Errorf("the file lies neither below /var nor is it a part such as %s/20-customization.part: nothing else of the system can be changed: "+
			"move it below /var and mount it from there, or use the key or document for what it sets", PartFolder)
	}
	root, err := os.OpenRoot(below)
	if err != nil {
		return err
	}
	defer root.Close()
	return place(root, rest, want)
}

// place writes a file within a folder that no link leads out of.
func place(root *os.Root, name string, want spec.MachineFileSpec) error {
	content := []byte(want.Content)
	old, err := root.ReadFile(name)
	switch {
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return err
	case err == nil && want.Op == spec.OpCreate:
		return nil
	case err == nil && want.Op == spec.OpAppend:
		if bytes.Contains(old, content) {
			return root.Chmod(name, want.Mode)
		}
		content = append(old, content...)
	case err == nil && bytes.Equal(old, content):
		return root.Chmod(name, want.Mode)
	}
	return replace(root, name, content, want.Mode)
}

// replace leaves the old content or the new one, whenever the machine stops.
func replace(root *os.Root, name string, content []byte, mode fs.FileMode) error {
	folder := filepath.Dir(name)
	if err := root.MkdirAll(folder, 0o755); err != nil {
		return err
	}
	temp := filepath.Join(folder, "."+filepath.Base(name)+".new")
	out, err := root.OpenFile(temp, os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = out.Write(content)
	if err = errors.Join(err, out.Chmod(mode), out.Sync(), out.Close()); err != nil {
		return err
	}
	if err := root.Rename(temp, name); err != nil {
		return err
	}
	parent, err := root.Open(folder)
	if err != nil {
		return err
	}
	defer parent.Close()
	return parent.Sync()
}
