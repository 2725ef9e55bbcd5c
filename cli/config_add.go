package cli

import (
	"errors"
	"os"

	"github.com/spf13/cobra"

	"github.com/ichor-os/ichor/cli/target"
	"github.com/ichor-os/ichor/pki"
	"github.com/ichor-os/ichor/pki/talosconfig"
)

func newConfigAdd(t *target.Target) *cobra.Command {
	var ca, crt, key string
	command := &cobra.Command{
		Use:   "add <context>",
		Short: "Add a context, or replace the one of that name",
		Args:  cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			if (crt == "") != (key == "") {
				return errors.New("add context: --crt and --key go together")
			}
			context, err := readContext(ca, crt, key)
			if err != nil {
				return err
			}
			return t.Edit(func(file *talosconfig.File) error {
				file.Set(args[0], context)
				return nil
			})
		},
	}
	command.Flags().StringVar(&ca, "ca", "", "`file` with the certificate of the cluster's machine authority")
	command.Flags().StringVar(&crt, "crt", "", "`file` with the client certificate")
	command.Flags().StringVar(&key, "key", "", "`file` with the client key")
	return command
}

func readContext(ca, crt, key string) (*talosconfig.Context, error) {
	var texts [3][]byte
	for i, path := range []string{ca, crt, key} {
		if path == "" {
			continue
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return nil, err
		}
		texts[i] = text
	}
	return talosconfig.NewContext(nil, texts[0], pki.Pair{Crt: texts[1], Key: texts[2]}), nil
}
