package kernel

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/ichor-os/ichor/config/documents/runtime"
	configspec "github.com/ichor-os/ichor/node/config/spec"
	"github.com/ichor-os/ichor/node/kernel/spec"
	"github.com/ichor-os/ichor/resource"
)

// Prefixes of the ids of parameters: the rest of an id is the name as sysctl(8)
// writes it, parts joined by dots, a dot inside of a part written as a slash.
const (
	sysctlPrefix = "proc.sys."
	sysfsPrefix  = "sys."
)

// ParameterSpec is a parameter that is to be in force: the config's value, or
// else the system's.
type ParameterSpec struct {
	Value        string `yaml:"value" protobuf:"1"`
	IgnoreErrors bool   `yaml:"ignoreErrors" protobuf:"2"`
}

// parameters are what the mirror brings into the kernel.
var parameters = resource.Define[ParameterSpec]("KernelParams.ichor.dev",
	resource.Namespace("runtime"), resource.DisplayType("KernelParam"), resource.OnlyAliases("wantedkernelparams"),
	resource.Columns(resource.Column{Name: "Value", Path: "{.value}"}))

// Kinds are those of this package's own.
func Kinds() []resource.AnyKind { return []resource.AnyKind{parameters, spec.WantedModules} }

// canonical makes an id of a name that somebody wrote: where a dot comes before
// any slash, dots separate the parts, else slashes do.
func canonical(prefix, name string) (string, error) {
	parts := strings.Split(name, "/")
	if dot := strings.IndexByte(name, '.'); dot >= 0 && !strings.Contains(name[:dot], "/") {
		parts = strings.Split(name, ".")
		for i := range parts {
			parts[i] = strings.ReplaceAll(parts[i], "/", ".")
		}
	}
	for i, part := range parts {
		if part == "" || part == "." || part == ".." || strings.ContainsRune(part, 0) {
			return "", fmt.Errorf("kernel parameter %q: the name is not valid: write it as net.ipv4.ip_forward", name)
		}
		parts[i] = strings.ReplaceAll(part, ".", "/")
	}
	return prefix + strings.Join(parts, "."), nil
}

// file is the path of a parameter's file.
func file(id string) string {
	parts := strings.Split(id, ".")
	for i := range parts {
		parts[i] = strings.ReplaceAll(parts[i], "/", ".")
	}
	return "/" + strings.Join(parts, "/")
}

// ReconcileConfigured puts what the config says of kernel parameters. Where the
// main document and a document of its own name the same, the latter counts.
func ReconcileConfigured(_ context.Context, s *resource.Session) error {
	config, ok, err := configspec.Config(s)
	if err != nil || !ok {
		return err
	}
	sysctls, sysfs := map[string]string{}, map[string]string{}
	if main := config.Main(); main != nil && main.Machine != nil {
		maps.Copy(sysctls, main.Machine.Sysctls)
		maps.Copy(sysfs, main.Machine.Sysfs)
	}
	wanted := map[string]string{}
	for _, tree := range []struct {
		prefix string
		params map[string]string
	}{{sysctlPrefix, sysctls}, {sysfsPrefix, sysfs}} {
		if err := add(wanted, tree.prefix, tree.params); err != nil {
			return err
		}
	}
	for _, d := range config.Documents() {
		var err error
		switch d := d.(type) {
		case *runtime.SysctlConfig:
			err = add(wanted, sysctlPrefix, d.Params)
		case *runtime.SysfsConfig:
			err = add(wanted, sysfsPrefix, d.Params)
		}
		if err != nil {
			return err
		}
	}
	for id, value := range wanted {
		spec.KernelParamSpecs.Put(s, id, spec.KernelParamSpecSpec{Value: value})
	}
	return nil
}

// add lays params over those that are wanted already.
func add(wanted map[string]string, prefix string, params map[string]string) error {
	for _, name := range slices.Sorted(maps.Keys(params)) {
		id, err := canonical(prefix, name)
		if err != nil {
			return err
		}
		wanted[id] = params[name]
	}
	return nil
}

// ReconcileDefaults puts what the system itself wants of the kernel.
func ReconcileDefaults(_ context.Context, s *resource.Session) error {
	for name, value := range needed {
		spec.KernelParamDefaultSpecs.Put(s, sysctlPrefix+name, spec.KernelParamDefaultSpecSpec{Value: value})
	}
	for name, value := range hardened {
		spec.KernelParamDefaultSpecs.Put(s, sysctlPrefix+name, spec.KernelParamDefaultSpecSpec{Value: value, IgnoreErrors: true})
	}
	return nil
}

// ReconcileWanted lays the config over the defaults.
func ReconcileWanted(_ context.Context, s *resource.Session) error {
	for _, r := range spec.KernelParamDefaultSpecs.List(s) {
		parameters.Put(s, r.ID, ParameterSpec(r.Spec))
	}
	for _, r := range spec.KernelParamSpecs.List(s) {
		parameters.Put(s, r.ID, ParameterSpec(r.Spec))
	}
	return nil
}
