// Command run runs the checks and tests of this repository in named steps.
//
//	go run ./test/run ci      everything that continuous integration runs
//	go run ./test/run unit    the fast tests, with the race detector
//	go run ./test/run lint    formatting, vet, staticcheck, generated files
//	go run ./test/run long    what takes too long for every change
//
// It ends with one line, "N passed, N failed, N skipped", that counts tests,
// where each lint step counts as a test. The exit status is 1 when any failed.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"sort"
	"strings"
	"syscall"
	"time"
)

// A step is one thing to check. It adds what it ran to the tally.
type step struct {
	name string
	run  func(context.Context, *tally) error
}

// suites are the sets of steps a caller can name.
var suites = map[string][]step{
	"lint": lintSteps,
	"unit": {unitStep, nestedStep},
	"ci":   ciSteps(),
	"long": longSteps,
}

func ciSteps() []step {
	steps := append([]step{}, lintSteps...)
	steps = append(steps, unitStep, nestedStep)
	steps = append(steps, fuzzSteps...)
	return append(steps, systemSteps...)
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string) error {
	if len(args) != 1 || suites[args[0]] == nil {
		return fmt.Errorf("usage: run SUITE, with SUITE one of %s", strings.Join(suiteNames(), ", "))
	}
	root, err := repositoryRoot(ctx)
	if err != nil {
		return err
	}
	if err := os.Chdir(root); err != nil {
		return fmt.Errorf("enter the repository: %w", err)
	}

	var total tally
	var failed []string
	for _, s := range suites[args[0]] {
		start := time.Now()
		fmt.Printf("=== %s\n", s.name)
		err := s.run(ctx, &total)
		if err != nil {
			failed = append(failed, s.name)
			fmt.Printf("--- failed: %s: %v\n", s.name, err)
		}
		fmt.Printf("--- %s took %s\n", s.name, time.Since(start).Round(100*time.Millisecond))
		if ctx.Err() != nil {
			break
		}
	}
	if len(failed) > 0 {
		fmt.Printf("failed: %s\n", strings.Join(failed, ", "))
	}
	fmt.Println(total.String())
	if ctx.Err() != nil {
		return errors.New("interrupted")
	}
	if len(failed) > 0 || total.failed > 0 {
		return fmt.Errorf("run %s: not green", args[0])
	}
	return nil
}

func suiteNames() []string {
	names := make([]string, 0, len(suites))
	for n := range suites {
		names = append(names, n)
	}
	sort.Strings(names)
	return names
}
