package cli

import (
	"github.com/spf13/cobra"

	"github.com/ichor-os/ichor/config"
	"github.com/ichor-os/ichor/config/generate"
)

// patchFlags are the flags that patch generated configs.
type patchFlags struct {
	all, controlPlane, worker []string
}

// patchSet holds patches by the role whose configs they change.
type patchSet struct{}

func (f *patchFlags) add(*cobra.Command) {}

func (f *patchFlags) load() (*patchSet, error) { return nil, nil }

func (s *patchSet) apply(base *config.Config, _ generate.Role) (*config.Config, error) {
	return base, nil
}
