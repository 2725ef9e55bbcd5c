package config

import (
	"github.com/ichor-os/ichor/config/patch"
)

// Patch is one loaded patch: strategic or JSON.
type Patch = patch.Patch

// LoadPatch reads a patch as a command line gives it: "@file", a file name,
// or the patch itself.
func LoadPatch(argument string) (*Patch, error) { return patch.Load(argument, options(nil)) }

// ParsePatch reads a patch's text; name says where it came from.
func ParsePatch(data []byte, name string) (*Patch, error) {
	return patch.Parse(data, name, options(nil))
}

// LoadPatches reads several patches in their order.
func LoadPatches(arguments ...string) ([]*Patch, error) {
	patches := make([]*Patch, 0, len(arguments))

	for _, a := range arguments {
		p, err := LoadPatch(a)
		if err != nil {
			return nil, err
		}

		patches = append(patches, p)
	}

	return patches, nil
}

// PatchText applies patches to a config's text; without patches the text is
// returned as it is. What a JSON patch gives is not decoded again.
func PatchText(base []byte, file string, patches ...*Patch) ([]byte, error) {
	return patch.Text(base, file, options(nil), patches...)
}

// Apply applies patches and gives the new config; c stays as it is.
func (c *Config) Apply(patches ...*Patch) (*Config, error) {
	parsed, err := patch.Documents(c.parsed, options(nil), patches...)
	if err != nil {
		return nil, err
	}

	return &Config{parsed: parsed, file: c.file}, nil
}

// KeepComments writes the result of patching with the comments that the base
// has on the keys and items that are still there.
func KeepComments(base, result []byte) ([]byte, error) { return patch.KeepComments(base, result) }
