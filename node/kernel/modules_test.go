package kernel

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/sys/unix"

	"github.com/ichor-os/ichor/node/kernel/spec"
	"github.com/ichor-os/ichor/resource"
)

func TestParseModules(t *testing.T) {
	items, err := parseModules(strings.NewReader(`nf_nat 57344 2 xt_MASQUERADE,nft_chain_nat, Live 0x0000000000000000 (E)
xt_MASQUERADE 16384 0 - Live 0x0000000000000000
nft_chain_nat 12288 - [permanent], Loading 0x0000000000000000
`))
	if err != nil {
		t.Fatal(err)
	}
	want := []resource.Item[spec.LoadedKernelModuleSpec]{
		{ID: "nf_nat", Spec: spec.LoadedKernelModuleSpec{Size: 57344, ReferenceCount: 2, State: "Live", Address: "0x0000000000000000"}},
		{ID: "xt_MASQUERADE", Spec: spec.LoadedKernelModuleSpec{Size: 16384, Dependencies: []string{"nf_nat"}, State: "Live", Address: "0x0000000000000000"}},
		{ID: "nft_chain_nat", Spec: spec.LoadedKernelModuleSpec{Size: 12288, Dependencies: []string{"nf_nat"}, State: "Loading", Address: "0x0000000000000000"}},
	}
	if diff := cmp.Diff(want, items); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// loader notes what is loaded, and shows it as the kernel does.
type loader struct {
	sys    string
	loads  []string
	busy   bool
	remove []string
}

func (l *loader) Load(path, parameters string) error {
	l.loads = append(l.loads, filepath.Base(path)+" "+parameters)
	return os.MkdirAll(filepath.Join(l.sys, "module", fileModule(path)), 0o755)
}

func (l *loader) Unload(name string) error {
	l.remove = append(l.remove, name)
	if l.busy {
		return unix.EAGAIN
	}
	return os.Remove(filepath.Join(l.sys, "module", name))
}

func modules(t *testing.T) (*Modules, *loader) {
	t.Helper()
	folder, sys := t.TempDir(), t.TempDir()
	for name, text := range map[string]string{
		"modules.builtin": "kernel/fs/ext4/ext4.ko\n",
		"modules.dep":     "kernel/net/br-netfilter.ko.zst: kernel/net/bridge.ko kernel/net/stp.ko kernel/net/llc.ko\nkernel/net/llc.ko:\n",
	} {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	l := &loader{sys: sys}
	return &Modules{Folder: folder, Sys: sys, Loader: l, Changed: make(chan struct{}, 1)}, l
}

// ensureModule runs a node whose config asks for the module, and gives what it
// says of it.
func ensureModule(t *testing.T, m *Modules, name string, parameters ...string) (got spec.WantedModuleSpec) {
	t.Helper()
	engine := resource.New(resource.Options{CheckSpecs: true})
	if err := engine.Add(m.Mirror()); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- engine.Run(ctx) }()
	err := engine.Commit(ctx, "test", func(s *resource.Session) error {
		spec.KernelModuleSpecs.Put(s, moduleName(name), spec.KernelModuleSpecSpec{Name: name, Parameters: parameters})
		return nil
	})
	if err == nil {
		err = engine.Settled(ctx)
	}
	if err == nil {
		err = engine.View(ctx, func(s *resource.Session) error {
			got, _ = spec.WantedModules.Get(s, moduleName(name))
			return nil
		})
	}
	cancel()
	if err != nil {
		t.Fatal(err)
	}
	if err := <-ended; err != nil {
		t.Error(err)
	}
	return got
}

func TestModules_LoadsWhatIsNeededFirst(t *testing.T) {
	m, l := modules(t)
	for range 2 {
		if got := ensureModule(t, m, "br-netfilter", "a=1", "b=2"); !got.Present {
			t.Fatalf("%+v", got)
		}
	}
	want := []string{"llc.ko ", "stp.ko ", "bridge.ko ", "br-netfilter.ko.zst a=1 b=2"}
	if diff := cmp.Diff(want, l.loads); diff != "" {
		t.Errorf("loads, each once (-want +got):\n%s", diff)
	}
	if got := ensureModule(t, m, "ext4"); !got.Present || len(l.loads) != len(want) {
		t.Errorf("a module that is built in: %+v, loads %v", got, l.loads)
	}
	if got := ensureModule(t, m, "nosuch"); got.Present || !strings.Contains(got.Problem, "no such module") {
		t.Errorf("a module that is not there: %+v", got)
	}
}

func TestModules_OneInUseStaysWhenItsKeyGoes(t *testing.T) {
	for _, busy := range []bool{true, false} {
		m, l := modules(t)
		l.busy = busy
		if got := ensureModule(t, m, "llc"); !got.Present {
			t.Fatalf("%+v", got)
		}
		r := resource.Resource[spec.KernelModuleSpecSpec]{Spec: spec.KernelModuleSpecSpec{Name: "llc"}}
		r.ID = "llc"
		if err := m.remove(context.Background(), nil, r); err != nil || !slices.Equal(l.remove, []string{"llc"}) {
			t.Errorf("busy %v: %v, unloads %v", busy, err, l.remove)
		}
		if m.there("llc") != busy {
			t.Errorf("busy %v: there is %v", busy, m.there("llc"))
		}
	}
}

func TestModules_ASharedKernelGetsNone(t *testing.T) {
	m, l := modules(t)
	m.Shared = true
	if got := ensureModule(t, m, "llc"); got.Present || !strings.Contains(got.Problem, "modprobe llc") || len(l.loads) > 0 {
		t.Errorf("%+v, loads %v; want none, and where to load it", got, l.loads)
	}
}
