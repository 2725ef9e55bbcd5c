package rootfs

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// program makes a small ELF file with a loader, libraries and a search path.
func program(t *testing.T, loader, searchPath string, libraries ...string) []byte {
	t.Helper()
	const headerSize, segmentSize, sectionSize = 64, 56, 64
	stringTable := []byte{0}
	var dynamic []elf.Dyn64
	entry := func(tag elf.DynTag, text string) {
		dynamic = append(dynamic, elf.Dyn64{Tag: int64(tag), Val: uint64(len(stringTable))})
		stringTable = append(append(stringTable, text...), 0)
	}
	for _, library := range libraries {
		entry(elf.DT_NEEDED, library)
	}
	if searchPath != "" {
		entry(elf.DT_RUNPATH, searchPath)
	}
	dynamic = append(dynamic, elf.Dyn64{})
	interpreter := append([]byte(loader), 0)
	at := func(n int) uint64 { return uint64(headerSize + segmentSize + n) }
	strings64, dyn64 := at(len(interpreter)), at(len(interpreter)+len(stringTable))
	sectionsAt := dyn64 + uint64(16*len(dynamic))
	header := elf.Header64{
		Ident: [16]byte{0x7f, 'E', 'L', 'F', byte(elf.ELFCLASS64), byte(elf.ELFDATA2LSB), 1},
		Type:  uint16(elf.ET_DYN), Machine: uint16(elf.EM_X86_64), Version: 1,
		Phoff: headerSize, Shoff: sectionsAt, Ehsize: headerSize,
		Phentsize: segmentSize, Phnum: 1, Shentsize: sectionSize, Shnum: 3, Shstrndx: 1,
	}
	segment := elf.Prog64{Type: uint32(elf.PT_INTERP), Off: at(0), Filesz: uint64(len(interpreter)), Memsz: uint64(len(interpreter))}
	if loader == "" {
		segment.Type = uint32(elf.PT_NULL)
	}
	sections := []elf.Section64{
		{},
		{Type: uint32(elf.SHT_STRTAB), Off: strings64, Size: uint64(len(stringTable))},
		{Type: uint32(elf.SHT_DYNAMIC), Off: dyn64, Size: uint64(16 * len(dynamic)), Link: 1, Entsize: 16},
	}
	var out bytes.Buffer
	for _, part := range []any{header, segment, interpreter, stringTable, dynamic, sections} {
		if err := binary.Write(&out, binary.LittleEndian, part); err != nil {
			t.Fatal(err)
		}
	}
	return out.Bytes()
}

// goodTree is a tree that follows every rule, and its list.
func goodTree(t *testing.T) (root string, allow Allow) {
	t.Helper()
	root = t.TempDir()
	put(t, root, "usr/bin/nft", 0o755, program(t, "/lib64/ld-linux-x86-64.so.2", "", "libnft.so.1", "libc.so.6"))
	put(t, root, "usr/bin/static", 0o755, program(t, "", ""))
	put(t, root, "usr/lib64/ld-linux-x86-64.so.2", 0o755, program(t, "", ""))
	put(t, root, "usr/lib/libnft.so.1", 0o644, program(t, "", "", "libc.so.6"))
	put(t, root, "usr/lib/libc.so.6", 0o644, program(t, "/lib64/ld-linux-x86-64.so.2", "", "ld-linux-x86-64.so.2"))
	put(t, root, "etc/hosts", 0o644, []byte("127.0.0.1 localhost\n"))
	link(t, root, "lib64", "usr/lib64")
	link(t, root, "usr/bin/applet", "static")
	link(t, root, "etc/mtab", "../proc/self/mounts")
	if err := os.Mkdir(filepath.Join(root, "tmp"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(filepath.Join(root, "tmp"), fs.ModeSticky|0o777); err != nil {
		t.Fatal(err)
	}
	return root, Allow{
		Programs:  []string{"usr/bin/nft", "usr/bin/static"},
		Libraries: []string{"usr/lib64/ld-linux-x86-64.so.2", "usr/lib/libnft.so.1", "usr/lib/libc.so.6"},
		Applets:   map[string]string{"usr/bin/applet": "static"},
	}
}

func put(t *testing.T, root, name string, mode fs.FileMode, content []byte) {
	t.Helper()
	full := filepath.Join(root, name)
	if err := os.MkdirAll(filepath.Dir(full), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(full, content, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(full, mode); err != nil {
		t.Fatal(err)
	}
}

func link(t *testing.T, root, name, target string) {
	t.Helper()
	full := filepath.Join(root, name)
	if err := os.MkdirAll(filepath.Dir(full), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(target, full); err != nil {
		t.Fatal(err)
	}
}

func TestCheck_AcceptsATreeThatFollowsTheRules(t *testing.T) {
	root, allow := goodTree(t)
	if err := Check(root, allow); err != nil {
		t.Error(err)
	}
}

func TestCheck_RefusesEachBrokenRule(t *testing.T) {
	for name, test := range map[string]struct {
		spoil func(t *testing.T, root string)
		want  string
	}{
		"shell": {func(t *testing.T, root string) { put(t, root, "usr/bin/sh", 0o755, program(t, "", "")) },
			"/usr/bin/sh: a shell"},
		"shell as a link": {func(t *testing.T, root string) { link(t, root, "usr/bin/bash", "static") }, "/usr/bin/bash: a shell"},
		"interpreter not executable": {func(t *testing.T, root string) { put(t, root, "opt/python3", 0o644, nil) },
			"/opt/python3: a shell"},
		"package manager": {func(t *testing.T, root string) { put(t, root, "usr/bin/dpkg", 0o755, program(t, "", "")) }, "/usr/bin/dpkg: a shell"},
		"script":          {func(t *testing.T, root string) { put(t, root, "usr/lib/x", 0o755, []byte("#!/bin/x\n")) }, "/usr/lib/x: script"},
		"script not executable": {func(t *testing.T, root string) { put(t, root, "etc/x", 0o644, []byte("#! /bin/x\n")) },
			"/etc/x: script"},
		"executable text":     {func(t *testing.T, root string) { put(t, root, "etc/x", 0o755, []byte("text")) }, "no ELF program"},
		"program not on list": {func(t *testing.T, root string) { put(t, root, "opt/x", 0o755, program(t, "", "")) }, "/opt/x: program or library that is not on the list"},
		"library not on list": {func(t *testing.T, root string) { put(t, root, "usr/lib/libx.so", 0o644, program(t, "", "")) },
			"/usr/lib/libx.so: program or library that is not on the list"},
		"applet not on list": {func(t *testing.T, root string) { link(t, root, "usr/bin/other", "static") }, "/usr/bin/other: applet"},
		"applet leads elsewhere": {func(t *testing.T, root string) {
			if err := os.Remove(filepath.Join(root, "usr/bin/applet")); err != nil {
				t.Fatal(err)
			}
			link(t, root, "usr/bin/applet", "nft")
		}, "/usr/bin/applet: applet"},
		"program missing": {func(t *testing.T, root string) {
			if err := os.Remove(filepath.Join(root, "usr/bin/nft")); err != nil {
				t.Fatal(err)
			}
		}, "/usr/bin/nft: is on the list and not in the tree"},
		"library missing": {func(t *testing.T, root string) {
			if err := os.Remove(filepath.Join(root, "usr/lib/libnft.so.1")); err != nil {
				t.Fatal(err)
			}
		}, "/usr/bin/nft: loads libnft.so.1, which is not in the tree"},
		"loader missing": {func(t *testing.T, root string) {
			if err := os.Remove(filepath.Join(root, "lib64")); err != nil {
				t.Fatal(err)
			}
		}, "its loader /lib64/ld-linux-x86-64.so.2 is not in the tree"},
		"search path": {func(t *testing.T, root string) {
			put(t, root, "usr/bin/static", 0o755, program(t, "", "/opt/lib"))
		}, "search path of its own: /opt/lib"},
		"program lost its mode": {func(t *testing.T, root string) {
			if err := os.Chmod(filepath.Join(root, "usr/bin/nft"), 0o644); err != nil {
				t.Fatal(err)
			}
		}, "/usr/bin/nft: program or library that is not on the list"},
		"setuid": {func(t *testing.T, root string) {
			if err := os.Chmod(filepath.Join(root, "usr/bin/nft"), fs.ModeSetuid|0o755); err != nil {
				t.Fatal(err)
			}
		}, "/usr/bin/nft: setuid"},
		"setgid": {func(t *testing.T, root string) {
			if err := os.Chmod(filepath.Join(root, "etc/hosts"), fs.ModeSetgid|0o644); err != nil {
				t.Fatal(err)
			}
		}, "/etc/hosts: setuid or setgid"},
		"file anyone can write": {func(t *testing.T, root string) {
			if err := os.Chmod(filepath.Join(root, "etc/hosts"), 0o646); err != nil {
				t.Fatal(err)
			}
		}, "/etc/hosts: file that anyone can write"},
		"folder anyone can write": {func(t *testing.T, root string) {
			if err := os.Chmod(filepath.Join(root, "tmp"), 0o777); err != nil {
				t.Fatal(err)
			}
		}, "/tmp: folder that anyone can write"},
		"pipe": {func(t *testing.T, root string) {
			if err := unix.Mkfifo(filepath.Join(root, "etc/pipe"), 0o600); err != nil {
				t.Fatal(err)
			}
		}, "/etc/pipe: is a p"},
		"link out of the tree": {func(t *testing.T, root string) { link(t, root, "etc/x", "../../outside") }, "/etc/x: link leads out of the tree"},
		"link out and back in": {func(t *testing.T, root string) { link(t, root, "x", "../etc/hosts") }, "/x: link leads out of the tree"},
		"link to nothing":      {func(t *testing.T, root string) { link(t, root, "etc/x", "/usr/nothing") }, "/etc/x: link leads to nothing"},
		"program from a running node": {func(t *testing.T, root string) { link(t, root, "usr/bin/x", "/var/x") },
			"/usr/bin/x: link leads to what only a running node has"},
		"absolute link to a shell": {func(t *testing.T, root string) { link(t, root, "usr/bin/y", "/bin/sh") }, "/usr/bin/y: link leads to nothing"},
	} {
		t.Run(name, func(t *testing.T) {
			root, allow := goodTree(t)
			test.spoil(t, root)
			err := Check(root, allow)
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("error = %v\nwant one with %q", err, test.want)
			}
		})
	}
}

func TestCheck_DeviceNodeAndFileCapabilities(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("root is missing")
	}
	root, allow := goodTree(t)
	if err := unix.Mknod(filepath.Join(root, "etc/null"), unix.S_IFCHR|0o600, int(unix.Mkdev(1, 3))); err != nil {
		t.Skipf("device nodes are missing: %v", err)
	}
	capability := []byte{1, 0, 0, 2, 0, 4, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0} // cap_net_bind_service=ep
	if err := unix.Setxattr(filepath.Join(root, "usr/bin/nft"), "security.capability", capability, 0); err != nil {
		t.Skipf("file capabilities are missing: %v", err)
	}
	err := Check(root, allow)
	for _, want := range []string{"/etc/null: is a Dc", "/usr/bin/nft: file capabilities"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error = %v\nwant one with %q", err, want)
		}
	}
}

func TestAllowed_HoldsNothingThatIsRefused(t *testing.T) {
	for _, arch := range []string{"amd64", "arm64"} {
		allow := Allowed(arch)
		for _, name := range append(allow.Programs, allow.Libraries...) {
			for _, refused := range refusedNames {
				if filepath.Base(name) == refused {
					t.Errorf("%s: %s is on the list and refused", arch, name)
				}
			}
		}
	}
}
