package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"sort"
	"strings"
)

var fuzzFunc = regexp.MustCompile(`(?m)^func (Fuzz\w+)\(`)

// fuzzAll finds every fuzz target of the root module and runs each by itself,
// as `go test -fuzz` demands.
func fuzzAll(ctx context.Context, t *tally) error {
	files, err := trackedFiles(ctx, "*_test.go")
	if err != nil {
		return count(t, err)
	}
	type target struct{ folder, name string }
	var targets []target
	for _, f := range files {
		text, err := os.ReadFile(f)
		if err != nil {
			return count(t, err)
		}
		for _, m := range fuzzFunc.FindAllSubmatch(text, -1) {
			targets = append(targets, target{"./" + filepath.Dir(f), string(m[1])})
		}
	}
	sort.Slice(targets, func(i, j int) bool {
		return targets[i].folder+targets[i].name < targets[j].folder+targets[j].name
	})
	var failed []string
	for _, g := range targets {
		var out bytes.Buffer
		cmd := command(ctx, "go", "test", "-run", "^$", "-fuzz", "^"+g.name+"$", "-fuzztime", "10s", g.folder)
		cmd.Stdout, cmd.Stderr = &out, &out
		err := cmd.Run()
		if err != nil && onlyRanOut(out.String()) {
			fmt.Printf("note\t%s\t%s: the time was up while a worker was busy (golang/go#75804)\n", g.folder, g.name)
			err = nil
		}
		if err != nil {
			fmt.Print(out.String())
			failed = append(failed, g.folder+" "+g.name)
		} else {
			fmt.Printf("ok  \t%s\t%s\n", g.folder, g.name)
		}
		_ = count(t, err)
		if ctx.Err() != nil {
			break
		}
	}
	if len(failed) > 0 {
		return fmt.Errorf("fuzz targets failed: %s", strings.Join(failed, ", "))
	}
	return nil
}

// onlyRanOut tells whether a fuzz run failed for nothing but the end of its
// time. Before Go 1.27 the coordinator may report its own deadline as a failure
// of the target (golang/go#75804). A finding always writes its input, and a
// panic, a failed seed or a failed build say so; none of them is let through.
func onlyRanOut(output string) bool {
	deadline := regexp.MustCompile(`(?m)^--- FAIL: Fuzz\w+ \([\d.]+s\)\n    context deadline exceeded\nFAIL\n`)
	return deadline.MatchString(output) &&
		strings.Count(output, "--- FAIL") == 1 &&
		!strings.Contains(output, "Failing input") &&
		!strings.Contains(output, "panic:")
}
