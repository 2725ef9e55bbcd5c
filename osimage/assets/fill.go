package assets

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/ichor-os/ichor/bundle"
	"github.com/ichor-os/ichor/bundle/filetree"
	"github.com/ichor-os/ichor/bundle/images"
	"github.com/ichor-os/ichor/bundle/oci"
	"github.com/ichor-os/ichor/bundle/publish"
	"github.com/ichor-os/ichor/osimage/debian"
	"github.com/ichor-os/ichor/osimage/rootfs"
	"github.com/ichor-os/ichor/osimage/sbom"
	"github.com/ichor-os/ichor/version"
)

// storagePrograms are what kubelet starts to make, look at and grow the file
// systems of volumes.
var storagePrograms = []string{"blkid", "blockdev", "e2fsck", "losetup", "mke2fs", "mkfs.xfs", "resize2fs", "xfs_growfs"}

// imageParts makes the trees that images take from Debian.
func (in *inputs) imageParts() (images.Parts, error) {
	parts := images.Parts{CertificatePackages: []string{"ca-certificates"}}
	var err error
	if parts.Certificates, err = in.tree.Certificates(); err != nil {
		return images.Parts{}, err
	}
	if parts.Firewall, err = in.part("nft"); err != nil {
		return images.Parts{}, err
	}
	if parts.Storage, err = in.part(storagePrograms...); err != nil {
		return images.Parts{}, err
	}
	config, err := in.tree.Read("etc/mke2fs.conf")
	if err != nil {
		return images.Parts{}, err
	}
	parts.Storage.Tree.Bytes("etc/mke2fs.conf", 0o644, config)
	for link, target := range map[string]string{"mkfs.ext3": "mke2fs", "mkfs.ext4": "mke2fs", "fsck.ext4": "e2fsck"} {
		parts.Storage.Tree.Symlink("usr/bin/"+link, target)
	}
	return parts, parts.Storage.Tree.Err()
}

func (in *inputs) part(programs ...string) (images.Part, error) {
	tree := &filetree.Tree{}
	packages, err := in.tree.AddPrograms(tree, programs...)
	return images.Part{Tree: tree, Packages: packages}, err
}

// fillAssets makes root, squashfs and images.
func (b *Builder) fillAssets(ctx context.Context, in *inputs, folder string) (Manifest, error) {
	parts, err := in.imageParts()
	if err != nil {
		return Manifest{}, err
	}
	set, err := images.Default(b.arch(), version.Kubernetes, in.artifacts, parts)
	if err != nil {
		return Manifest{}, err
	}
	// The images first: they take longest and fail as likely as the rest.
	manifest, err := b.fillCache(ctx, in, folder, version.Kubernetes, set)
	if err != nil {
		return Manifest{}, err
	}
	if err := b.fillRoot(ctx, in, folder, &manifest); err != nil {
		return Manifest{}, err
	}
	return manifest, nil
}

// fillRoot makes the root file system, checks it and packs it.
func (b *Builder) fillRoot(ctx context.Context, in *inputs, folder string, manifest *Manifest) error {
	programs := in.named(rootfs.Programs())
	tree, packages, err := rootfs.Describe(rootfs.Parts{Arch: b.arch(), Programs: programs, Debian: in.tree})
	if err != nil {
		return err
	}
	bill, err := b.bill(ctx, in, sbom.Document{Name: version.Name, Version: version.Tag, Purpose: "OPERATING-SYSTEM"}, rootfs.Programs(), packages)
	if err != nil {
		return err
	}
	tree.Bytes(rootfs.SBOMPath, 0o644, bill)
	b.log("writing the root file system")
	root := filepath.Join(folder, "rootfs")
	if err := os.Mkdir(root, 0o755); err != nil {
		return err
	}
	if err := tree.WriteFolder(root); err != nil {
		return err
	}
	if err := rootfs.Check(root, rootfs.Allowed(b.arch())); err != nil {
		return err
	}
	b.log("packing the root file system (%s)", b.compression())
	squashfs := filepath.Join(folder, "rootfs.squashfs")
	if err := rootfs.Squash(ctx, in.tools, root, squashfs, b.compression()); err != nil {
		return err
	}
	digest, size, err := digestFile(squashfs)
	if err != nil {
		return err
	}
	manifest.addDebian(in.packages, packages)
	manifest.Init = rootfs.InitPath
	manifest.RootFS = &Tree{Path: "rootfs", Digest: tree.Digest(), Size: tree.Size(), Files: len(tree.Entries())}
	manifest.Squashfs = &Squashfs{File: File{Path: "rootfs.squashfs", SHA256: digest, Size: size}, Compression: string(b.compression())}
	return manifest.addSBOM(folder, "root", bill)
}

// fillCache makes an image cache and the parts of the manifest that every kind
// of folder has.
func (b *Builder) fillCache(ctx context.Context, in *inputs, folder, release string, set images.Set) (Manifest, error) {
	manifest := Manifest{Arch: b.arch(), Kubernetes: release}
	for _, artifact := range in.artifacts {
		manifest.Programs = append(manifest.Programs, Program{artifact.Name, artifact.Module, artifact.Version, artifact.SHA256, artifact.Size})
	}
	for _, image := range set.Images {
		manifest.addDebian(in.packages, set.Packages[image.Reference])
	}
	manifest.addTools(in.tools.Packages)
	compressor := b.Compressor
	if compressor == nil {
		compressor = debian.Zstd{Tools: in.tools, Level: 19}
	}
	cache := &oci.LayerCache{Folder: filepath.Join(b.Cache, "layers"), Compressor: compressor, Log: b.log}
	layout := filepath.Join(folder, "images")
	written, err := oci.WriteLayout(ctx, layout, cache, set.Images)
	if err != nil {
		return Manifest{}, err
	}
	digest, _, err := digestFile(filepath.Join(layout, "index.json"))
	if err != nil {
		return Manifest{}, err
	}
	manifest.Images = &Layout{Path: "images", Digest: digest, Images: written}
	if manifest.Images.Size, err = folderSize(filepath.Join(layout, "blobs")); err != nil {
		return Manifest{}, err
	}
	for _, image := range set.Images {
		document := sbom.Document{Name: image.Reference, Version: image.Labels["org.opencontainers.image.version"], Purpose: "CONTAINER"}
		bill, err := b.bill(ctx, in, document, set.Programs[image.Reference], set.Packages[image.Reference])
		if err != nil {
			return Manifest{}, err
		}
		if err := manifest.addSBOM(folder, image.Reference, bill); err != nil {
			return Manifest{}, err
		}
	}
	return manifest, nil
}

// addDebian adds those of the packages that are named and not there yet.
func (m *Manifest) addDebian(packages []debian.Package, names []string) {
	for _, p := range packages {
		there := slices.ContainsFunc(m.Debian, func(d DebianPackage) bool { return d.Name == p.Name && !d.Tool })
		if there || !slices.Contains(names, p.Name) {
			continue
		}
		m.Floating = m.Floating || p.Floating
		m.Debian = append(m.Debian, DebianPackage{
			Name: p.Name, Version: p.Version, SHA256: p.SHA256, Floating: p.Floating, Wanted: p.Wanted,
		})
	}
}

func (m *Manifest) addTools(packages []debian.Package) {
	for _, p := range packages {
		m.Floating = m.Floating || p.Floating
		m.Debian = append(m.Debian, DebianPackage{
			Name: p.Name, Version: p.Version, SHA256: p.SHA256, Floating: p.Floating, Wanted: p.Wanted, Tool: true,
		})
	}
}

var notInFileName = regexp.MustCompile(`[^A-Za-z0-9.]+`)

func (m *Manifest) addSBOM(folder, subject string, bill []byte) error {
	name := "sbom/" + strings.Trim(notInFileName.ReplaceAllString(subject, "-"), "-") + ".spdx.json"
	target := filepath.Join(folder, filepath.FromSlash(name))
	if err := publish.Bytes(target, 0o644, bill); err != nil {
		return err
	}
	digest, size, err := digestFile(target)
	if err != nil {
		return err
	}
	m.SBOMs = append(m.SBOMs, SBOM{Subject: subject, File: File{Path: name, SHA256: digest, Size: size}})
	return nil
}

// named returns the artifacts with the given names, in their order.
func (in *inputs) named(names []string) []bundle.Artifact {
	var found []bundle.Artifact
	for _, name := range names {
		for _, artifact := range in.artifacts {
			if artifact.Name == name {
				found = append(found, artifact)
			}
		}
	}
	return found
}

// bill writes the bill of materials of something that holds programs and files
// of Debian packages.
func (b *Builder) bill(ctx context.Context, in *inputs, document sbom.Document, programs, packages []string) ([]byte, error) {
	licences := b.bills()
	for _, artifact := range in.named(programs) {
		modules, err := sbom.Modules(artifact.Path)
		if err != nil {
			return nil, err
		}
		if err := licences.Fill(ctx, modules); err != nil {
			return nil, err
		}
		licence := "Apache-2.0"
		if program, ok := bundle.Lookup(artifact.Name); ok {
			licence = program.License
		}
		document.Programs = append(document.Programs, sbom.Program{
			Name: artifact.Name, Version: artifact.Version, Licence: licence, SHA256: artifact.SHA256, Modules: modules,
		})
	}
	for _, p := range in.packages {
		if !slices.Contains(packages, p.Name) {
			continue
		}
		document.Packages = append(document.Packages, sbom.Package{
			Name: p.Name, Version: p.Version, Arch: p.Arch, Series: in.series, SHA256: p.SHA256, Licence: p.Licence,
		})
	}
	if len(document.Packages) != len(packages) {
		return nil, fmt.Errorf("write bill of materials: %s: %d of %d Debian packages are known", document.Name, len(document.Packages), len(packages))
	}
	content, err := document.JSON()
	if err != nil {
		return nil, err
	}
	return content, licences.Save()
}

// folderSize sums the sizes of the files below a folder.
func folderSize(folder string) (int64, error) {
	var sum int64
	err := filepath.WalkDir(folder, func(_ string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		sum += info.Size()
		return nil
	})
	return sum, err
}
