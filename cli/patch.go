package cli

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/ichor-os/ichor/config"
	"github.com/ichor-os/ichor/config/document"
	"github.com/ichor-os/ichor/config/generate"
	"github.com/ichor-os/ichor/config/validate"
)

// patchFlags are the flags that patch generated configs. Each value is one
// patch; it is never split.
type patchFlags struct {
	all, controlPlane, worker []string
}

// patchSet holds loaded patches by the role whose configs they change.
type patchSet struct {
	all    []*config.Patch
	byRole map[generate.Role][]*config.Patch
}

func (f *patchFlags) add(command *cobra.Command) {
	flags := command.Flags()
	flags.StringArrayVar(&f.all, "config-patch", nil, "`patch` for all machine configs: text, or @file")
	flags.StringArrayVar(&f.controlPlane, "config-patch-control-plane", nil, "`patch` for control plane configs: text, or @file")
	flags.StringArrayVar(&f.worker, "config-patch-worker", nil, "`patch` for worker configs: text, or @file")
}

func (f *patchFlags) load() (*patchSet, error) {
	set := &patchSet{byRole: map[generate.Role][]*config.Patch{}}
	var err error
	if set.all, err = config.LoadPatches(f.all...); err != nil {
		return nil, err
	}
	if set.byRole[generate.ControlPlane], err = config.LoadPatches(f.controlPlane...); err != nil {
		return nil, err
	}
	if set.byRole[generate.Worker], err = config.LoadPatches(f.worker...); err != nil {
		return nil, err
	}
	return set, nil
}

// forRole are the patches of a role: those for all first.
func (s *patchSet) forRole(role generate.Role) []*config.Patch {
	return slices.Concat(s.all, s.byRole[role])
}

// patchVerdict says whether patches made a valid config invalid. It is advice:
// the patched config is what was asked for, but no machine would take it.
func patchVerdict(before, after *config.Config) error {
	if _, valid := faults(before); !valid {
		return nil
	}
	found, valid := faults(after)
	if valid {
		return nil
	}
	return fmt.Errorf("the patches make a valid config invalid:\n%s", list(found))
}

func list(findings []*document.Finding) string {
	lines := make([]string, len(findings))
	for i, finding := range findings {
		lines[i] = "  * " + finding.String()
	}
	return strings.Join(lines, "\n")
}

// generatedVerdict says whether a config that no patch has changed is invalid:
// something in the flags cannot be.
func generatedVerdict(role generate.Role, made *config.Config) error {
	found, valid := faults(made)
	if valid {
		return nil
	}
	return fmt.Errorf("the %s config is not valid:\n%s", role, list(found))
}

// faults are the errors of a config in the mode that has the fewest; it is valid
// if that has none.
func faults(c *config.Config) (found []*document.Finding, valid bool) {
	for i, mode := range []document.Mode{config.Cloud, config.Metal, config.Container} {
		report := c.Validate(mode, validate.Options{})
		if report.Valid() {
			return nil, true
		}
		if i == 0 || len(report.Errors) < len(found) {
			found = report.Errors
		}
	}
	return found, false
}

// advise writes advice to standard error, or returns it where advice counts as
// an error.
func (a *adviceFlag) advise(stderr io.Writer, advice error) error {
	if advice == nil || *a == "error" {
		return advice
	}
	_, err := fmt.Fprintf(stderr, "WARNING: %s\n", advice)
	return err
}
