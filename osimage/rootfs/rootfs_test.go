package rootfs

import (
	"encoding/json"
	"os"
	"path"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/ichor-os/ichor/bundle"
	"github.com/ichor-os/ichor/osimage/debian"
	"github.com/ichor-os/ichor/version"
)

// fakeParts makes small programs and packages of the shape of the real ones.
func fakeParts(t *testing.T) Parts {
	t.Helper()
	folder := t.TempDir()
	owners := map[string]string{}
	add := func(name, owner string, content []byte) {
		put(t, folder, name, 0o755, content)
		owners[name] = owner
	}
	const loader = "usr/lib/x86_64-linux-gnu/ld-linux-x86-64.so.2"
	add(loader, "libc6", program(t, "", ""))
	link(t, folder, "usr/lib64/ld-linux-x86-64.so.2", "../lib/x86_64-linux-gnu/ld-linux-x86-64.so.2")
	var libraries []string
	for _, library := range Allowed("amd64").Libraries[1:] {
		libraries = append(libraries, path.Base(library))
		add(library+".real", "lib", program(t, "", "", "ld-linux-x86-64.so.2"))
		link(t, folder, library, path.Base(library)+".real")
	}
	for _, name := range debianPrograms {
		add("usr/sbin/"+name, name+"-package", program(t, "/lib64/ld-linux-x86-64.so.2", "", libraries...))
	}
	add("usr/share/ca-certificates/mozilla/b.crt", "ca-certificates", []byte("B"))
	add("usr/share/ca-certificates/mozilla/a.crt", "ca-certificates", []byte("A\n"))
	add("etc/mke2fs.conf", "e2fsprogs", []byte("[defaults]\n"))
	content, err := json.Marshal(owners)
	if err != nil {
		t.Fatal(err)
	}
	put(t, folder, ".owners.json", 0o444, content)
	parts := Parts{Arch: "amd64", Debian: debian.Tree{Folder: folder, Arch: "amd64"}}
	for _, name := range Programs() {
		file := filepath.Join(t.TempDir(), name)
		if err := os.WriteFile(file, program(t, "", ""), 0o755); err != nil {
			t.Fatal(err)
		}
		parts.Programs = append(parts.Programs, bundle.Artifact{Name: name, Path: file})
	}
	return parts
}

func TestDescribe_MakesATreeThatPassesItsOwnCheck(t *testing.T) {
	tree, packages, err := Describe(fakeParts(t))
	if err != nil {
		t.Fatal(err)
	}
	root := t.TempDir()
	if err := tree.WriteFolder(root); err != nil {
		t.Fatal(err)
	}
	if err := Check(root, Allowed("amd64")); err != nil {
		t.Error(err)
	}
	if got := strings.Join(packages, " "); !strings.Contains(got, "nft-package") || !strings.Contains(got, "ca-certificates") {
		t.Errorf("packages = %s", got)
	}
	for _, name := range []string{
		"etc/hosts", "etc/hostname", "etc/resolv.conf", "etc/machine-id", "etc/localtime", "etc/cri/conf.d", "etc/cni", "etc/kubernetes",
		"opt", "proc", "run", "sys", "system", "tmp", "usr/libexec/kubernetes", "var",
	} {
		if !tree.Has(name) {
			t.Errorf("/%s is missing: a node could not mount there", name)
		}
	}
	if content, err := os.ReadFile(filepath.Join(root, "etc/ssl/certs/ca-certificates.crt")); err != nil || string(content) != "A\nB\n" {
		t.Errorf("certificates = %q, %v, want them in order", content, err)
	}
}

func TestDescribe_SameTreeEachTime(t *testing.T) {
	parts := fakeParts(t)
	first, _, err := Describe(parts)
	if err != nil {
		t.Fatal(err)
	}
	second, _, err := Describe(parts)
	if err != nil {
		t.Fatal(err)
	}
	if first.Digest() != second.Digest() {
		t.Error("two descriptions differ")
	}
}

func TestDescribe_AMissingLibraryIsNamed(t *testing.T) {
	parts := fakeParts(t)
	if err := os.Remove(filepath.Join(parts.Debian.Folder, "usr/lib/x86_64-linux-gnu/libmnl.so.0.real")); err != nil {
		t.Fatal(err)
	}
	if _, _, err := Describe(parts); err == nil || !strings.Contains(err.Error(), "libmnl.so.0") {
		t.Errorf("error = %v, want one that names libmnl.so.0", err)
	}
}

func TestOSRelease_HasOurNameAndVersion(t *testing.T) {
	text := string(OSRelease())
	for _, want := range []string{"NAME=\"Ichor\"\n", "ID=ichor\n", "VERSION_ID=" + version.Tag + "\n"} {
		if !strings.Contains(text, want) {
			t.Errorf("os-release lacks %q:\n%s", want, text)
		}
	}
}

func TestLocaltime_IsUTC(t *testing.T) {
	location, err := time.LoadLocationFromTZData("localtime", []byte(utc))
	if err != nil {
		t.Fatal(err)
	}
	for _, year := range []int{1950, 2026, 2100} {
		name, offset := time.Date(year, 7, 1, 0, 0, 0, 0, location).Zone()
		if name != "UTC" || offset != 0 {
			t.Errorf("in %d the zone is %s, %d s", year, name, offset)
		}
	}
}
