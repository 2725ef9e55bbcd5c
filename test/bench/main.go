// Command bench measures a node of a real cluster on this computer, configured
// and idle: the memory and processor time of the operating system's own
// processes, machined, apid and trustd together. It needs root and built assets,
// prints a table, and fails when a bound is passed.
//
//	go run ./test/bench node
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"syscall"
	"text/tabwriter"
	"time"

	"github.com/ichor-os/ichor/localcluster"
	"github.com/ichor-os/ichor/localcluster/namespaces"
)

// The bounds of an idle node's own processes.
const (
	maxPSS       = 70 << 20
	maxAnonymous = 45 << 20
	maxCores     = 0.03
)

func main() {
	namespaces.RunIfChild()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string) error {
	flags := flag.NewFlagSet("bench node", flag.ContinueOnError)
	settle := flags.Duration("settle", 30*time.Second, "time between Ready and the measurement")
	window := flags.Duration("window", 30*time.Second, "time over which processor time is counted")
	cluster := flags.String("cluster", "", "measure the first node of this cluster instead of making one")
	if len(args) == 0 || args[0] != "node" {
		return errors.New("usage: bench node [-settle TIME] [-window TIME] [-cluster NAME]")
	}
	if err := flags.Parse(args[1:]); err != nil {
		return err
	}
	store, name := namespaces.Store{Root: localcluster.DefaultState()}, *cluster
	if name == "" {
		folder, err := os.MkdirTemp("/var/tmp", "ichor-bench-")
		if err != nil {
			return fmt.Errorf("make folder for the cluster: %w", err)
		}
		defer os.RemoveAll(folder)
		store.Root, name = folder, "bench"
		defer func() {
			if err := store.Destroy(context.WithoutCancel(ctx), name); err != nil {
				fmt.Fprintln(os.Stderr, err)
			}
		}()
		_, err = localcluster.Create(ctx, localcluster.Options{Name: name, ControlPlanes: 1, State: folder, Progress: func(e localcluster.Event) {
			fmt.Fprintf(os.Stderr, "%7.2fs %s %s\n", e.Since.Seconds(), e.Node, e.Step)
		}})
		if err != nil {
			return err
		}
		if err := pause(ctx, *settle); err != nil {
			return err
		}
	}
	status, err := store.Show(name)
	if err != nil {
		return err
	}
	return measure(ctx, status.Nodes[0].PID, *window)
}

func pause(ctx context.Context, d time.Duration) error {
	select {
	case <-time.After(d):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// measure prints a line for each process and one for all, against the bounds.
func measure(ctx context.Context, init int, window time.Duration) error {
	before, err := processes(init)
	if err != nil {
		return err
	}
	if err := pause(ctx, window); err != nil {
		return err
	}
	after, err := processes(init)
	if err != nil {
		return err
	}
	var all process
	table := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', tabwriter.AlignRight)
	line := func(p process) {
		cores := p.cpu.Seconds() / window.Seconds()
		fmt.Fprintf(table, "%s\t%.1f\t%.1f\t%.4f\t\n", p.name, float64(p.pss)/(1<<20), float64(p.anonymous)/(1<<20), cores)
	}
	fmt.Fprintln(table, "process\tPSS MiB\tanonymous MiB\tcores\t")
	for _, name := range []string{"machined", "apid", "trustd"} {
		p, ok := after[name]
		if !ok || before[name].pid != p.pid {
			return fmt.Errorf("measure node: %s did not run all the time", name)
		}
		p.cpu -= before[name].cpu
		line(p)
		all.pss, all.anonymous, all.cpu = all.pss+p.pss, all.anonymous+p.anonymous, all.cpu+p.cpu
	}
	all.name = "together"
	line(all)
	fmt.Fprintf(table, "bound\t%d\t%d\t%.4f\t\n", maxPSS>>20, maxAnonymous>>20, maxCores)
	if err := table.Flush(); err != nil {
		return err
	}
	if all.pss > maxPSS || all.anonymous > maxAnonymous || all.cpu.Seconds()/window.Seconds() > maxCores {
		return errors.New("an idle node takes more than its bounds")
	}
	return nil
}
