package kernel

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"

	"github.com/ichor-os/ichor/node/kernel/spec"
	"github.com/ichor-os/ichor/resource"
)

// Loader gives modules to the kernel; System is the real one.
type Loader interface {
	// Load loads one module from its file.
	Load(path, parameters string) error
	// Unload removes one that nothing uses; else the error is EAGAIN or EBUSY.
	Unload(name string) error
}

// System is the running kernel.
type System struct{}

// compressedFile is MODULE_INIT_COMPRESSED_FILE of linux/module.h.
const compressedFile = 4

// Load implements Loader with finit_module(2). The kernel unpacks compressed
// modules itself.
func (System) Load(path, parameters string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	flags := 0
	if filepath.Ext(path) != ".ko" {
		flags = compressedFile
	}
	return unix.FinitModule(int(f.Fd()), parameters, flags)
}

// Unload implements Loader with delete_module(2).
func (System) Unload(name string) error { return unix.DeleteModule(name, unix.O_NONBLOCK) }

// Modules loads what the config asks for.
type Modules struct {
	// Folder is /lib/modules/RELEASE, with modules.dep of depmod(8).
	Folder string
	// Sys is /sys, which names what is loaded or built in.
	Sys    string
	Loader Loader
	// Shared is true on a node whose kernel is not its own: it loads nothing.
	Shared bool
	// Changed is told of loads, without waiting.
	Changed chan<- struct{}
}

// ModuleFolder is the folder with the modules of the running kernel.
func ModuleFolder() string {
	var name unix.Utsname
	if err := unix.Uname(&name); err != nil {
		return "/lib/modules"
	}
	return filepath.Join("/lib/modules", unix.ByteSliceToString(name.Release[:]))
}

// Mirror is the block that loads modules, and unloads those that it loaded when
// nobody asks for them any more.
func (m *Modules) Mirror() resource.Block {
	return resource.Mirror("kernel-modules-load", spec.KernelModuleSpecs, nil, m.ensure, m.remove)
}

func (m *Modules) ensure(_ context.Context, s *resource.Session, r resource.Resource[spec.KernelModuleSpecSpec]) error {
	spec.LoadedKernelModules.Resource(s, r.ID) // again, when it comes or goes
	status := spec.WantedModuleSpec{Present: m.there(r.ID)}
	switch {
	case status.Present:
	case m.Shared:
		status.Problem = "modules belong to the kernel of the computer that this node runs on: load it there: modprobe " + r.Spec.Name
	default:
		if err := m.load(r.ID, r.Spec); err != nil {
			status.Problem = err.Error()
			s.WakeAfter(recheck)
			break
		}
		status.Present = true
	}
	spec.WantedModules.Put(s, r.ID, status)
	return nil
}

// load loads a module and what it depends on.
func (m *Modules) load(name string, want spec.KernelModuleSpecSpec) error {
	files, err := m.files(name)
	if err != nil {
		return err
	}
	for i, path := range files {
		parameters := ""
		if i == len(files)-1 {
			parameters = strings.Join(want.Parameters, " ")
		}
		if err := m.Loader.Load(path, parameters); err != nil && !errors.Is(err, unix.EEXIST) {
			return fmt.Errorf("load kernel module: %s: %s: %w", want.Name, path, err)
		}
	}
	select {
	case m.Changed <- struct{}{}:
	default:
	}
	return nil
}

// remove leaves a module that is in use: it goes with the next boot.
func (m *Modules) remove(_ context.Context, _ *resource.Session, r resource.Resource[spec.KernelModuleSpecSpec]) error {
	if m.Shared || !m.there(r.ID) {
		return nil
	}
	err := m.Loader.Unload(r.ID)
	for _, stays := range []error{unix.EAGAIN, unix.EBUSY, unix.ENOENT} {
		if errors.Is(err, stays) {
			return nil
		}
	}
	if err != nil {
		return fmt.Errorf("unload kernel module: %s: %w", r.Spec.Name, err)
	}
	return nil
}

// there says whether the module is loaded, or built in with parameters.
func (m *Modules) there(name string) bool {
	_, err := os.Stat(filepath.Join(m.Sys, "module", name))
	return err == nil
}

// files gives the files to load for a module, what it depends on first; none
// for a module that is built in.
func (m *Modules) files(name string) ([]string, error) {
	builtin, err := os.Open(filepath.Join(m.Folder, "modules.builtin"))
	if err == nil {
		defer builtin.Close()
		for lines := bufio.NewScanner(builtin); lines.Scan(); {
			if fileModule(lines.Text()) == name {
				return nil, nil
			}
		}
	}
	list, err := os.Open(filepath.Join(m.Folder, "modules.dep"))
	if err != nil {
		return nil, fmt.Errorf("load kernel module: %s: the root file system has no list of modules: %w", name, err)
	}
	defer list.Close()
	lines := bufio.NewScanner(list)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		path, needs, ok := strings.Cut(lines.Text(), ":")
		if !ok || fileModule(path) != name {
			continue
		}
		// depmod lists what is needed last, first.
		var files []string
		for _, need := range strings.Fields(needs) {
			files = append([]string{m.path(need)}, files...)
		}
		return append(files, m.path(path)), nil
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("load kernel module: %s: %w", name, err)
	}
	return nil, fmt.Errorf("load kernel module: %s: this kernel has no such module: remove it from machine.kernel.modules, or install a system extension that brings it", name)
}

func (m *Modules) path(file string) string {
	if filepath.IsAbs(file) {
		return file
	}
	return filepath.Join(m.Folder, file)
}

// fileModule is the name of the module in a file.
func fileModule(path string) string {
	name, _, _ := strings.Cut(filepath.Base(path), ".")
	return moduleName(name)
}
