package spec

// MountStatusSpec is the spec of [MountStatuses].
type MountStatusSpec struct {
	Source              string   `yaml:"source" protobuf:"1"`
	Target              string   `yaml:"target" protobuf:"2"`
	FilesystemType      string   `yaml:"filesystemType" protobuf:"3"`
	Options             []string `yaml:"options" protobuf:"4"`
	Encrypted           bool     `yaml:"encrypted" protobuf:"5"`
	EncryptionProviders []string `yaml:"encryptionProviders,omitempty" protobuf:"6"`
}
