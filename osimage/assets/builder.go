package assets

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"time"

	"github.com/ichor-os/ichor/bundle"
	"github.com/ichor-os/ichor/bundle/images"
	"github.com/ichor-os/ichor/bundle/oci"
	"github.com/ichor-os/ichor/bundle/publish"
	"github.com/ichor-os/ichor/osimage/debian"
	"github.com/ichor-os/ichor/osimage/rootfs"
	"github.com/ichor-os/ichor/osimage/sbom"
	"github.com/ichor-os/ichor/version"
)

// currentName is the link to what the latest build made.
const currentName = "current"

// A Builder makes assets folders below a cache folder:
//
//	assets/DIGEST/         complete assets; assets/current leads to the latest
//	image-caches/DIGEST/   further image caches; image-caches/NAME leads to one
//	inputs/DIGEST          link from what went in to what came out
//	debian/ layers/ licences.json   what makes a second build quick
type Builder struct {
	// Source is the repository's root folder.
	Source string
	// Cache is the folder for everything that is written; see CacheFolder.
	Cache string
	// Programs is the cache of package bundle; empty means its default.
	Programs string
	// Arch is a GOARCH; empty means this machine's.
	Arch string
	// Compression of the squashfs; empty means rootfs.Fast.
	Compression rootfs.Compression
	// Strict makes a Debian pin that is no longer served an error.
	Strict bool
	// Compressor of image layers; nil means zstd at its best normal level.
	Compressor oci.Compressor
	// Log tells what happens; nil means slog.Default.
	Log *slog.Logger
}

func (b *Builder) arch() string {
	if b.Arch != "" {
		return b.Arch
	}
	return runtime.GOARCH
}

func (b *Builder) compression() rootfs.Compression {
	if b.Compression != "" {
		return b.Compression
	}
	return rootfs.Fast
}

func (b *Builder) log(format string, args ...any) {
	log := b.Log
	if log == nil {
		log = slog.Default()
	}
	log.Info(fmt.Sprintf(format, args...))
}

// A kind is one sort of folder that a Builder makes.
type kind struct {
	name     string // for messages, and of the link for image caches
	folder   string // below Cache
	link     string
	programs []string
	fill     func(ctx context.Context, in *inputs, folder string) (Manifest, error)
}

// Build makes the assets of a default cluster, or finds that they are there.
func (b *Builder) Build(ctx context.Context) (*Assets, error) {
	programs := append(rootfs.Programs(), images.Programs(version.Kubernetes)...)
	return b.make(ctx, kind{
		name: "assets", folder: "assets", link: currentName, programs: programs, fill: b.fillAssets,
	})
}

// BuildKubernetes makes an image cache with the Kubernetes images of another
// supported set, for upgrades.
func (b *Builder) BuildKubernetes(ctx context.Context, release string) (*Assets, error) {
	name := "kubernetes-" + release
	if _, ok := bundle.Lookup("hyperkube-" + release); !ok {
		return nil, fmt.Errorf("build image cache: Kubernetes %s is not among the pinned sets %s and %s", release, version.Kubernetes, version.KubernetesNext)
	}
	return b.make(ctx, kind{
		name: name, folder: "image-caches", link: name, programs: images.KubernetesPrograms(release),
		fill: func(ctx context.Context, in *inputs, folder string) (Manifest, error) {
			parts, err := in.imageParts()
			if err != nil {
				return Manifest{}, err
			}
			set, err := images.Kubernetes(b.arch(), release, in.artifacts, parts)
			if err != nil {
				return Manifest{}, err
			}
			return b.fillCache(ctx, in, folder, release, set)
		},
	})
}

// BuildTest makes an image cache with the workloads of end-to-end tests.
func (b *Builder) BuildTest(ctx context.Context) (*Assets, error) {
	return b.make(ctx, kind{
		name: "test", folder: "image-caches", link: "test", programs: images.TestPrograms(),
		fill: func(ctx context.Context, in *inputs, folder string) (Manifest, error) {
			parts, err := in.imageParts()
			if err != nil {
				return Manifest{}, err
			}
			set, err := images.Test(b.arch(), in.artifacts, parts)
			if err != nil {
				return Manifest{}, err
			}
			return b.fillCache(ctx, in, folder, version.Kubernetes, set)
		},
	})
}

// sampleImage is the program whose image a sample holds.
const sampleImage = "etcd"

// BuildSample makes the root and one image: enough to compare two builds
// without compiling Kubernetes twice.
func (b *Builder) BuildSample(ctx context.Context) (*Assets, error) {
	return b.make(ctx, kind{
		name: "sample", folder: "samples", link: currentName, programs: append(rootfs.Programs(), sampleImage),
		fill: func(ctx context.Context, in *inputs, folder string) (Manifest, error) {
			parts, err := in.imageParts()
			if err != nil {
				return Manifest{}, err
			}
			set, err := images.Etcd(b.arch(), in.artifacts, parts)
			if err != nil {
				return Manifest{}, err
			}
			manifest, err := b.fillCache(ctx, in, folder, version.Kubernetes, set)
			if err != nil {
				return Manifest{}, err
			}
			err = b.fillRoot(ctx, in, folder, &manifest)
			return manifest, err
		},
	})
}

// make runs a build under the cache's lock and publishes its folder under the
// digest of its manifest.
func (b *Builder) make(ctx context.Context, k kind) (*Assets, error) {
	unlock, err := b.lock(ctx, k.folder)
	if err != nil {
		return nil, err
	}
	defer unlock()
	if err := b.sweep(k.folder); err != nil {
		return nil, err
	}
	in, err := b.gather(ctx, k.programs)
	if err != nil {
		return nil, fmt.Errorf("build %s: %w", k.name, err)
	}
	known := filepath.Join(b.Cache, "inputs", in.digest(b, k.name))
	if found, err := Open(known); err == nil {
		b.log("%s: nothing changed since %s was built", k.name, found.Folder)
		return found, b.point(k, found.Folder)
	}
	built, err := b.fresh(ctx, k, in)
	if err != nil {
		return nil, fmt.Errorf("build %s: %w", k.name, err)
	}
	if err := os.MkdirAll(filepath.Dir(known), 0o755); err != nil {
		return nil, fmt.Errorf("build %s: %w", k.name, err)
	}
	if err := publish.Link(built.Folder, known); err != nil {
		return nil, fmt.Errorf("build %s: %w", k.name, err)
	}
	return built, b.point(k, built.Folder)
}

// sweep removes what dead processes left. Of the kind's own folder, whose lock is
// held, that is everything unpublished; other builds may be using the others.
func (b *Builder) sweep(folder string) error {
	if err := publish.Sweep(filepath.Join(b.Cache, folder), 0); err != nil {
		return err
	}
	for _, shared := range []string{"layers", "debian/unpacked", "debian/pool"} {
		if err := publish.Sweep(filepath.Join(b.Cache, shared), 24*time.Hour); err != nil {
			return err
		}
	}
	return nil
}

// errSame stops a build whose result is there already.
var errSame = errors.New("the same content is there already")

// fresh fills a new folder. If one with the same content is there already and
// whole, that one stays, as a node may be running from it.
func (b *Builder) fresh(ctx context.Context, k kind, in *inputs) (*Assets, error) {
	parent := filepath.Join(b.Cache, k.folder)
	var existing *Assets
	path, err := publish.NamedFolder(parent, func(temporary string) (string, error) {
		manifest, err := k.fill(ctx, in, temporary)
		if err != nil {
			return "", err
		}
		name, err := writeManifest(temporary, manifest)
		if err != nil {
			return "", err
		}
		if existing, err = b.keep(filepath.Join(parent, name)); err != nil {
			return "", err
		}
		if existing != nil {
			return "", errSame
		}
		return name, ctx.Err()
	})
	if existing != nil && errors.Is(err, errSame) {
		return existing, nil
	}
	if err != nil {
		return nil, err
	}
	return Open(path)
}

// keep returns the folder at path if it is whole, and takes a damaged one away.
func (b *Builder) keep(path string) (*Assets, error) {
	if _, err := os.Lstat(path); errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	found, err := Open(path)
	if err == nil {
		err = found.Verify()
	}
	if err == nil {
		return found, nil
	}
	b.log("warning: replacing damaged assets: %v", err)
	return nil, publish.Discard(path)
}

func writeManifest(folder string, manifest Manifest) (digest string, err error) {
	manifest.Schema, manifest.Name, manifest.Version = Schema, version.Name, version.Tag
	content, err := json.MarshalIndent(manifest, "", "  ")
	if err != nil {
		return "", fmt.Errorf("write manifest: %w", err)
	}
	sum := sha256.Sum256(content)
	return hex.EncodeToString(sum[:])[:32], publish.Bytes(filepath.Join(folder, manifestName), 0o644, append(content, '\n'))
}

// point leads the kind's link to a folder.
func (b *Builder) point(k kind, folder string) error {
	link := filepath.Join(b.Cache, k.folder, k.link)
	if target, err := os.Readlink(link); err == nil && target == filepath.Base(folder) {
		return nil
	}
	return publish.Link(filepath.Base(folder), link)
}

// lock keeps two builds of one kind from using a cache at a time.
func (b *Builder) lock(ctx context.Context, folder string) (unlock func(), err error) {
	return publish.Lock(ctx, filepath.Join(b.Cache, "locks", folder), func() {
		b.log("another build is making %s in %s; waiting for it", folder, b.Cache)
	})
}

// inputs is everything a build is made of, ready to use.
type inputs struct {
	artifacts []bundle.Artifact
	packages  []debian.Package
	tree      debian.Tree // packages, unpacked
	tools     debian.Tree // for this machine
	series    string
}

// gather builds and fetches what a build needs.
func (b *Builder) gather(ctx context.Context, programs []string) (*inputs, error) {
	lock, err := debian.Locked()
	if err != nil {
		return nil, err
	}
	programs = slices.Clone(programs)
	slices.Sort(programs)
	builder := &bundle.Builder{Root: b.Source, Cache: b.Programs, Arch: b.arch(), Log: b.Log}
	in := &inputs{series: lock.Series}
	if in.artifacts, err = builder.BuildAll(ctx, slices.Compact(programs)...); err != nil {
		return nil, err
	}
	store := &debian.Store{Folder: filepath.Join(b.Cache, "debian"), Strict: b.Strict, Log: b.log}
	if in.tools, err = b.unpack(ctx, store, lock, runtime.GOARCH, debian.ToolPackages()); err != nil {
		return nil, err
	}
	if in.tree, err = b.unpack(ctx, store, lock, b.arch(), debian.ImagePackages()); err != nil {
		return nil, err
	}
	in.packages = in.tree.Packages
	return in, nil
}

func (b *Builder) unpack(ctx context.Context, store *debian.Store, lock debian.Lock, arch string, names []string) (debian.Tree, error) {
	pins, err := lock.Select(arch, names)
	if err != nil {
		return debian.Tree{}, err
	}
	packages, err := store.Fetch(ctx, lock.Series, pins)
	if err != nil {
		return debian.Tree{}, err
	}
	return store.Unpack(ctx, arch, packages)
}

// digest names everything that decides what a build makes, this program itself
// among it.
func (in *inputs) digest(b *Builder, name string) string {
	hash := sha256.New()
	self := "unknown"
	if executable, err := os.Executable(); err == nil {
		if digest, _, err := digestFile(executable); err == nil {
			self = digest
		}
	}
	fmt.Fprintf(hash, "%s %s %s %s %d\n", name, self, b.arch(), b.compression(), Schema)
	if b.Compressor != nil {
		fmt.Fprintf(hash, "compressor %s\n", b.Compressor.ID())
	}
	for _, artifact := range in.artifacts {
		fmt.Fprintf(hash, "program %s %s %s\n", artifact.Name, artifact.SHA256, artifact.Version)
	}
	for _, p := range slices.Concat(in.packages, in.tools.Packages) {
		fmt.Fprintf(hash, "debian %s %s %t\n", p.Name, p.SHA256, p.Floating)
	}
	return hex.EncodeToString(hash.Sum(nil))[:32]
}

// bills writes bills of materials.
func (b *Builder) bills() *sbom.Licences {
	return &sbom.Licences{File: filepath.Join(b.Cache, "licences.json")}
}
