// Package linked holds the tests of what the node's program links: they build
// it, so they are not with the quick tests of the tree.
package linked

import (
	"bufio"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

const module = "github.com/ichor-os/ichor"

// TestMachined_LinksOnlyMethodsThatAreReached asks the linker. Where a reached
// function looks methods up by names known only at run time (text/template does),
// the linker keeps every exported method of every type: a third of the program.
func TestMachined_LinksOnlyMethodsThatAreReached(t *testing.T) {
	cmd := exec.Command("go", "build", "-tags", "grpcnotrace", "-ldflags=-dumpdep", "-o", filepath.Join(t.TempDir(), "machined"), module+"/cmd/machined")
	pipe, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	edges := 0
	var last string
	lines := bufio.NewScanner(pipe)
	for lines.Buffer(nil, 1<<20); lines.Scan(); edges++ {
		last = lines.Text()
		if from, to, ok := strings.Cut(last, " -> "); ok && strings.Contains(from, "<ReflectMethod>") {
			t.Errorf("%s looks methods up by name; it leads to %s", from, to)
		}
	}
	if err := cmd.Wait(); err != nil {
		t.Fatalf("link machined: %v: %s", err, last)
	}
	if edges < 10_000 {
		t.Errorf("the linker told %d edges; it should tell all", edges)
	}
}

// TestMachined_LinksNoHeavyModule names what machined must not bring along, as
// each takes megabytes and others do its work.
func TestMachined_LinksNoHeavyModule(t *testing.T) {
	out, err := exec.Command("go", "list", "-deps", "-tags", "grpcnotrace", module+"/cmd/machined").Output()
	if err != nil {
		t.Fatal(err)
	}
	for _, banned := range []string{
		"html/template", "github.com/containerd/containerd/v2/", "go.opentelemetry.io/", "k8s.io/client-go/kubernetes",
		"go.etcd.io/etcd/server/", "github.com/google/go-containerregistry/",
	} {
		at := func(p string) bool {
			return p == banned || strings.HasSuffix(banned, "/") && strings.HasPrefix(p, banned)
		}
		if packages := strings.Fields(string(out)); slices.ContainsFunc(packages, at) {
			t.Errorf("machined links %s", banned)
		}
	}
}
