package etcfile

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/ichor-os/ichor/node/etcfile/spec"
	"github.com/ichor-os/ichor/resource"
	"github.com/ichor-os/ichor/resource/value"
)

func TestMirror_FollowsWhatNounsWant(t *testing.T) {
	mounter := &binds{}
	f := &Folder{Etc: "/etc", Store: t.TempDir(), Mounter: mounter}
	engine := resource.New(resource.Options{CheckSpecs: true})
	if err := errors.Join(engine.Register(spec.Kinds()...), engine.Add(f.Mirror("pods/resolv.conf"))); err != nil {
		t.Fatal(err)
	}
	go func() { _ = engine.Run(t.Context()) }()
	want := func(files map[string]string) {
		t.Helper()
		err := engine.Commit(t.Context(), "test", func(s *resource.Session) error {
			for _, file := range spec.EtcFileSpecs.List(s) {
				if _, wanted := files[file.ID]; !wanted {
					spec.EtcFileSpecs.Delete(s, file.ID)
				}
			}
			for name, text := range files {
				spec.EtcFileSpecs.Put(s, name, spec.EtcFileSpecSpec{Contents: value.Text(text), Mode: 0o644})
			}
			return nil
		})
		if err := errors.Join(err, engine.Settled(t.Context())); err != nil {
			t.Fatal(err)
		}
		for _, name := range []string{"hosts", "pods/resolv.conf"} {
			got, err := os.ReadFile(filepath.Join(f.Store, name))
			text, wanted := files[name]
			if wanted && string(got) != text || !wanted && !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("%s is %q, %v; want %q", name, got, err, text)
			}
			err = engine.View(t.Context(), func(s *resource.Session) error {
				if _, shown := spec.EtcFileStatuses.Get(s, name); shown != wanted {
					t.Errorf("%s has a status: %t, want %t", name, shown, wanted)
				}
				return nil
			})
			if err != nil {
				t.Fatal(err)
			}
		}
	}
	want(map[string]string{"hosts": "one\n", "pods/resolv.conf": "nameserver 192.0.2.1\n"})
	want(map[string]string{"hosts": "two\n"})
	want(nil)
	if len(mounter.targets) != 2 || mounter.targets[0] != "/etc/hosts" || mounter.targets[1] != "not /etc/hosts" {
		t.Errorf("mounts %v, want /etc/hosts bound and unbound once", mounter.targets)
	}
}
