package debian

import (
	"bytes"
	"context"
	"fmt"
	"io"
)

// ToolPackages hold the programs that a build runs: mksquashfs and zstd, with
// their libraries.
func ToolPackages() []string {
	return []string{"libc6", "libgcc-s1", "liblz4-1", "liblzma5", "liblzo2-2", "libzstd1", "squashfs-tools", "zlib1g", "zstd"}
}

// RootPackages hold what the root file system takes from Debian.
func RootPackages() []string {
	return []string{
		"ca-certificates", "e2fsprogs", "libblkid1", "libbsd0", "libc6", "libcom-err2", "libedit2", "libext2fs2t64",
		"libgmp10", "libinih1", "libjansson4", "libmd0", "libmnl0", "libnftables1", "libnftnl11", "libtinfo6",
		"liburcu8t64", "libuuid1", "libxtables12", "nftables", "xfsprogs",
	}
}

// ImagePackages hold what the container images take from Debian.
func ImagePackages() []string {
	return append(RootPackages(), "libsmartcols1", "mount", "util-linux")
}

// Zstd compresses with the zstd program of a tool tree.
type Zstd struct {
	Tools Tree
	Level int
}

// ID names the program's package and its settings.
func (z Zstd) ID() string {
	version := ""
	for _, p := range z.Tools.Packages {
		if p.Name == "zstd" {
			version = p.Version
		}
	}
	return fmt.Sprintf("zstd %s -%d", version, z.Level)
}

// Compress implements the compressor of image layers. Two workers: the output
// does not depend on how many there are as long as it is at least one, and the
// program sizes its jobs by the level alone.
func (z Zstd) Compress(ctx context.Context, w io.Writer, r io.Reader) error {
	cmd, err := z.Tools.Command(ctx, "zstd", fmt.Sprintf("-%d", z.Level), "-T2", "-q", "-c")
	if err != nil {
		return err
	}
	var stderr bytes.Buffer
	cmd.Stdin, cmd.Stdout, cmd.Stderr = r, w, &stderr
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("compress: %w: %s", err, lastLines(stderr.String(), 2))
	}
	return nil
}
