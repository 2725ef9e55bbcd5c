//go:build !linux

package cluster

import (
	"errors"
	"runtime"

	"github.com/spf13/cobra"
)

// New makes the command `cluster`, which only says what it needs.
func New(func(name string) (string, bool)) *cobra.Command {
	return &cobra.Command{
		Use:                "cluster",
		Short:              "Make, show and end clusters on this computer (needs Linux)",
		DisableFlagParsing: true,
		RunE: func(*cobra.Command, []string) error {
			return errors.New("nodes on this computer are made of Linux namespaces, which " + runtime.GOOS + " does not have: use a Linux machine")
		},
	}
}
