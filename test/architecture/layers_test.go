// Package architecture holds the tests of the tree itself: which package may
// import which, how large files, functions and packages may grow, and which
// names and words must not appear.
package architecture

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os/exec"
	"path"
	"slices"
	"strings"
	"testing"
)

const module = "github.com/ichor-os/ichor"

// A layer is a part of the tree and the parts that it may import, as path
// patterns relative to the module; "*" stands for one element, a trailing
// "/..." for all below. A part may always import what lies inside itself.
type layer struct {
	part string
	may  []string
}

// layers go from the most specific pattern to the most general: the first that
// matches a package is the one that counts.
var layers = []layer{
	{"version", nil},
	{"atomicfile", nil},
	{"bounded", nil},
	{"told", nil},
	{"api/...", []string{"atomicfile", "bounded", "told", "version"}},
	{"pki/...", []string{"api/...", "atomicfile", "bounded", "told", "version"}},
	{"config/...", []string{"pki/...", "api/...", "atomicfile", "bounded", "told", "version"}},
	{"resource/...", []string{"api/...", "atomicfile", "bounded", "told", "version"}},
	{"client/...", []string{"config/...", "pki/...", "api/...", "atomicfile", "bounded", "told", "version"}},
	{"bundle/...", []string{"atomicfile", "bounded", "told", "version"}},
	{"osimage/...", []string{"bundle/...", "client/...", "config/...", "pki/...", "atomicfile", "bounded", "told", "version"}},
	{"cluster/...", []string{"client/...", "config/...", "pki/...", "api/...", "atomicfile", "bounded", "told", "version"}},
	{"localcluster/...", []string{"cluster/...", "osimage/...", "client/...", "config/...", "pki/...", "api/...", "atomicfile", "bounded", "told", "version"}},
	// The config in force is a resource, and its text is read in one place.
	{"node/config/spec", []string{"config/...", "resource/...", "api/...", "atomicfile", "bounded", "told", "version"}},
	{"node/*/spec", []string{"resource/...", "api/...", "atomicfile", "bounded", "told", "version"}},
	{"node/machined/...", []string{"node/...", "resource/...", "config/...", "pki/...", "api/...", "client/...", "atomicfile", "bounded", "told", "version"}},
	// The engine is spoken to by several nouns: services, containers, images.
	{"node/containerd/...", []string{"atomicfile", "bounded", "told", "version"}},
	{"node/access/...", []string{"resource/...", "pki/...", "api/...", "atomicfile", "bounded", "told", "version"}},
	// apid and trustd are the two doors of a node: they count their visitors and read their settings alike.
	{"node/trustd/...", []string{"node/apid/quota", "node/apid/settings", "node/*/spec", "node/access", "resource/...", "config/...", "pki/...", "api/...", "atomicfile", "bounded", "told", "version"}},
	{"node/*/...", []string{"node/*/spec", "node/access", "node/containerd", "resource/...", "config/...", "pki/...", "api/...", "client/...", "atomicfile", "bounded", "told", "version"}},
	{"cli/...", []string{"cluster/...", "localcluster/...", "osimage/...", "client/...", "config/...", "pki/...", "api/...", "atomicfile", "bounded", "told", "version"}},
	{"cmd/...", []string{"..."}},
	{"test/...", []string{"..."}},
	{"docs/...", []string{"..."}},
}

type goPackage struct {
	ImportPath string
	Dir        string
	Name       string
	GoFiles    []string
	Imports    []string
}

func packages(t *testing.T) []goPackage {
	t.Helper()
	cmd := exec.Command("go", "list", "-json=ImportPath,Dir,Name,GoFiles,Imports", module+"/...")
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("go list: %v\n%s", err, stderr.Bytes())
	}
	var all []goPackage
	for d := json.NewDecoder(bytes.NewReader(out)); ; {
		var p goPackage
		err := d.Decode(&p)
		if errors.Is(err, io.EOF) {
			return all
		}
		if err != nil {
			t.Fatalf("read go list: %v", err)
		}
		all = append(all, p)
	}
}

func TestImportsPointOneWay(t *testing.T) {
	for _, p := range packages(t) {
		from := relative(p.ImportPath)
		l := layerOf(from)
		if l == nil {
			t.Errorf("%s is in no layer: give it a place that the architecture knows", from)
			continue
		}
		for _, imported := range p.Imports {
			if !strings.HasPrefix(imported, module) {
				continue
			}
			to := relative(imported)
			if sameRoom(l.part, from, to) || slices.ContainsFunc(l.may, func(m string) bool { return match(m, to) }) {
				continue
			}
			t.Errorf("%s imports %s: %s may import only %v", from, to, l.part, l.may)
		}
	}
}

// sameRoom says whether two packages lie in the same instance of a part: for
// node/*/… that is the same noun.
func sameRoom(part, a, b string) bool {
	depth := len(strings.Split(strings.TrimSuffix(part, "/..."), "/"))
	return room(a, depth) == room(b, depth)
}

func room(p string, depth int) string {
	elements := strings.Split(p, "/")
	return path.Join(elements[:min(depth, len(elements))]...)
}

func layerOf(p string) *layer {
	for i := range layers {
		if match(layers[i].part, p) {
			return &layers[i]
		}
	}
	return nil
}

func match(pattern, p string) bool {
	below := false
	if pattern == "..." {
		return true
	}
	if s, ok := strings.CutSuffix(pattern, "/..."); ok {
		pattern, below = s, true
	}
	want, got := strings.Split(pattern, "/"), strings.Split(p, "/")
	if len(got) < len(want) || len(got) > len(want) && !below {
		return false
	}
	for i, w := range want {
		if w != "*" && w != got[i] {
			return false
		}
	}
	return true
}

func relative(importPath string) string {
	return strings.TrimPrefix(strings.TrimPrefix(importPath, module), "/")
}

func TestMatch_PatternsOfPackagePaths(t *testing.T) {
	cases := []struct {
		pattern, path string
		want          bool
	}{
		{"api/...", "api", true},
		{"api/...", "api/machine", true},
		{"api/...", "apid", false},
		{"node/*/spec", "node/etcd/spec", true},
		{"node/*/spec", "node/etcd", false},
		{"node/*/spec", "node/etcd/spec/deep", false},
		{"node/*/...", "node/etcd/spec/deep", true},
		{"...", "anything/at/all", true},
	}
	for _, c := range cases {
		if got := match(c.pattern, c.path); got != c.want {
			t.Errorf("match(%q, %q) = %v, want %v", c.pattern, c.path, got, c.want)
		}
	}
}
