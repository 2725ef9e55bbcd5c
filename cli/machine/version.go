package machine

import (
	"context"
	"errors"
	"fmt"
	"io"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"
	"google.golang.org/protobuf/types/known/emptypb"

	"github.com/ichor-os/ichor/cli/output"
	"github.com/ichor-os/ichor/cli/target"
	"github.com/ichor-os/ichor/client"
	"github.com/ichor-os/ichor/version"
)

// clientVersion is what `version` says about a program.
type clientVersion struct {
	Tag       string `json:"tag"`
	SHA       string `json:"sha"`
	Built     string `json:"built"`
	GoVersion string `json:"goVersion"`
	OS        string `json:"os"`
	Arch      string `json:"arch"`
	System    string `json:"system,omitempty"`
}

func newVersion(env environment) *cobra.Command {
	f := &versionFlags{}
	command := &cobra.Command{
		Use:   "version",
		Short: "Show the version of this program and of nodes",
		Args:  cobra.NoArgs,
		RunE:  func(cmd *cobra.Command, _ []string) error { return f.run(cmd) },
	}
	f.t = target.New(command, env)
	f.t.AddInsecure(command, "i")
	flags := command.Flags()
	flags.BoolVar(&f.client, "client", false, "only this program, without asking nodes")
	flags.BoolVar(&f.short, "short", false, "only the versions")
	flags.BoolVar(&f.asJSON, "json", false, "write JSON")
	return command
}

// versionFlags are the flags of `version`.
type versionFlags struct {
	t                     *target.Target
	client, short, asJSON bool
}

func (f *versionFlags) run(cmd *cobra.Command) error {
	var (
		nodes []nodeVersion
		err   error
	)
	if !f.client {
		nodes, err = f.ask(cmd)
	}
	return errors.Join(f.write(cmd.OutOrStdout(), ownVersion(), nodes), err)
}

// nodeVersion is what `version` says about a node.
type nodeVersion struct {
	Node     string        `json:"node"`
	Version  clientVersion `json:"version"`
	Platform string        `json:"platform"`
	Mode     string        `json:"mode"`
	RBAC     bool          `json:"rbac"`
}

func (f *versionFlags) ask(cmd *cobra.Command) ([]nodeVersion, error) {
	var nodes []nodeVersion
	err := f.t.Run(cmd, func(ctx context.Context, s *target.Session) error {
		response, err := s.Machine.Version(s.All(ctx), &emptypb.Empty{})
		if err != nil {
			return err
		}
		answers, failed := client.Answers(response.GetMessages())
		for _, a := range answers {
			v := a.GetVersion()
			nodes = append(nodes, nodeVersion{
				Node:     s.Name(client.Node(a)),
				Version:  clientVersion{Tag: v.GetTag(), SHA: v.GetSha(), Built: v.GetBuilt(), GoVersion: v.GetGoVersion(), OS: v.GetOs(), Arch: v.GetArch()},
				Platform: a.GetPlatform().GetName(), Mode: a.GetPlatform().GetMode(), RBAC: a.GetFeatures().GetRbac(),
			})
		}
		return failed
	})
	return nodes, err
}

func (f *versionFlags) write(w io.Writer, own clientVersion, nodes []nodeVersion) error {
	switch {
	case f.asJSON:
		object := map[string]any{"client": own}
		if !f.client {
			object["nodes"] = nodes
		}
		return output.Write(w, output.JSON, object)
	case f.short:
		text := fmt.Sprintf("Client %s\n", own.Tag)
		for _, n := range nodes {
			text += fmt.Sprintf("%s %s\n", n.Node, n.Version.Tag)
		}
		_, err := io.WriteString(w, text)
		return err
	}
	text := "Client:\n" + own.text()
	for _, n := range nodes {
		text += fmt.Sprintf("Server:\n\tNODE:        %s\n%s\tPlatform:    %s (%s)\n\tEnabled:     %s\n",
			n.Node, n.Version.text(), n.Platform, n.Mode, map[bool]string{true: "RBAC", false: "-"}[n.RBAC])
	}
	_, err := io.WriteString(w, text)
	return err
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

func (v clientVersion) text() string {
	text := fmt.Sprintf("\tTag:         %s\n\tSHA:         %s\n\tBuilt:       %s\n\tGo version:  %s\n\tOS/Arch:     %s/%s\n",
		v.Tag, v.SHA, v.Built, v.GoVersion, v.OS, v.Arch)
	if v.System != "" {
		text += fmt.Sprintf("\tSystem:      %s\n", v.System)
	}
	return text
}
