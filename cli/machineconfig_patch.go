package cli

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/ichor-os/ichor/config"
)

func newMachineConfigPatch() *cobra.Command {
	var arguments []string
	var out string
	var keepComments bool
	var advice adviceFlag
	command := &cobra.Command{
		Use:   "patch <machineconfig-file>",
		Short: "Patch a machine config",
		Long: `Patch a machine config.

A patch is a piece of config that is laid over the file (with $patch: delete and
$patch: replace), or a JSON patch (RFC 6902). Patches are applied in the order of
the flags. The result is not checked; that it became invalid is said on standard
error, and is an error with --advice=error.`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			patches, err := config.LoadPatches(arguments...)
			if err != nil {
				return err
			}
			base, err := readInput(cmd, args[0])
			if err != nil {
				return err
			}
			patched, err := config.PatchText(base, args[0], patches...)
			if err != nil {
				return err
			}
			if len(patches) > 0 {
				if err := advice.advise(cmd.ErrOrStderr(), textVerdict(base, patched)); err != nil {
					return err
				}
			}
			if keepComments && len(patches) > 0 {
				if patched, err = config.KeepComments(base, patched); err != nil {
					return err
				}
			}
			if out == "" || out == "-" {
				patched = append(patched, '\n') // an empty line after the config, as other clients write
			}
			return writeResult(cmd, out, patched)
		},
	}
	command.Flags().StringArrayVarP(&arguments, "patch", "p", nil, "`patch` to apply: text, or @file")
	command.Flags().StringVarP(&out, "output", "o", "", "`file` to write instead of standard output")
	command.Flags().BoolVar(&keepComments, "keep-comments", false, "keep the comments of the file where their keys are still there")
	advice.add(command)
	return command
}

// textVerdict is patchVerdict for texts. A base that cannot be read by itself
// is not the patches' fault.
func textVerdict(base, patched []byte) error {
	before, err := config.Parse(base)
	if err != nil {
		return nil
	}
	after, err := config.Parse(patched)
	if err != nil {
		return fmt.Errorf("the patched config cannot be read: %w", err)
	}
	return patchVerdict(before, after)
}
