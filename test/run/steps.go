package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"strings"
)

var lintSteps = []step{
	{"gofmt", checkFormat},
	{"vet", func(ctx context.Context, t *tally) error { return check(ctx, t, "go", "vet", "./...") }},
	{"staticcheck", func(ctx context.Context, t *tally) error {
		return check(ctx, t, "go", "tool", "-modfile=tools/go.mod", "staticcheck", "./...")
	}},
	{"generated files", checkGenerated},
	{"known vulnerabilities in the source", func(ctx context.Context, t *tally) error {
		return check(ctx, t, "go", "run", "./test/vulncheck", "-programs=false")
	}},
}

var unitStep = step{"unit tests with the race detector", func(ctx context.Context, t *tally) error {
	return goTest(ctx, t, nil, "-race", "-count=1", "-timeout", "20m", "./...")
}}

// fuzzSteps run each fuzz target of the tree for a short time.
var fuzzSteps = []step{{"fuzz targets, 10 s each", fuzzAll}}

// systemSteps need root: they build the assets and start nodes.
var systemSteps = []step{
	{"assets", func(ctx context.Context, t *tally) error {
		return check(ctx, t, "go", "run", "./cmd/imager", "assets")
	}},
	{"assets: every byte, and nothing else in the root", func(ctx context.Context, t *tally) error {
		return check(ctx, t, "go", "run", "./cmd/imager", "verify")
	}},
	{"assets: the small root, and sizes within their budgets", func(ctx context.Context, t *tally) error {
		if err := check(ctx, t, "go", "run", "./cmd/imager", "assets", "--release"); err != nil {
			return err
		}
		return check(ctx, t, "go", "run", "./cmd/imager", "sizes", "--release", "--budget")
	}},
	{"the root and one image, built a second time from nothing", func(ctx context.Context, t *tally) error {
		return check(ctx, t, "go", "run", "./cmd/imager", "reproduce", "--quick")
	}},
	{"end to end", func(ctx context.Context, t *tally) error {
		return endToEnd(ctx, t, nil, "-count=1", "-timeout", "30m", "./test/e2e/...")
	}},
}

var longSteps = []step{
	{"soak of the engine, 2 min", func(ctx context.Context, t *tally) error {
		return goTest(ctx, t, []string{"ICHOR_LONG=2m"}, "-count=1", "-run=Soak", "./resource")
	}},
	{"assets", func(ctx context.Context, t *tally) error {
		return check(ctx, t, "go", "run", "./cmd/imager", "assets")
	}},
	{"kills under load, 2 min", func(ctx context.Context, t *tally) error {
		return endToEnd(ctx, t, []string{"ICHOR_KILL=2m"}, "-count=1", "-run=SurvivesKills", "-timeout", "10m", "./test/e2e")
	}},
	{"memory and processor time of an idle node", func(ctx context.Context, t *tally) error {
		return check(ctx, t, "go", "run", "./test/bench", "node")
	}},
	{"bounds of the engine and of apid; the machine must do nothing else", func(ctx context.Context, t *tally) error {
		return check(ctx, t, "env", "ICHOR_BOUNDS=1", "go", "test", "-run=^$", "-bench=UpdateToLast|Unary|GetThousand", "-benchtime=5x", "./resource", "./node/apid")
	}},
	{"known vulnerabilities in the programs", func(ctx context.Context, t *tally) error {
		return check(ctx, t, "go", "run", "./test/vulncheck", "-source=false")
	}},
	{"programs built twice, from nothing and elsewhere", func(ctx context.Context, t *tally) error {
		return check(ctx, t, "go", "run", "./bundle/build", "-reproduce")
	}},
	{"release assets built twice, from nothing and elsewhere", func(ctx context.Context, t *tally) error {
		return check(ctx, t, "go", "run", "./cmd/imager", "reproduce", "--release")
	}},
}

// endToEnd runs tests on nodes that start from the assets of this tree, whatever
// another tree on this computer builds meanwhile.
func endToEnd(ctx context.Context, t *tally, env []string, args ...string) error {
	cmd := command(ctx, "go", "run", "./cmd/imager", "assets")
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		return count(t, fmt.Errorf("build assets: %w", err))
	}
	return goTest(ctx, t, append([]string{"ICHOR_E2E=1", "ICHOR_ASSETS=" + string(bytes.TrimSpace(out))}, env...), args...)
}

// checkFormat fails when gofmt would change a file that git knows or would add.
func checkFormat(ctx context.Context, t *tally) error {
	files, err := trackedFiles(ctx, "*.go")
	if err != nil {
		return count(t, err)
	}
	out, err := exec.CommandContext(ctx, "gofmt", append([]string{"-l"}, files...)...).CombinedOutput()
	if err == nil && len(bytes.TrimSpace(out)) > 0 {
		err = fmt.Errorf("gofmt would change:\n%s", out)
	}
	return count(t, err)
}

// checkGenerated runs go generate and fails when that changes a file, wherever
// the tree stood before.
func checkGenerated(ctx context.Context, t *tally) error {
	before, err := treeState(ctx)
	if err != nil {
		return count(t, err)
	}
	cmd := command(ctx, "go", "generate", "./...")
	cmd.Stdout = os.Stdout
	if err := cmd.Run(); err != nil {
		return count(t, fmt.Errorf("go generate: %w", err))
	}
	after, err := treeState(ctx)
	if err == nil && before != after {
		err = fmt.Errorf("generated files are stale; run `make generate` and commit:\n%s", after)
	}
	return count(t, err)
}

// treeState describes how the work tree differs from HEAD.
func treeState(ctx context.Context) (string, error) {
	status, err := exec.CommandContext(ctx, "git", "status", "--porcelain").Output()
	if err != nil {
		return "", fmt.Errorf("git status: %w", err)
	}
	diff, err := exec.CommandContext(ctx, "git", "diff", "HEAD").Output()
	if err != nil {
		return "", fmt.Errorf("git diff: %w", err)
	}
	return string(status) + string(diff), nil
}

// trackedFiles lists existing files that git tracks or would track.
func trackedFiles(ctx context.Context, pattern string) ([]string, error) {
	out, err := exec.CommandContext(ctx, "git", "ls-files", "--cached", "--others", "--exclude-standard", pattern).Output()
	if err != nil {
		return nil, fmt.Errorf("git ls-files: %w", err)
	}
	var files []string
	for _, f := range strings.Fields(string(out)) {
		if _, err := os.Stat(f); err == nil {
			files = append(files, f)
		}
	}
	return files, nil
}
