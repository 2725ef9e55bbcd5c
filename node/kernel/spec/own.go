package spec

import "github.com/ichor-os/ichor/resource"

// WantedModuleSpec tells whether a module that the config asks for is there.
type WantedModuleSpec struct {
	// Present is true for one that is loaded or built in.
	Present bool `yaml:"present" protobuf:"1"`
	// Problem is why it is not.
	Problem string `yaml:"problem,omitempty" protobuf:"2"`
}

// WantedModules: whether a module that the config asks for is there. Clients of
// other systems do not know this kind.
var WantedModules = resource.Define[WantedModuleSpec]("WantedKernelModules.ichor.dev",
	resource.Namespace("runtime"), resource.DisplayType("WantedKernelModule"), resource.Columns(
		resource.Column{Name: "Present", Path: "{.present}"},
		resource.Column{Name: "Problem", Path: "{.problem}"},
	))

// Reason is the annotation of [KernelParamStatuses] that says why a parameter is
// not as it is wanted.
const Reason = "ichor.dev/reason"
