package spec

// KernelCmdlineSpec is the spec of [KernelCmdlines].
type KernelCmdlineSpec struct {
	Cmdline string `yaml:"cmdline" protobuf:"1"`
}

// KernelModuleSpecSpec is the spec of [KernelModuleSpecs].
type KernelModuleSpecSpec struct {
	Name       string   `yaml:"string" protobuf:"1"`
	Parameters []string `yaml:"parameters" protobuf:"2"`
}

// LoadedKernelModuleSpec is the spec of [LoadedKernelModules].
type LoadedKernelModuleSpec struct {
	Size           int      `yaml:"size" protobuf:"1"`
	ReferenceCount int      `yaml:"referenceCount" protobuf:"2"`
	Dependencies   []string `yaml:"dependencies,omitempty" protobuf:"3"`
	State          string   `yaml:"state" protobuf:"4"`
	Address        string   `yaml:"address" protobuf:"5"`
}

// KernelParamSpecSpec is the spec of [KernelParamSpecs].
type KernelParamSpecSpec struct {
	Value        string `yaml:"value" protobuf:"1"`
	IgnoreErrors bool   `yaml:"ignoreErrors" protobuf:"2"`
}

// KernelParamDefaultSpecSpec is the spec of [KernelParamDefaultSpecs].
type KernelParamDefaultSpecSpec struct {
	Value        string `yaml:"value" protobuf:"1"`
	IgnoreErrors bool   `yaml:"ignoreErrors" protobuf:"2"`
}

// KernelParamStatusSpec is the spec of [KernelParamStatuses].
type KernelParamStatusSpec struct {
	Current     string `yaml:"current" protobuf:"1"`
	Default     string `yaml:"default" protobuf:"2"`
	Unsupported bool   `yaml:"unsupported" protobuf:"3"`
}
