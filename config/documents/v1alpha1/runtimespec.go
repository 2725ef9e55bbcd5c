package v1alpha1

import (
	"encoding/json"

	specs "github.com/opencontainers/runtime-spec/specs-go"
)

// fitsRuntimeSpec tells whether JSON has the types of an OCI runtime spec.
func fitsRuntimeSpec(raw []byte) error {
	return json.Unmarshal(raw, new(specs.Spec))
}
