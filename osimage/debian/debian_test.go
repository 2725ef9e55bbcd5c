package debian

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ichor-os/ichor/bundle/filetree"
)

func TestLocked_PinsEveryPackageForEachArchitecture(t *testing.T) {
	lock, err := Locked()
	if err != nil {
		t.Fatal(err)
	}
	for _, arch := range []string{"amd64", "arm64"} {
		pins, err := lock.Select(arch, append(ImagePackages(), ToolPackages()...))
		if err != nil {
			t.Fatal(err)
		}
		for _, pin := range pins {
			if pin.Licence == "" || pin.Licence == "NOASSERTION" || pin.Size == 0 {
				t.Errorf("%s for %s: licence %q, size %d; want both", pin.Name, arch, pin.Licence, pin.Size)
			}
		}
	}
}

func TestLocked_IsInItsCanonicalForm(t *testing.T) {
	lock, err := Locked()
	if err != nil {
		t.Fatal(err)
	}
	formatted, err := lock.Format()
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(lockJSON), string(formatted)); diff != "" {
		t.Errorf("lock.json is not as `make lock` writes it (-have +want):\n%s", diff)
	}
}

func TestParseLock_RefusesWhatIsNotExact(t *testing.T) {
	sum := strings.Repeat("a", 64)
	pin := func(name, version, digest string) string {
		return `{"series":"trixie","pins":[{"name":"` + name + `","arch":"amd64","version":"` + version + `","sha256":"` + digest + `","size":1,"licence":"MIT"}]}`
	}
	for name, content := range map[string]string{
		"no series":       `{"series":"","pins":[]}`,
		"unknown key":     `{"series":"trixie","pins":[],"more":1}`,
		"name a flag":     pin("-oDebug", "1", sum),
		"name with slash": pin("../a", "1", sum),
		"version a range": pin("nftables", ">=1", sum),
		"short checksum":  pin("nftables", "1", "abc"),
		"no JSON":         `series: trixie`,
	} {
		t.Run(name, func(t *testing.T) {
			if _, err := ParseLock([]byte(content)); err == nil {
				t.Errorf("no error for %s", content)
			}
		})
	}
	if _, err := ParseLock([]byte(pin("nftables", "1:1.1.3-1+b2~x", sum))); err != nil {
		t.Errorf("a good pin is refused: %v", err)
	}
}

func TestHostMirrors(t *testing.T) {
	for name, test := range map[string]struct {
		files map[string]string
		want  Mirrors
	}{
		"nothing set up":   {nil, publicMirrors},
		"another vendor's": {map[string]string{"sources.list": "deb https://packages.example.com/apt tool main\n"}, publicMirrors},
		"one line": {
			map[string]string{"sources.list": "# deb http://no.example/debian x main\ndeb [arch=amd64 signed-by=/k] http://mirror.example/debian/ bookworm main\ndeb-src http://src.example/debian bookworm main\n"},
			Mirrors{"http://mirror.example/debian", publicMirrors.Security},
		},
		"deb822": {
			map[string]string{"sources.list.d/debian.sources": "Types: deb\nURIs: https://mirror.example/pub/debian\nSuites: bookworm\n\nTypes: deb\nURIs: https://mirror.example/debian-security/\nSuites: bookworm-security\n"},
			Mirrors{"https://mirror.example/pub/debian", "https://mirror.example/debian-security"},
		},
		"password in address": {map[string]string{"sources.list": "deb http://user:secret@mirror.example/debian bookworm main\n"}, publicMirrors},
	} {
		t.Run(name, func(t *testing.T) {
			folder := t.TempDir()
			for file, content := range test.files {
				path := filepath.Join(folder, file)
				if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			got, err := HostMirrors(folder)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("mirrors differ (-want +got):\n%s", diff)
			}
		})
	}
}

func TestParseCopyright(t *testing.T) {
	const format = "Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/\n"
	for name, test := range map[string]struct{ text, want string }{
		"prose":           {"This package was debianized by nobody.\nLicense: GPL\n", "NOASSERTION"},
		"one":             {format + "License: Expat\n text\n", "MIT"},
		"several, sorted": {format + "License: MPL-2.0\n\nLicense: GPL-2+\n\nLicense: MPL-2.0\n", "GPL-2.0-or-later AND MPL-2.0"},
		"choice":          {format + "License: GPL-2+ or LGPL-3+\n", "(GPL-2.0-or-later OR LGPL-3.0-or-later)"},
		"both":            {format + "License: ISC, and LGPL-2.1+\n", "ISC AND LGPL-2.1-or-later"},
		"exception":       {format + "License: GPL-3+ with autoconf exception\n", "LicenseRef-Debian-GPL-3-or-later-with-autoconf-exception"},
		"only":            {format + "License: GPL-2\n", "GPL-2.0-only"},
		"unknown":         {format + "License: BSD_4 (odd)\n", "LicenseRef-Debian-BSD-4-odd"},
		"none":            {format + "Files: *\n", "NOASSERTION"},
	} {
		t.Run(name, func(t *testing.T) {
			if got := ParseCopyright(test.text); got != test.want {
				t.Errorf("ParseCopyright = %q, want %q", got, test.want)
			}
		})
	}
}

func TestMergedPath(t *testing.T) {
	for name, want := range map[string]string{
		"./usr/bin/nft": "usr/bin/nft", "./sbin/blkid": "usr/sbin/blkid", "/lib/x/libc.so.6": "usr/lib/x/libc.so.6",
		"./": ".", "./lib": "lib", "./etc/x": "etc/x",
	} {
		if got, ok := mergedPath(name); !ok || got != want {
			t.Errorf("mergedPath(%q) = %q, %t, want %q", name, got, ok, want)
		}
	}
	for _, name := range []string{"../etc/passwd", "a/../../b", "./usr/../../x"} {
		if got, ok := mergedPath(name); ok {
			t.Errorf("mergedPath(%q) = %q, want it refused", name, got)
		}
	}
}

func TestChoose(t *testing.T) {
	pin := Pin{Name: "nftables", Arch: "amd64", Version: "1.1.3-1", SHA256: strings.Repeat("a", 64)}
	pinned := record{name: "nftables", version: "1.1.3-1", sha256: pin.SHA256, size: 5}
	newer := record{name: "nftables", version: "1.1.3-2", sha256: strings.Repeat("b", 64), size: 6}
	for name, test := range map[string]struct {
		strict   bool
		served   []record
		want     string
		floating bool
		err      string
	}{
		"pin is served":                     {served: []record{newer, pinned}, want: "1.1.3-1"},
		"pin is gone":                       {served: []record{newer}, want: "1.1.3-2", floating: true},
		"pin is gone, locked":               {strict: true, served: []record{newer}, err: "no longer served"},
		"package is gone":                   {err: "no such package"},
		"same version, another checksum":    {served: []record{{name: "nftables", version: "1.1.3-1", sha256: newer.sha256}}, err: "neither is used"},
		"locked and served, newer is there": {strict: true, served: []record{newer, pinned}, want: "1.1.3-1"},
	} {
		t.Run(name, func(t *testing.T) {
			var said []string
			s := &Store{Folder: t.TempDir(), Strict: test.strict, Log: func(format string, _ ...any) { said = append(said, format) }}
			p := Package{Pin: pin}
			got, err := s.choose(&p, "trixie", test.served)
			if test.err != "" {
				if err == nil || !strings.Contains(err.Error(), test.err) {
					t.Fatalf("error = %v, want one with %q", err, test.err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if got.version != test.want || p.Version != test.want || p.Floating != test.floating {
				t.Errorf("chose %s, floating %t, want %s, %t", p.Version, p.Floating, test.want, test.floating)
			}
			if test.floating && (len(said) != 1 || p.Wanted != "1.1.3-1") {
				t.Errorf("said %v, wanted version %q; want a warning and the pin", said, p.Wanted)
			}
		})
	}
}

// makeDeb builds a package with dpkg-deb.
func makeDeb(t *testing.T, name string, files map[string]string) Package {
	t.Helper()
	if _, err := exec.LookPath("dpkg-deb"); err != nil {
		t.Skip("dpkg-deb is missing")
	}
	folder := filepath.Join(t.TempDir(), name)
	files["DEBIAN/control"] = "Package: " + name + "\nVersion: 1\nArchitecture: all\nMaintainer: none <none@example.com>\nDescription: test\n"
	for file, content := range files {
		path := filepath.Join(folder, file)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if target, ok := strings.CutPrefix(content, "link:"); ok {
			if err := os.Symlink(target, path); err != nil {
				t.Fatal(err)
			}
		} else if err := os.WriteFile(path, []byte(content), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if strings.HasPrefix(name, "setuid") {
		if err := os.Chmod(filepath.Join(folder, "bin/x"), os.ModeSetuid|0o755); err != nil {
			t.Fatal(err)
		}
	}
	deb := folder + ".deb"
	if out, err := exec.Command("dpkg-deb", "--root-owner-group", "-b", folder, deb).CombinedOutput(); err != nil {
		t.Fatalf("dpkg-deb: %v: %s", err, out)
	}
	digest := digestOf(t, deb)
	return Package{Pin: Pin{Name: name, Arch: "amd64", Version: "1", SHA256: digest}, Path: deb}
}

func digestOf(t *testing.T, file string) string {
	t.Helper()
	tree := &filetree.Tree{}
	tree.Copy("f", 0o644, file, "")
	if err := tree.Err(); err != nil {
		t.Fatal(err)
	}
	return tree.Entries()[0].SHA256
}

func TestUnpack_MergesUsrAndRunsNothing(t *testing.T) {
	marker := filepath.Join(t.TempDir(), "ran")
	p := makeDeb(t, "setuid-program", map[string]string{
		"bin/x": "content", "lib/y.so.1": "library", "usr/lib/y.so": "link:y.so.1",
		"DEBIAN/postinst": "#!/bin/sh\ntouch " + marker + "\n",
	})
	s := &Store{Folder: t.TempDir()}
	tree, err := s.Unpack(context.Background(), "amd64", []Package{p})
	if err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(filepath.Join(tree.Folder, "usr/bin/x"))
	if err != nil || info.Mode() != 0o755 {
		t.Errorf("usr/bin/x: %v, %v, want mode 0755 without setuid", info, err)
	}
	if content, err := tree.Read("usr/lib/y.so"); err != nil || string(content) != "library" {
		t.Errorf("usr/lib/y.so = %q, %v, want the library behind the link", content, err)
	}
	if _, err := os.Stat(marker); err == nil {
		t.Error("a maintainer script ran")
	}
	if packages, err := tree.packagesOf([]string{filepath.Join(tree.Folder, "usr/bin/x")}); err != nil || packages[0] != "setuid-program" {
		t.Errorf("owner = %v, %v", packages, err)
	}
}

func TestUnpack_BrokenPackageLeavesNothing(t *testing.T) {
	p := makeDeb(t, "broken", map[string]string{"usr/bin/x": strings.Repeat("content", 10000)})
	if err := os.Truncate(p.Path, 300); err != nil {
		t.Fatal(err)
	}
	s := &Store{Folder: t.TempDir()}
	if _, err := s.Unpack(context.Background(), "amd64", []Package{p}); err == nil {
		t.Fatal("no error")
	}
	if entries, err := os.ReadDir(filepath.Join(s.Folder, "unpacked")); err != nil || len(entries) != 0 {
		t.Errorf("store holds %v, %v, want nothing", entries, err)
	}
}

func TestLicence_EndsAtOnceThoughThePackageGoesOn(t *testing.T) {
	p := makeDeb(t, "large", map[string]string{
		"usr/share/doc/large/copyright": "Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/\nLicense: ISC\n",
		"usr/share/zzz":                 strings.Repeat("0123456789abcdef", 1<<19),
	})
	if got, err := Licence(context.Background(), p.Path); err != nil || got != "ISC" {
		t.Errorf("Licence = %q, %v, want ISC", got, err)
	}
}

func TestAdmit_WrongChecksumStaysOutOfThePool(t *testing.T) {
	folder := t.TempDir()
	if err := os.WriteFile(filepath.Join(folder, "nftables_1_amd64.deb"), []byte("half a downl"), 0o644); err != nil {
		t.Fatal(err)
	}
	s := &Store{Folder: t.TempDir()}
	err := s.admit(folder, record{name: "nftables", version: "1", sha256: strings.Repeat("a", 64)})
	if err == nil || !strings.Contains(err.Error(), "SHA-256") {
		t.Fatalf("error = %v, want one about the SHA-256", err)
	}
	if entries, _ := os.ReadDir(filepath.Join(s.Folder, "pool")); len(entries) != 0 {
		t.Errorf("pool holds %v, want nothing", entries)
	}
}

func TestFetch_WhatTheStoreHoldsNeedsNoNetwork(t *testing.T) {
	p := makeDeb(t, "held", map[string]string{"usr/bin/x": "x"})
	content, err := os.ReadFile(p.Path)
	if err != nil {
		t.Fatal(err)
	}
	s := &Store{Folder: t.TempDir(), HostConfig: "/nonexistent"}
	if err := os.MkdirAll(filepath.Join(s.Folder, "pool"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(s.debPath(p.SHA256), content, 0o644); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", "/nonexistent") // no apt either
	got, err := s.Fetch(context.Background(), "trixie", []Pin{p.Pin})
	if err != nil || len(got) != 1 || got[0].Floating {
		t.Errorf("Fetch = %v, %v", got, err)
	}
}

func TestConfiguration_KeepsAptOffTheHost(t *testing.T) {
	a := &apt{folder: "/cache/apt", series: "trixie", arch: "amd64"}
	text := string(a.configuration([]string{`Acquire::http::Proxy "http://proxy.example:3128";`}))
	for _, want := range []string{
		`Dir::State "/cache/apt/state";`, `Dir::Cache "/cache/apt/cache";`, `Dir::Etc::parts "";`, `Dir::Etc::sourceparts "";`,
		`Acquire::AllowInsecureRepositories "false";`, `Acquire::http::Proxy "http://proxy.example:3128";`,
	} {
		if !strings.Contains(text, want) {
			t.Errorf("configuration lacks %s:\n%s", want, text)
		}
	}
}

func FuzzMergedPath(f *testing.F) {
	for _, name := range []string{"./bin/x", "../x", "lib/../../x", "/lib64/ld", "a//b", "bin/sbin/lib"} {
		f.Add(name)
	}
	f.Fuzz(func(t *testing.T, name string) {
		merged, ok := mergedPath(name)
		if !ok || merged == "." {
			return
		}
		if !filepath.IsLocal(merged) {
			t.Errorf("mergedPath(%q) = %q, which leads outside", name, merged)
		}
		if again, ok := mergedPath(merged); !ok || again != merged {
			t.Errorf("mergedPath(%q) = %q, and of that %q", name, merged, again)
		}
	})
}

func FuzzParseCopyright(f *testing.F) {
	f.Add("Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/\nLicense: GPL-2+ or ISC, and X with Y exception\n")
	f.Fuzz(func(t *testing.T, text string) {
		got := ParseCopyright(text)
		if got == "" || strings.Contains(got, "  ") || strings.ContainsAny(got, "\n,") {
			t.Errorf("ParseCopyright(%q) = %q", text, got)
		}
	})
}
