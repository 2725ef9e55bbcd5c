package kernel

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/ichor-os/ichor/config/documents/runtime"
	configspec "github.com/ichor-os/ichor/node/config/spec"
	"github.com/ichor-os/ichor/node/kernel/spec"
	"github.com/ichor-os/ichor/resource"
)

// lookAgain is how often the list of loaded modules is read.
const lookAgain = 30 * time.Second

// moduleName is a module's name as the kernel has it; files and configs may have
// hyphens.
func moduleName(name string) string { return strings.ReplaceAll(name, "-", "_") }

// ReconcileModules puts the modules that the config asks for. A document of its
// own counts before an entry of the main one.
func ReconcileModules(_ context.Context, s *resource.Session) error {
	config, ok, err := configspec.Config(s)
	if err != nil || !ok {
		return err
	}
	put := func(name string, parameters []string) {
		spec.KernelModuleSpecs.Put(s, moduleName(name), spec.KernelModuleSpecSpec{Name: name, Parameters: parameters})
	}
	if main := config.Main(); main != nil && main.Machine != nil && main.Machine.Kernel != nil {
		for _, m := range main.Machine.Kernel.Modules {
			put(m.Name, m.Parameters)
		}
	}
	for _, d := range config.Documents() {
		if m, ok := d.(*runtime.KernelModuleConfig); ok {
			put(m.DocName, m.Parameters)
		}
	}
	return nil
}

// LoadedModules is the source of the modules that the kernel has loaded; path is
// /proc/modules. Changed wakes it when a module was loaded.
func LoadedModules(path string, changed <-chan struct{}) resource.Block {
	return resource.Source("loaded-kernel-modules", spec.LoadedKernelModules, func(ctx context.Context, f *resource.Feed[spec.LoadedKernelModuleSpec]) error {
		tick := time.NewTicker(lookAgain)
		defer tick.Stop()
		for {
			items, err := readModules(path)
			if err != nil {
				return err
			}
			if err := f.Replace(items...); err != nil {
				return err
			}
			select {
			case <-tick.C:
			case <-changed:
			case <-ctx.Done():
				return nil
			}
		}
	})
}

func readModules(path string) ([]resource.Item[spec.LoadedKernelModuleSpec], error) {
	list, err := os.Open(path)
	if os.IsNotExist(err) {
		return nil, nil // a kernel without modules
	}
	if err != nil {
		return nil, fmt.Errorf("read kernel modules: %w", err)
	}
	defer list.Close()
	items, err := parseModules(list)
	if err != nil {
		return nil, fmt.Errorf("read kernel modules: %s: %w", path, err)
	}
	return items, nil
}

// parseModules reads lines such as
// "nf_nat 57344 2 xt_MASQUERADE,nft_chain_nat, Live 0x0000000000000000 (E)". The
// fourth field names who uses the module; what it depends on follows from that.
func parseModules(r io.Reader) ([]resource.Item[spec.LoadedKernelModuleSpec], error) {
	var items []resource.Item[spec.LoadedKernelModuleSpec]
	depends := map[string][]string{}
	lines := bufio.NewScanner(r)
	for lines.Scan() {
		fields := strings.Fields(lines.Text())
		if len(fields) < 6 {
			continue
		}
		size, err := strconv.Atoi(fields[1])
		if err != nil {
			return nil, fmt.Errorf("line %q: %w", lines.Text(), err)
		}
		count, err := strconv.Atoi(fields[2])
		if err != nil {
			count = 0 // "-": this kernel cannot unload
		}
		for user := range strings.SplitSeq(fields[3], ",") {
			if user != "" && user != "-" && !strings.HasPrefix(user, "[") {
				depends[user] = append(depends[user], fields[0])
			}
		}
		items = append(items, resource.Item[spec.LoadedKernelModuleSpec]{ID: fields[0], Spec: spec.LoadedKernelModuleSpec{
			Size: size, ReferenceCount: count, State: fields[4], Address: fields[5],
		}})
	}
	for i := range items {
		needs := depends[items[i].ID]
		slices.Sort(needs)
		items[i].Spec.Dependencies = needs
	}
	return items, lines.Err()
}
