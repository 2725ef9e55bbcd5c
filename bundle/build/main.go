// Build builds programs of the bundle and prints where they are:
//
//	go run ./bundle/build [-arch ARCH] [-cache FOLDER] [NAME...]
//
// Without names it builds the whole table. An interrupted build leaves nothing
// that a later one would take for complete.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"syscall"
	"text/tabwriter"

	"github.com/ichor-os/ichor/bundle"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "build:", err)
		stop()
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string) error {
	root, err := bundle.FindRoot(".")
	if err != nil {
		return err
	}
	builder := bundle.Builder{Root: root}
	flags := flag.NewFlagSet("build", flag.ExitOnError)
	flags.StringVar(&builder.Arch, "arch", "", "`GOARCH` to build for (default: this machine's)")
	flags.StringVar(&builder.Cache, "cache", "", "`folder` that keeps built programs (default: ichor/programs in the user's cache)")
	reference := flags.Bool("reference", false, "print the reference page of the programs and build nothing")
	reproduce := flags.Bool("reproduce", false, "build once more, from nothing and elsewhere, and compare")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if *reference {
		return bundle.WriteReference(os.Stdout)
	}
	artifacts, err := builder.BuildAll(ctx, flags.Args()...)
	if err != nil {
		return err
	}
	if *reproduce {
		for _, artifact := range artifacts {
			if err := builder.Reproduce(ctx, artifact.Name); err != nil {
				return err
			}
		}
	}
	table := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "PROGRAM\tVERSION\tARCH\tBYTES\tSHA-256\tPATH")
	for _, a := range artifacts {
		fmt.Fprintf(table, "%s\t%s\t%s\t%d\t%.12s\t%s\n", a.Name, a.Version, a.Arch, a.Size, a.SHA256, a.Path)
	}
	return table.Flush()
}
