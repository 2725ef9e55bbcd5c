// Package spec holds the resources about the kernel: its command line, parameters and modules.
package spec

import "github.com/ichor-os/ichor/resource"

// The kinds of this noun.
var (
	// KernelCmdlines: the command line that the kernel was started with.
	KernelCmdlines = resource.Define[KernelCmdlineSpec]("KernelCmdlines.runtime.talos.dev",
		resource.Namespace("runtime"), resource.DisplayType("KernelCmdline"), resource.Aliases("cmdline"), resource.Columns(
			resource.Column{Name: "Cmdline", Path: "{.cmdline}"},
		))
	// KernelModuleSpecs: a module that is to be loaded.
	KernelModuleSpecs = resource.Define[KernelModuleSpecSpec]("KernelModuleSpecs.runtime.talos.dev",
		resource.Namespace("runtime"), resource.DisplayType("KernelModuleSpec"))
	// LoadedKernelModules: a module that is loaded.
	LoadedKernelModules = resource.Define[LoadedKernelModuleSpec]("LoadedKernelModules.runtime.talos.dev",
		resource.Namespace("runtime"), resource.DisplayType("LoadedKernelModule"), resource.Aliases("module", "modules"), resource.Columns(
			resource.Column{Name: "State", Path: "{.state}"},
		))
	// KernelParamSpecs: a parameter that the config wants.
	KernelParamSpecs = resource.Define[KernelParamSpecSpec]("KernelParamSpecs.runtime.talos.dev",
		resource.Namespace("runtime"), resource.DisplayType("KernelParamSpec"))
	// KernelParamDefaultSpecs: a parameter that the system wants.
	KernelParamDefaultSpecs = resource.Define[KernelParamDefaultSpecSpec]("KernelParamDefaultSpecs.runtime.talos.dev",
		resource.Namespace("runtime"), resource.DisplayType("KernelParamDefaultSpec"))
	// KernelParamStatuses: a parameter as it is.
	KernelParamStatuses = resource.Define[KernelParamStatusSpec]("KernelParamStatuses.runtime.talos.dev",
		resource.Namespace("runtime"), resource.DisplayType("KernelParamStatus"), resource.Aliases("sysctls", "kernelparameters", "kernelparams"), resource.Columns(
			resource.Column{Name: "Current", Path: "{.current}"},
			resource.Column{Name: "Default", Path: "{.default}"},
			resource.Column{Name: "Unsupported", Path: "{.unsupported}"},
		))
)

// Kinds lists them.
func Kinds() []resource.AnyKind {
	return []resource.AnyKind{
		KernelCmdlines,
		KernelModuleSpecs,
		LoadedKernelModules,
		KernelParamSpecs,
		KernelParamDefaultSpecs,
		KernelParamStatuses,
	}
}
