// Package rootfs builds the read-only root file system of a node: which files
// it holds (Describe), that it holds nothing else (Check), and its squashfs
// image (Squash).
//
// There is no shell, no interpreter, no package manager and no setuid file in
// it. Configuration is not in it either: /etc holds placeholders that a node
// covers with what it derives from its config.
package rootfs

import (
	"fmt"
	"io/fs"
	"strings"

	"github.com/ichor-os/ichor/bundle"
	"github.com/ichor-os/ichor/bundle/filetree"
	"github.com/ichor-os/ichor/osimage/debian"
	"github.com/ichor-os/ichor/version"
)

// InitPath is the program that becomes PID 1, as a path in the root.
const InitPath = "/usr/bin/machined"

// cniPrograms are the network plugins that every node has. The flannel plugin
// comes with flannel's image.
var cniPrograms = []string{"cni-bridge", "cni-firewall", "cni-host-local", "cni-loopback", "cni-portmap", "cni-ptp"}

// debianPrograms are what a node starts that is not Go: nft for network plugins
// and kube-proxy's rules, the others to make, check and grow file systems.
var debianPrograms = []string{"mke2fs", "mkfs.xfs", "nft", "xfs_growfs", "xfs_repair"}

// Programs returns the names of the programs (of package bundle) that the root
// holds.
func Programs() []string {
	return append([]string{"machined", "containerd", "containerd-shim-runc-v2", "runc"}, cniPrograms...)
}

// Parts are what a root is made of.
type Parts struct {
	Arch     string
	Programs []bundle.Artifact
	Debian   debian.Tree
}

// Describe returns the tree of the root file system, without its bill of
// materials, and the names of the Debian packages that files in it are from.
func Describe(parts Parts) (tree *filetree.Tree, packages []string, err error) {
	tree = &filetree.Tree{}
	filetree.MergeUsr(tree)
	for _, program := range parts.Programs {
		tree.Copy(programPath(program.Name), 0o755, program.Path, program.SHA256)
	}
	tree.Symlink("usr/bin/init", "machined")
	packages, err = parts.Debian.AddPrograms(tree, debianPrograms...)
	if err != nil {
		return nil, nil, fmt.Errorf("describe root: %w", err)
	}
	if err := addEtc(tree, parts.Debian); err != nil {
		return nil, nil, fmt.Errorf("describe root: %w", err)
	}
	addMountPoints(tree)
	if err := tree.Err(); err != nil {
		return nil, nil, fmt.Errorf("describe root: %w", err)
	}
	return tree, append(packages, "ca-certificates"), nil
}

// SBOMPath is where the root holds its own bill of materials.
const SBOMPath = "usr/share/sbom/" + version.ID + ".spdx.json"

// programPath is where a program of package bundle lies in the root.
func programPath(name string) string {
	if plugin, ok := strings.CutPrefix(name, "cni-"); ok {
		return "opt/cni/bin/" + plugin
	}
	return "usr/bin/" + name
}

// addMountPoints adds the empty folders that a node mounts something on.
func addMountPoints(tree *filetree.Tree) {
	for _, name := range []string{
		"boot", "dev", "etc/cni", "etc/kubernetes", "opt", "proc", "run", "sys", "system", "usr/lib/firmware",
		"usr/lib/modules", "usr/libexec/kubernetes", "usr/local", "var",
	} {
		tree.Folder(name, 0o755)
	}
	tree.Folder("tmp", fs.ModeSticky|0o777)
}

// addEtc adds the files that never change and the placeholders of those that a
// node binds over.
func addEtc(tree *filetree.Tree, packages debian.Tree) error {
	certificates, err := packages.Certificates()
	if err != nil {
		return err
	}
	ext, err := packages.Read("etc/mke2fs.conf")
	if err != nil {
		return err
	}
	tree.Bytes("etc/mke2fs.conf", 0o644, ext)
	tree.Bytes("etc/ssl/certs/ca-certificates.crt", 0o644, certificates)
	tree.Bytes("usr/lib/os-release", 0o644, OSRelease())
	tree.Symlink("etc/os-release", "../usr/lib/os-release")
	tree.Symlink("etc/mtab", "../proc/self/mounts")
	for name, content := range map[string]string{
		"etc/passwd":        "root:x:0:0:root:/:/nonexistent\napid:x:50:50:apid:/:/nonexistent\ntrustd:x:51:51:trustd:/:/nonexistent\netcd:x:60:60:etcd:/:/nonexistent\n",
		"etc/group":         "root:x:0:\ntty:x:5:\napid:x:50:\ntrustd:x:51:\netcd:x:60:\n",
		"etc/nsswitch.conf": "passwd: files\ngroup: files\nhosts: files dns\n",
		"etc/hosts":         "127.0.0.1 localhost\n::1 localhost\n",
		"etc/localtime":     utc,
	} {
		tree.Bytes(name, 0o644, []byte(content))
	}
	for _, name := range []string{"etc/hostname", "etc/machine-id", "etc/resolv.conf"} {
		tree.Bytes(name, 0o644, nil)
	}
	tree.Folder("etc/cri/conf.d", 0o755) // a node binds a folder of its own here
	return nil
}

// utc is the time zone UTC in the format of RFC 8536, version 2: an empty block
// of version 1, one type without offset, and the rule for all times.
const utc = "TZif2" + zeros15 + counts + "\x00\x00\x00\x00\x00\x00" + "UTC\x00" +
	"TZif2" + zeros15 + counts + "\x00\x00\x00\x00\x00\x00" + "UTC\x00" + "\nUTC0\n"

const (
	zeros15 = "\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00"
	zero4   = "\x00\x00\x00\x00"
	// counts: UT/local, standard/wall, leap seconds, transitions, types, characters.
	counts = zero4 + zero4 + zero4 + zero4 + "\x00\x00\x00\x01" + "\x00\x00\x00\x04"
)

// OSRelease returns the content of /usr/lib/os-release (os-release(5)).
func OSRelease() []byte {
	return fmt.Appendf(nil, `NAME=%q
ID=%s
VERSION_ID=%s
PRETTY_NAME="%s (%s)"
HOME_URL="https://github.com/ichor-os/ichor"
BUG_REPORT_URL="https://github.com/ichor-os/ichor/issues"
VENDOR_NAME="The Ichor authors"
`, version.Name, version.ID, version.Tag, version.Name, version.Tag)
}
