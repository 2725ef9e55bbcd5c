package rootfs

// An Allow is the exact list of what may be executed in a tree: no file that can
// be run or loaded may be missing from it, and none on it may be missing from
// the tree.
type Allow struct {
	// Programs are paths of executables.
	Programs []string
	// Applets are links to executables that choose by name what they do: path
	// of the link to its target as it stands in the link.
	Applets map[string]string
	// Libraries are paths of shared libraries, and the loader.
	Libraries []string
}

// Allowed is the list for the root file system. A line is added here only with
// the reason why a node cannot do without.
//
// machined also chooses what it does by names that have no file, as argv[0]:
// apid, trustd, and ichor-exec, which becomes one of machined.Programs and
// refuses everything else.
func Allowed(arch string) Allow {
	allow := Allow{
		Applets: map[string]string{
			"usr/bin/init": "machined", // the name of PID 1 that kernels and launchers look for
		},
	}
	for _, name := range Programs() {
		allow.Programs = append(allow.Programs, programPath(name))
	}
	for _, name := range debianPrograms {
		allow.Programs = append(allow.Programs, "usr/bin/"+name)
	}
	folder, loader := "usr/lib/x86_64-linux-gnu/", "usr/lib64/ld-linux-x86-64.so.2"
	if arch == "arm64" {
		folder, loader = "usr/lib/aarch64-linux-gnu/", "usr/lib/ld-linux-aarch64.so.1"
	}
	allow.Libraries = append(allow.Libraries, loader)
	for _, name := range []string{
		"libc.so.6",                                                                                                // every Debian program
		"libnftables.so.1", "libnftnl.so.11", "libmnl.so.0", "libgmp.so.10", "libjansson.so.4", "libxtables.so.12", // nft
		"libedit.so.2", "libbsd.so.0", "libmd.so.0", "libtinfo.so.6", // nft's prompt, which it cannot be built without
		"libblkid.so.1", "libuuid.so.1", "libinih.so.1", "liburcu.so.8", // xfsprogs
		"libext2fs.so.2", "libe2p.so.2", "libcom_err.so.2", // mke2fs
	} {
		allow.Libraries = append(allow.Libraries, folder+name)
	}
	return allow
}

// refusedNames are programs that must not be in a tree under any path, listed or
// not: whoever can start one of them can run anything.
var refusedNames = []string{
	"apk", "apt", "apt-get", "ash", "awk", "bash", "busybox", "csh", "ctr", "dash", "dpkg", "env", "find", "fish", "gawk",
	"ksh", "lua", "mawk", "nsenter", "perl", "pip", "python", "python3", "rpm", "ruby", "setpriv", "sh", "ssh", "sshd",
	"su", "sudo", "systemd-run", "tclsh", "toybox", "unshare", "xargs", "zsh",
}
