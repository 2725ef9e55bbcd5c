package cli

import (
	"errors"
	"fmt"
	"io"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"

	"github.com/ichor-os/ichor/cli/output"
	"github.com/ichor-os/ichor/version"
)

// clientVersion is what `version` says about this program.
type clientVersion struct {
	Tag       string `json:"tag"`
	SHA       string `json:"sha"`
	Built     string `json:"built"`
	GoVersion string `json:"goVersion"`
	OS        string `json:"os"`
	Arch      string `json:"arch"`
	System    string `json:"system"`
}

func newVersion() *cobra.Command {
	var client, short, asJSON bool
	command := &cobra.Command{
		Use:   "version",
		Short: "Show the version of this program",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			own := ownVersion()
			var err error
			switch {
			case asJSON:
				err = output.Write(cmd.OutOrStdout(), output.JSON, map[string]clientVersion{"client": own})
			case short:
				_, err = fmt.Fprintf(cmd.OutOrStdout(), "Client %s\n", own.Tag)
			default:
				err = own.writeText(cmd.OutOrStdout())
			}
			if err == nil && !client {
				err = errors.New("show versions of nodes: this build cannot ask nodes; use --client")
			}
			return err
		},
	}
	command.Flags().BoolVar(&client, "client", false, "only this program, without asking nodes")
	command.Flags().BoolVar(&short, "short", false, "only the version")
	command.Flags().BoolVar(&asJSON, "json", false, "write JSON")
	return command
}

func ownVersion() clientVersion {
	own := clientVersion{
		Tag:       version.Contract,
		GoVersion: runtime.Version(),
		OS:        runtime.GOOS,
		Arch:      runtime.GOARCH,
		System:    version.Name + " " + version.Tag,
	}
	if build, ok := debug.ReadBuildInfo(); ok {
		for _, setting := range build.Settings {
			switch setting.Key {
			case "vcs.revision":
				own.SHA = setting.Value[:min(len(setting.Value), 8)]
			case "vcs.time":
				own.Built = setting.Value
			}
		}
	}
	return own
}

func (v clientVersion) writeText(w io.Writer) error {
	_, err := fmt.Fprintf(w, "Client:\n\tTag:         %s\n\tSHA:         %s\n\tBuilt:       %s\n\tGo version:  %s\n\tOS/Arch:     %s/%s\n\tSystem:      %s\n",
		v.Tag, v.SHA, v.Built, v.GoVersion, v.OS, v.Arch, v.System)
	return err
}
