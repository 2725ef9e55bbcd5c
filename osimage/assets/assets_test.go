package assets

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"

	"github.com/ichor-os/ichor/bundle/filetree"
	"github.com/ichor-os/ichor/bundle/oci"
	"github.com/ichor-os/ichor/bundle/publish"
)

// fill makes small but whole assets whose squashfs holds text.
func fill(text string) func(context.Context, *inputs, string) (Manifest, error) {
	return func(ctx context.Context, _ *inputs, folder string) (Manifest, error) {
		tree := &filetree.Tree{}
		tree.Bytes("usr/bin/machined", 0o755, []byte(text))
		manifest := Manifest{Arch: "amd64", Init: "/usr/bin/machined"}
		if err := os.Mkdir(filepath.Join(folder, "rootfs"), 0o755); err != nil {
			return Manifest{}, err
		}
		if err := tree.WriteFolder(filepath.Join(folder, "rootfs")); err != nil {
			return Manifest{}, err
		}
		manifest.RootFS = &Tree{Path: "rootfs", Digest: tree.Digest(), Size: tree.Size(), Files: 3}
		squashfs := filepath.Join(folder, "rootfs.squashfs")
		if err := publish.Bytes(squashfs, 0o644, []byte(text)); err != nil {
			return Manifest{}, err
		}
		digest, size, err := digestFile(squashfs)
		if err != nil {
			return Manifest{}, err
		}
		manifest.Squashfs = &Squashfs{File{"rootfs.squashfs", digest, size}, "fast"}
		image := oci.Image{Reference: "registry.example/a:v1", Arch: "amd64", Layers: []*filetree.Tree{tree}}
		cache := &oci.LayerCache{Folder: filepath.Join(folder, "..", "layers"), Compressor: oci.FastZstd{}}
		written, err := oci.WriteLayout(ctx, filepath.Join(folder, "images"), cache, []oci.Image{image})
		if err != nil {
			return Manifest{}, err
		}
		digest, _, err = digestFile(filepath.Join(folder, "images", "index.json"))
		manifest.Images = &Layout{Path: "images", Digest: digest, Images: written}
		return manifest, err
	}
}

func testKind(f func(context.Context, *inputs, string) (Manifest, error)) kind {
	return kind{name: "test", folder: "assets", link: currentName, fill: f}
}

func build(t *testing.T, b *Builder, text string) *Assets {
	t.Helper()
	k := testKind(fill(text))
	built, err := b.fresh(context.Background(), k, &inputs{})
	if err != nil {
		t.Fatal(err)
	}
	if err := b.point(k, built.Folder); err != nil {
		t.Fatal(err)
	}
	return built
}

// published lists what a reader could take for assets.
func published(t *testing.T, b *Builder) []string {
	t.Helper()
	entries, err := os.ReadDir(filepath.Join(b.Cache, "assets"))
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, entry := range entries {
		if entry.Name() != "layers" {
			names = append(names, entry.Name())
		}
	}
	return names
}

func TestFresh_CurrentLeadsToTheLatestBuild(t *testing.T) {
	b := &Builder{Cache: t.TempDir()}
	first := build(t, b, "one")
	second := build(t, b, "two")
	if first.Folder == second.Folder {
		t.Fatal("different content has the same folder")
	}
	opened, err := Open(filepath.Join(b.Cache, "assets", currentName))
	if err != nil || opened.Folder != second.Folder {
		t.Errorf("current is %v, %v, want %s", opened, err, second.Folder)
	}
	if err := opened.Verify(); err != nil {
		t.Error(err)
	}
	if _, err := Open(first.Folder); err != nil {
		t.Errorf("the earlier build is gone: %v", err)
	}
}

func TestFresh_SameContentKeepsTheFolderThatANodeMayRunFrom(t *testing.T) {
	b := &Builder{Cache: t.TempDir()}
	first := build(t, b, "one")
	before, err := os.Stat(first.Folder)
	if err != nil {
		t.Fatal(err)
	}
	second := build(t, b, "one")
	after, err := os.Stat(second.Folder)
	if err != nil || !os.SameFile(before, after) {
		t.Errorf("the folder was replaced: %v", err)
	}
	if got := published(t, b); len(got) != 2 {
		t.Errorf("assets hold %v, want one folder and the link", got)
	}
}

func TestFresh_ADamagedFolderIsReplaced(t *testing.T) {
	b := &Builder{Cache: t.TempDir()}
	first := build(t, b, "one")
	if err := os.WriteFile(first.Path("rootfs.squashfs"), []byte("eno"), 0o644); err != nil {
		t.Fatal(err)
	}
	second := build(t, b, "one")
	if err := second.Verify(); err != nil {
		t.Error(err)
	}
}

func TestFresh_FaultsLeaveNothingThatCountsAsGood(t *testing.T) {
	for name, fault := range map[string]func(context.CancelFunc) error{
		"full disk":         func(context.CancelFunc) error { return syscall.ENOSPC },
		"interrupt":         func(cancel context.CancelFunc) error { cancel(); return nil },
		"rule broken":       func(context.CancelFunc) error { return errors.New("check root: 1 rules broken") },
		"download broke up": func(context.CancelFunc) error { return errors.New("unexpected EOF") },
	} {
		t.Run(name, func(t *testing.T) {
			b := &Builder{Cache: t.TempDir()}
			good := build(t, b, "good")
			ctx, cancel := context.WithCancel(context.Background())
			defer cancel()
			_, err := b.fresh(ctx, testKind(func(_ context.Context, in *inputs, folder string) (Manifest, error) {
				manifest, err := fill("half")(context.Background(), in, folder)
				return manifest, errors.Join(err, fault(cancel))
			}), &inputs{})
			if err == nil {
				t.Fatal("no error")
			}
			if got := published(t, b); len(got) != 2 {
				t.Errorf("assets hold %v, want the earlier build and its link", got)
			}
			if current, err := Open(filepath.Join(b.Cache, "assets", currentName)); err != nil || current.Folder != good.Folder {
				t.Errorf("current is %v, %v, want the earlier build", current, err)
			}
		})
	}
}

func TestSweep_LeftoversOfAKilledBuildAreRemovedByTheNext(t *testing.T) {
	b := &Builder{Cache: t.TempDir()}
	folder := filepath.Join(b.Cache, "assets")
	if err := os.MkdirAll(filepath.Join(folder, ".unpublished-123/rootfs"), 0o755); err != nil {
		t.Fatal(err)
	}
	if _, err := b.make(context.Background(), kind{name: "test", folder: "assets", programs: []string{"no-such-program"}}); err == nil {
		t.Fatal("no error for a program that does not exist")
	}
	if got := published(t, b); len(got) != 0 {
		t.Errorf("assets hold %v, want nothing", got)
	}
}

func TestOpen_RefusesWhatIsNotWhole(t *testing.T) {
	for name, test := range map[string]struct {
		spoil func(a *Assets) error
		want  string
	}{
		"no manifest":      {func(a *Assets) error { return os.Remove(a.Path(manifestName)) }, "manifest.json"},
		"no JSON":          {func(a *Assets) error { return os.WriteFile(a.Path(manifestName), []byte("{"), 0o644) }, "unexpected end"},
		"another schema":   {func(a *Assets) error { return os.WriteFile(a.Path(manifestName), []byte(`{"schema":9}`), 0o644) }, "schema 9"},
		"squashfs cut off": {func(a *Assets) error { return os.Truncate(a.Path("rootfs.squashfs"), 1) }, "has 1 bytes"},
		"init is gone":     {func(a *Assets) error { return os.Remove(a.Path("rootfs/usr/bin/machined")) }, "machined"},
		"layer is gone":    {func(a *Assets) error { return os.Remove(a.blobPath(a.Manifest.Images.Images[0].Layers[0].Digest)) }, "no such file"},
		"layer cut off":    {func(a *Assets) error { return os.Truncate(a.blobPath(a.Manifest.Images.Images[0].Layers[0].Digest), 3) }, "has 3 bytes"},
	} {
		t.Run(name, func(t *testing.T) {
			built := build(t, &Builder{Cache: t.TempDir()}, "one")
			if err := test.spoil(built); err != nil {
				t.Fatal(err)
			}
			if _, err := Open(built.Folder); err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("error = %v, want one with %q", err, test.want)
			}
		})
	}
}

func TestVerify_FindsOneChangedByte(t *testing.T) {
	for _, name := range []string{"rootfs.squashfs", "rootfs/usr/bin/machined", "images/index.json"} {
		t.Run(name, func(t *testing.T) {
			built := build(t, &Builder{Cache: t.TempDir()}, "one")
			content, err := os.ReadFile(built.Path(name))
			if err != nil {
				t.Fatal(err)
			}
			content[0] ^= 1
			if err := os.WriteFile(built.Path(name), content, 0o644); err != nil {
				t.Fatal(err)
			}
			if err := built.Verify(); err == nil {
				t.Error("no error")
			}
		})
	}
	t.Run("mode", func(t *testing.T) {
		built := build(t, &Builder{Cache: t.TempDir()}, "one")
		if err := os.Chmod(built.Path("rootfs/usr/bin/machined"), 0o744); err != nil {
			t.Fatal(err)
		}
		if err := built.Verify(); err == nil {
			t.Error("no error")
		}
	})
}

func TestDefault(t *testing.T) {
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	t.Setenv("ICHOR_ASSETS", "")
	if _, err := Default(); !errors.Is(err, ErrNone) {
		t.Errorf("error = %v, want ErrNone", err)
	}
	t.Setenv("ICHOR_ASSETS", "/some/where")
	if got, err := Default(); err != nil || got != "/some/where" {
		t.Errorf("Default = %q, %v", got, err)
	}
}

func TestLock_ASecondBuildWaitsAndCanBeInterrupted(t *testing.T) {
	b := &Builder{Cache: t.TempDir()}
	unlock, err := b.lock(context.Background(), "assets")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := b.lock(ctx, "assets"); !errors.Is(err, context.Canceled) {
		t.Errorf("error = %v, want canceled", err)
	}
	unlock()
	again, err := b.lock(context.Background(), "assets")
	if err != nil {
		t.Fatal(err)
	}
	again()
}

func TestDifferences_NamesThePart(t *testing.T) {
	first := build(t, &Builder{Cache: t.TempDir()}, "one").Manifest
	if got := Differences(first, first); len(got) != 0 {
		t.Errorf("the same manifest differs from itself: %v", got)
	}
	second := build(t, &Builder{Cache: t.TempDir()}, "two").Manifest
	got := strings.Join(Differences(first, second), "\n")
	for _, want := range []string{"root file system: ", "squashfs: ", "image registry.example/a:v1: "} {
		if !strings.Contains(got, want) {
			t.Errorf("differences lack %q:\n%s", want, got)
		}
	}
}

func TestPrune_KeepsWhatIsCurrent(t *testing.T) {
	b := &Builder{Cache: t.TempDir()}
	first, second := build(t, b, "one"), build(t, b, "two")
	if err := os.RemoveAll(filepath.Join(b.Cache, "assets", "layers")); err != nil {
		t.Fatal(err)
	}
	removed, err := b.Prune(context.Background())
	if err != nil || len(removed) != 1 || removed[0] != first.Folder {
		t.Errorf("removed %v, %v, want %s", removed, err, first.Folder)
	}
	if err := second.Verify(); err != nil {
		t.Error(err)
	}
}

func TestUnused_KeepsWhatANodeHasMounted(t *testing.T) {
	b := &Builder{Cache: t.TempDir()}
	first := build(t, b, "one")
	build(t, b, "two")
	table := "36 35 98:0 " + first.Path("rootfs") + " / ro,noatime master:1 - ext4 /dev/vda rw\n"
	for _, folder := range must(b.unused(filepath.Join(b.Cache, "assets"), []byte(table))) {
		if folder == first.Folder {
			t.Errorf("%s would be removed from under a node", folder)
		}
	}
}

func must(folders []string, err error) []string {
	if err != nil {
		panic(err)
	}
	return folders
}

func TestCheckBudget(t *testing.T) {
	for name, test := range map[string]struct {
		manifest Manifest
		fails    bool
	}{
		"fits":             {Manifest{Squashfs: &Squashfs{File{Size: squashfsBudget}, "small"}, Images: &Layout{Size: imagesBudget}}, false},
		"fast root":        {Manifest{Squashfs: &Squashfs{File{Size: 2 * squashfsBudget}, "fast"}}, false},
		"root too large":   {Manifest{Squashfs: &Squashfs{File{Size: squashfsBudget + 1}, "small"}}, true},
		"images too large": {Manifest{Images: &Layout{Size: imagesBudget + 1}}, true},
	} {
		if err := (&Assets{Manifest: test.manifest}).CheckBudget(); (err != nil) != test.fails {
			t.Errorf("%s: error = %v, want one: %t", name, err, test.fails)
		}
	}
}

func TestWriteSizes_ColumnsAreApart(t *testing.T) {
	var out strings.Builder
	opened := Assets{Manifest: Manifest{Squashfs: &Squashfs{File{Size: 48_349_184}, "fast"}, Images: &Layout{Size: 30_431_557, Images: []oci.Written{
		{Reference: "registry.k8s.io/kube-apiserver:v1.36.3", Size: 30_431_557, Layers: make([]oci.WrittenLayer, 3)},
	}}}}
	if err := opened.WriteSizes(&out); err != nil {
		t.Fatal(err)
	}
	want := []string{"48.3 MB|root, squashfs|fast", "30.4 MB|images|1 images, layers counted once", "30.4 MB|registry.k8s.io/kube-apiserver:v1.36.3|3 layers"}
	apart := regexp.MustCompile(` {2,}`)
	for i, line := range strings.Split(strings.TrimSuffix(out.String(), "\n"), "\n") {
		if got := apart.ReplaceAllString(strings.TrimSpace(line), "|"); got != want[i] || strings.HasSuffix(line, " ") {
			t.Errorf("line %d = %q, want the columns %q", i, line, want[i])
		}
	}
}
