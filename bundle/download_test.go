package bundle

import (
	"archive/zip"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// proxy is a module proxy in a folder that serves example.com/dep v1.0.0, and a
// workshop whose module needs it.
type proxy struct {
	workshop
	zip string
	sum string // content of go.sum
}

func newProxy(t *testing.T) proxy {
	t.Helper()
	w := newWorkshop(t)
	dir := filepath.Join(filepath.Dir(w.root), "proxy")
	versions := filepath.Join(dir, "example.com", "dep", "@v")
	p := proxy{workshop: w, zip: filepath.Join(versions, "v1.0.0.zip")}
	goMod := "module example.com/dep\n\ngo 1.26.0\n"
	write(t, filepath.Join(versions, "list"), "v1.0.0\n")
	write(t, filepath.Join(versions, "v1.0.0.info"), `{"Version":"v1.0.0"}`)
	write(t, filepath.Join(versions, "v1.0.0.mod"), goMod)
	writeZip(t, p.zip, map[string]string{"go.mod": goMod, "dep.go": "package dep\n\nconst Name = \"dep\"\n"})

	t.Setenv("GOPROXY", "file://"+filepath.ToSlash(dir))
	t.Setenv("GONOSUMDB", "*")
	freshModuleCache(t)
	cmd := exec.Command("go", "mod", "download", "-json", "example.com/dep@v1.0.0")
	cmd.Dir, cmd.Env = t.TempDir(), append(os.Environ(), "GOFLAGS=-modcacherw", "GOWORK=off")
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("go mod download: %v", err)
	}
	var downloaded struct{ Sum, GoModSum string }
	if err := json.Unmarshal(out, &downloaded); err != nil {
		t.Fatal(err)
	}
	p.sum = "example.com/dep v1.0.0 " + downloaded.Sum + "\nexample.com/dep v1.0.0/go.mod " + downloaded.GoModSum + "\n"
	write(t, filepath.Join(w.root, "hello", "go.mod"), "module example.com/hello\n\ngo 1.26.0\n\nrequire example.com/dep v1.0.0\n")
	write(t, filepath.Join(w.root, "hello", "go.sum"), p.sum)
	write(t, filepath.Join(w.root, "hello", "main.go"), "package main\n\nimport \"example.com/dep\"\n\nfunc main() { println(dep.Name) }\n")
	freshModuleCache(t)
	return p
}

// freshModuleCache gives the builds of a test a module cache of their own. What
// the go command puts there is read-only and must be made removable.
func freshModuleCache(t *testing.T) {
	t.Helper()
	dir := t.TempDir()
	t.Setenv("GOMODCACHE", dir)
	t.Cleanup(func() {
		_ = filepath.WalkDir(dir, func(path string, entry os.DirEntry, err error) error {
			if err == nil && entry.IsDir() {
				err = os.Chmod(path, 0o755)
			}
			return err
		})
	})
}

func writeZip(t *testing.T, path string, files map[string]string) {
	t.Helper()
	file, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	archive := zip.NewWriter(file)
	for name, content := range files {
		member, err := archive.Create("example.com/dep@v1.0.0/" + name)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := member.Write([]byte(content)); err != nil {
			t.Fatal(err)
		}
	}
	if err := archive.Close(); err != nil {
		t.Fatal(err)
	}
}

func TestBuild_WrongChecksumOrBrokenDownloadLeavesNothing(t *testing.T) {
	tests := []struct {
		name   string
		damage func(t *testing.T, p proxy)
		want   string
	}{
		{
			name: "module with other content",
			damage: func(t *testing.T, p proxy) {
				writeZip(t, p.zip, map[string]string{"go.mod": "module example.com/dep\n\ngo 1.26.0\n", "dep.go": "package dep\n\nconst Name = \"evil\"\n"})
			},
			want: "checksum mismatch",
		},
		{
			name: "archive cut off",
			damage: func(t *testing.T, p proxy) {
				if err := os.Truncate(p.zip, 60); err != nil {
					t.Fatal(err)
				}
			},
			want: "example.com/dep",
		},
		{
			name:   "module gone",
			damage: func(t *testing.T, p proxy) { _ = os.Remove(p.zip) },
			want:   "example.com/dep",
		},
		{
			name: "no checksum pinned",
			damage: func(t *testing.T, p proxy) {
				write(t, filepath.Join(p.root, "hello", "go.sum"), "")
			},
			want: "missing go.sum entry",
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			p := newProxy(t)
			good, err := os.ReadFile(p.zip)
			if err != nil {
				t.Fatal(err)
			}
			test.damage(t, p)
			_, err = p.builder().Build(t.Context(), "hello")
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("Build error = %v, want one with %q", err, test.want)
			}
			if left := p.leftovers(t); len(left) > 0 {
				t.Errorf("the cache holds %v", left)
			}
			// Once the cause is gone, the same builder works.
			write(t, p.zip, string(good))
			write(t, filepath.Join(p.root, "hello", "go.sum"), p.sum)
			mustBuild(t, p.builder(), "hello")
		})
	}
}

func TestBuild_NeedsNoNetworkOnceModulesAreThere(t *testing.T) {
	p := newProxy(t)
	mustBuild(t, p.builder(), "hello")
	t.Setenv("GOPROXY", "off")
	p.cache += "2"
	mustBuild(t, p.builder(), "hello")
}
