package architecture

import (
	"bufio"
	"bytes"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

const (
	maxPackageLines  = 2500
	maxFileLines     = 500
	maxFunctionLines = 80
	maxWiringLines   = 800
)

// badPackageNames say nothing about what a package is for.
var badPackageNames = []string{"util", "utils", "common", "helpers", "helper", "pkg", "types", "misc", "base"}

var generated = regexp.MustCompile(`(?m)^// Code generated .* DO NOT EDIT\.$`)

func TestPackagesFilesAndFunctionsStaySmall(t *testing.T) {
	for _, p := range packages(t) {
		name := relative(p.ImportPath)
		if slices.Contains(badPackageNames, p.Name) && !strings.HasPrefix(name, "api/") {
			t.Errorf("%s: a package called %q says nothing about its purpose", name, p.Name)
		}
		lines := 0
		for _, file := range p.GoFiles {
			lines += checkFile(t, name, filepath.Join(p.Dir, file))
		}
		limit := maxPackageLines
		if name == "node/machined" {
			limit = maxWiringLines
		}
		if lines > limit {
			t.Errorf("%s has %d lines of code that is not generated, more than %d: split it by noun", name, lines, limit)
		}
	}
}

// checkFile reports what is too long in a file and returns its lines, or 0
// for generated code.
func checkFile(t *testing.T, name, file string) int {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if generated.Match(text) {
		return 0
	}
	short := name + "/" + filepath.Base(file)
	lines := bytes.Count(text, []byte("\n"))
	if lines > maxFileLines {
		t.Errorf("%s has %d lines, more than %d", short, lines, maxFileLines)
	}
	set := token.NewFileSet()
	parsed, err := parser.ParseFile(set, file, text, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range parsed.Decls {
		f, ok := d.(*ast.FuncDecl)
		if !ok {
			continue
		}
		if n := set.Position(f.End()).Line - set.Position(f.Pos()).Line + 1; n > maxFunctionLines {
			t.Errorf("%s: function %s has %d lines, more than %d", short, f.Name.Name, n, maxFunctionLines)
		}
	}
	return lines
}

func TestEachPackageOpensWithADocComment(t *testing.T) {
	for _, p := range packages(t) {
		documented := len(p.GoFiles) == 0
		for _, file := range p.GoFiles {
			text, err := os.ReadFile(filepath.Join(p.Dir, file))
			if err != nil {
				t.Fatal(err)
			}
			if generated.Match(text) {
				documented = true
				break
			}
			parsed, err := parser.ParseFile(token.NewFileSet(), file, text, parser.PackageClauseOnly|parser.ParseComments)
			if err != nil {
				t.Fatal(err)
			}
			if parsed.Doc.Text() != "" {
				documented = true
				break
			}
		}
		if !documented {
			t.Errorf("%s has no package comment: say what it is for, its main types, what it does not do", relative(p.ImportPath))
		}
	}
}

// openMarks are notes to self that must carry an issue number.
var openMarks = regexp.MustCompile(`\b(TODO|FIXME|XXX)\b`)
var numbered = regexp.MustCompile(`\b(TODO|FIXME|XXX)\(#\d+\)`)

func TestNoOpenMarksWithoutAnIssue(t *testing.T) {
	root := repositoryRoot(t)
	out, err := exec.Command("git", "-C", root, "ls-files", "--cached", "--others", "--exclude-standard", "*.go", "Makefile", ".ci/*").Output()
	if err != nil {
		t.Fatalf("git ls-files: %v", err)
	}
	for _, file := range strings.Fields(string(out)) {
		if strings.HasPrefix(file, "test/architecture/") || strings.HasPrefix(file, "test/vectors/") {
			continue
		}
		text, err := os.ReadFile(filepath.Join(root, file))
		if err != nil || generated.Match(text) {
			continue
		}
		n := 0
		for s := bufio.NewScanner(bytes.NewReader(text)); s.Scan(); {
			n++
			if openMarks.MatchString(s.Text()) && !numbered.MatchString(s.Text()) {
				t.Errorf("%s:%d: %s", file, n, strings.TrimSpace(s.Text()))
			}
		}
	}
}

func repositoryRoot(t *testing.T) string {
	t.Helper()
	out, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}").Output()
	if err != nil {
		t.Fatalf("go list -m: %v", err)
	}
	return strings.TrimSpace(string(out))
}
