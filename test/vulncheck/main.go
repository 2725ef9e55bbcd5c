// Vulncheck looks for known vulnerabilities in what this repository builds: in
// the source of the root module and in the executables of the bundle.
//
//	go run ./test/vulncheck [-source=false] [PROGRAM...]
//
// It runs govulncheck, pinned in tools/go.mod, over the Go vulnerability
// database, pinned in database.txt and fetched as a module, so that a check
// gives the same answer until one of the pins moves. Findings that are accepted
// stand with their reasons in accepted.txt; every other one fails the check.
//
// In the source a finding counts when vulnerable code is reachable. In an
// executable, which has no symbols, it counts when a vulnerable package is
// linked.
package main

import (
	"bytes"
	"context"
	_ "embed"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"github.com/ichor-os/ichor/bundle"
)

//go:embed accepted.txt
var acceptedText string

//go:embed database.txt
var databaseText string

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "vulncheck:", err)
		stop()
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string) error {
	flags := flag.NewFlagSet("vulncheck", flag.ExitOnError)
	source := flags.Bool("source", true, "check the source of the root module")
	programs := flags.Bool("programs", true, "check the programs of the bundle")
	if err := flags.Parse(args); err != nil {
		return err
	}
	list, err := parseAccepted(acceptedText)
	if err != nil {
		return err
	}
	root, err := bundle.FindRoot(".")
	if err != nil {
		return err
	}
	check := checker{root: root}
	if check.database, err = fetchDatabase(ctx, databaseText); err != nil {
		return err
	}
	if check.command, err = govulncheck(ctx, root); err != nil {
		return err
	}

	var findings []finding
	if *source {
		if findings, err = check.source(ctx); err != nil {
			return fmt.Errorf("check source: %w", err)
		}
	}
	if *programs {
		builder := bundle.Builder{Root: root}
		artifacts, err := builder.BuildAll(ctx, flags.Args()...)
		if err != nil {
			return err
		}
		for _, artifact := range artifacts {
			found, err := check.program(ctx, artifact)
			if err != nil {
				return fmt.Errorf("check program: %s: %w", artifact.Name, err)
			}
			findings = append(findings, found...)
		}
	}
	complete := *source && *programs && flags.NArg() == 0
	return report(findings, list, complete)
}

// report prints all findings and fails for those that are not accepted. When
// everything was checked it fails for needless lines of the list, too.
func report(findings []finding, list []acceptance, complete bool) error {
	used := make([]bool, len(list))
	var refused int
	for _, f := range findings {
		i := slices.IndexFunc(list, func(a acceptance) bool { return a.covers(f) })
		if i < 0 {
			refused++
			fmt.Printf("FOUND     %s\n", f)
			continue
		}
		used[i] = true
		fmt.Printf("accepted  %s: %s\n", f, list[i].reason)
	}
	if refused > 0 {
		return fmt.Errorf("%d of %d findings are not accepted; move to a fixed version, or say in test/vulncheck/accepted.txt why it does not matter", refused, len(findings))
	}
	if complete {
		for i, a := range list {
			if !used[i] {
				return fmt.Errorf("accepted.txt: %s %s: nothing finds it any more; remove the line", a.id, a.where)
			}
		}
	}
	fmt.Printf("%d findings, all accepted\n", len(findings))
	return nil
}

// checker runs govulncheck.
type checker struct {
	root, database, command string
}

// source checks everything in the root module, without tests.
func (c checker) source(ctx context.Context) ([]finding, error) {
	out, err := c.run(ctx, "-mode", "source", "./...")
	if err != nil {
		return nil, err
	}
	return parseFindings(out, "source", symbolLevel)
}

func (c checker) program(ctx context.Context, artifact bundle.Artifact) ([]finding, error) {
	out, err := c.run(ctx, "-mode", "binary", artifact.Path)
	if err != nil {
		return nil, err
	}
	return parseFindings(out, artifact.Name, packageLevel)
}

// run returns the JSON messages. In this format findings are no failure.
func (c checker) run(ctx context.Context, args ...string) ([]byte, error) {
	cmd := exec.CommandContext(ctx, c.command, append([]string{"-format", "json", "-db", "file://" + filepath.ToSlash(c.database)}, args...)...)
	cmd.Dir = c.root
	return output(cmd)
}

// govulncheck returns the path of the pinned govulncheck, building it if needed.
func govulncheck(ctx context.Context, root string) (string, error) {
	cmd := exec.CommandContext(ctx, "go", "tool", "-n", "-modfile=tools/go.mod", "govulncheck")
	cmd.Dir = root
	out, err := output(cmd)
	if err != nil {
		return "", fmt.Errorf("build govulncheck: %w", err)
	}
	return strings.TrimSpace(string(out)), nil
}

// fetchDatabase fetches the module that holds the database and returns the
// folder with its entries. The go command compares it with the checksum.
func fetchDatabase(ctx context.Context, pin string) (string, error) {
	var fields []string
	for line := range strings.Lines(pin) {
		if !strings.HasPrefix(line, "#") {
			fields = append(fields, strings.Fields(line)...)
		}
	}
	if len(fields) != 3 {
		return "", fmt.Errorf("read database.txt: want a module, a version and a checksum, got %q", fields)
	}
	dir, err := os.MkdirTemp("", "ichor-vulncheck-")
	if err != nil {
		return "", fmt.Errorf("fetch database: %w", err)
	}
	defer os.RemoveAll(dir)
	for name, content := range map[string]string{
		"go.mod": "module vulncheck\n\ngo 1.26.0\n",
		"go.sum": strings.Join(fields, " ") + "\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600); err != nil {
			return "", fmt.Errorf("fetch database: %w", err)
		}
	}
	cmd := exec.CommandContext(ctx, "go", "mod", "download", "-json", fields[0]+"@"+fields[1])
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOFLAGS=-mod=mod", "GOWORK=off")
	out, err := cmd.Output()
	var module struct{ Dir, Sum, Error string }
	if jsonErr := json.Unmarshal(out, &module); jsonErr != nil {
		return "", fmt.Errorf("fetch database: %w", errorOr(err, jsonErr))
	}
	if err != nil || module.Sum != fields[2] {
		return "", fmt.Errorf("fetch database: %s %s: checksum %q, want %q %s", fields[0], fields[1], module.Sum, fields[2], module.Error)
	}
	return filepath.Join(module.Dir, "data", "osv"), nil
}

func errorOr(err, other error) error {
	if err != nil {
		return err
	}
	return other
}

// output runs a command; its error ends with what the command said.
func output(cmd *exec.Cmd) ([]byte, error) {
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("%s: %w\n%s", filepath.Base(cmd.Path), err, strings.TrimSpace(stderr.String()))
	}
	return out, nil
}
