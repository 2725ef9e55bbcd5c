package resources

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/ichor-os/ichor/cli/applying"
	"github.com/ichor-os/ichor/cli/target"
	"github.com/ichor-os/ichor/client"
)

// NewEdit makes the command `edit`. Env is like [os.LookupEnv].
func NewEdit(env func(name string) (string, bool)) *cobra.Command {
	e := &editor{}
	command := &cobra.Command{
		Use:   "edit machineconfig",
		Short: "Edit the machine configs of nodes with $EDITOR, one after the other",
		Args:  cobra.RangeArgs(1, 2),
	}
	e.t = target.New(command, env)
	e.flags.Add(command)
	command.Flags().String("namespace", "", "no effect")
	_ = command.Flags().MarkHidden("namespace")
	command.RunE = func(cmd *cobra.Command, args []string) error {
		if err := onlyMachineConfig(args); err != nil {
			return err
		}
		return e.t.Run(cmd, func(ctx context.Context, s *target.Session) error {
			nodes := s.Nodes
			if len(nodes) == 0 {
				nodes = []string{""} // the endpoint itself
			}
			var failed []error
			for _, node := range nodes {
				asked := ctx
				if node != "" {
					asked = client.WithNode(ctx, node)
				}
				if err := e.edit(asked, cmd, s.Client, s.Name(node)); err != nil {
					failed = append(failed, fmt.Errorf("%s: %w", s.Name(node), err))
				}
			}
			return errors.Join(failed...)
		})
	}
	return command
}

// editor is the command `edit`.
type editor struct {
	t     *target.Target
	flags applying.Flags
}

// edit lets the user edit the config of a node until the node takes it, or the
// user leaves it as it was. What was typed is never lost.
func (e *editor) edit(ctx context.Context, cmd *cobra.Command, c *client.Client, node string) error {
	before, err := machineConfig(ctx, c)
	if err != nil {
		return err
	}
	folder, err := os.MkdirTemp("", "talosctl-edit-")
	if err != nil {
		return err
	}
	path := filepath.Join(folder, "machineconfig.yaml")
	say := func(what string) { _, _ = fmt.Fprintf(cmd.OutOrStdout(), "%s: %s\n", node, what) }
	text := before
	var refused error
	for {
		after, err := e.show(ctx, cmd, path, text, refused)
		if err != nil {
			return errors.Join(err, os.RemoveAll(folder))
		}
		switch {
		case len(bytes.TrimSpace(after)) == 0 || bytes.Equal(before, after):
			_, err := fmt.Fprintf(cmd.OutOrStdout(), "%s: nothing changes\n", node)
			return errors.Join(err, os.RemoveAll(folder))
		case refused != nil && bytes.Equal(text, after):
			return kept(refused, path)
		}
		said, err := e.flags.Apply(ctx, c, applying.Change{Text: after, Base: before, Say: say})
		if err == nil {
			_, err = fmt.Fprintf(cmd.OutOrStdout(), "%s: %s\n", node, said)
			return errors.Join(err, os.RemoveAll(folder))
		}
		if status.Code(err) != codes.InvalidArgument {
			return kept(err, path) // other words would not help
		}
		text, refused = after, err
	}
}

// kept tells where the user finds what a node did not take.
func kept(err error, path string) error {
	return fmt.Errorf("%w\nwhat you wrote is in %s (with the secrets of the cluster): correct it and use apply-config, then delete it", err, path)
}

// refusal begins the lines that say why a config was not taken.
const refusal = "# refused: "

// show lets the user edit a text and gives it back, with why it was refused
// before above it while it is shown.
func (e *editor) show(ctx context.Context, cmd *cobra.Command, path string, text []byte, refused error) ([]byte, error) {
	shown := text
	if refused != nil {
		why := refusal + strings.ReplaceAll(strings.TrimSpace(refused.Error()), "\n", "\n"+refusal)
		shown = append([]byte(why+"\n"), text...)
	}
	if err := os.WriteFile(path, shown, 0o600); err != nil { // it holds secrets
		return nil, err
	}
	if err := runEditor(ctx, cmd, e.t, path); err != nil {
		return nil, err
	}
	after, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	for bytes.HasPrefix(after, []byte(refusal)) {
		_, after, _ = bytes.Cut(after, []byte("\n"))
	}
	return after, nil
}

func runEditor(ctx context.Context, cmd *cobra.Command, t *target.Target, path string) error {
	editor := t.Env.Get("TALOS_EDITOR")
	for _, name := range []string{"VISUAL", "EDITOR"} {
		if editor == "" {
			editor = t.Env.Get(name)
		}
	}
	if editor == "" {
		editor = "vi"
	}
	// The variable may hold arguments, so it is a shell that reads it.
	run := exec.CommandContext(ctx, "/bin/sh", "-c", editor+` "$1"`, "editor", path)
	run.Stdin, run.Stdout, run.Stderr = cmd.InOrStdin(), cmd.OutOrStdout(), io.Writer(cmd.ErrOrStderr())
	if err := run.Run(); err != nil {
		return fmt.Errorf("run editor %q: %w", editor, err)
	}
	return nil
}
