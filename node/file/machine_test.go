package file

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	configspec "github.com/ichor-os/ichor/node/config/spec"
	"github.com/ichor-os/ichor/node/file/spec"
	"github.com/ichor-os/ichor/resource"
)

func TestMachine_WritesOnlyWhereItMay(t *testing.T) {
	m := Machine{Var: t.TempDir(), Parts: t.TempDir()}
	outside := filepath.Join(t.TempDir(), "x")
	if err := os.Symlink(filepath.Dir(outside), filepath.Join(m.Var, "link")); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{
		"/var/lib/app/config":                   filepath.Join(m.Var, "lib/app/config"),
		"/etc/cri/conf.d/20-customization.part": filepath.Join(m.Parts, "20-customization.part"),
		"/etc/cri/conf.d/containerd.toml":       "",
		"/etc/cri/conf.d/deeper/x.part":         "",
		"/etc/hosts":                            "",
		"/usr/bin/x":                            "",
		"/var/../etc/hosts":                     "",
		"/var/link/x":                           "",
		"/var":                                  "",
		"var/x":                                 "",
		"/etc/cri/conf.d/../conf.d/30-metrics.part": filepath.Join(m.Parts, "30-metrics.part"),
	} {
		err := m.write(name, spec.MachineFileSpec{Content: []byte("a = 1\n"), Mode: 0o640, Op: spec.OpCreate})
		if want == "" {
			if err == nil {
				t.Errorf("%s is written", name)
			}
			continue
		}
		info, statErr := os.Stat(want)
		if err != nil || statErr != nil || info.Mode().Perm() != 0o640 {
			t.Errorf("%s: %v, %v, %v; want it at %s with mode 0640", name, err, statErr, info, want)
		}
	}
	if _, err := os.Stat(outside); err == nil {
		t.Error("a link led out of /var")
	}
}

func TestMachine_Operations(t *testing.T) {
	for name, test := range map[string]struct{ op, before, want string }{
		"create":               {spec.OpCreate, "", "new\n"},
		"create what is there": {spec.OpCreate, "old\n", "old\n"},
		"append":               {spec.OpAppend, "old\n", "old\nnew\n"},
		"append to nothing":    {spec.OpAppend, "", "new\n"},
		"append once":          {spec.OpAppend, "new\nmore\n", "new\nmore\n"},
		"overwrite":            {spec.OpOverwrite, "old\n", "new\n"},
	} {
		m := Machine{Var: t.TempDir()}
		path := filepath.Join(m.Var, "f")
		if test.before != "" {
			if err := os.WriteFile(path, []byte(test.before), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		for range 2 { // two boots
			if err := m.write("/var/f", spec.MachineFileSpec{Content: []byte("new\n"), Mode: 0o600, Op: test.op}); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
		if got, err := os.ReadFile(path); err != nil || string(got) != test.want {
			t.Errorf("%s: %q, %v; want %q", name, got, err, test.want)
		}
	}
}

func TestMachine_FollowsTheConfig(t *testing.T) {
	m := Machine{Var: t.TempDir(), Parts: t.TempDir()}
	engine := resource.New(resource.Options{CheckSpecs: true})
	if err := engine.Register(append(spec.Own(), configspec.MachineConfigs)...); err != nil {
		t.Fatal(err)
	}
	if err := engine.Add(resource.Reconciler("machine-files-config", ReconcileMachine), m.Mirror()); err != nil {
		t.Fatal(err)
	}
	go func() { _ = engine.Run(t.Context()) }()
	configure := func(files string) (statuses map[string]spec.MachineFileStatusSpec) {
		t.Helper()
		statuses = map[string]spec.MachineFileStatusSpec{}
		err := engine.Commit(t.Context(), "test", func(s *resource.Session) error {
			configspec.MachineConfigs.Put(s, configspec.Active, configspec.MachineConfigSpec{Documents: []byte("version: v1alpha1\nmachine:\n  type: worker\n" + files)})
			return nil
		})
		if err == nil {
			err = engine.Settled(t.Context())
		}
		if err == nil {
			err = engine.View(t.Context(), func(s *resource.Session) error {
				for _, r := range spec.MachineFileStatuses.List(s) {
					statuses[r.ID] = r.Spec
				}
				return nil
			})
		}
		if err != nil {
			t.Fatal(err)
		}
		return statuses
	}
	got := configure(`  files:
    - {path: /var/a, op: create, permissions: 0o600, content: one}
    - {path: /etc/cri/conf.d/20-customization.part, op: create, permissions: 0o644, content: "[metrics]\n"}
    - {path: /etc/cri/conf.d/30-broken.part, op: create, permissions: 0o644, content: "x = ["}
    - {path: /etc/passwd, op: append, permissions: 0o644, content: two}
`)
	if broken := got["/etc/cri/conf.d/30-broken.part"]; broken.Written || !strings.Contains(broken.Problem, "TOML") {
		t.Errorf("a part that is no TOML: %+v", broken)
	}
	if !got["/var/a"].Written || !got["/etc/cri/conf.d/20-customization.part"].Written || !strings.Contains(got["/etc/passwd"].Problem, "neither below /var") {
		t.Errorf("statuses %+v", got)
	}
	if got := configure(""); len(got) != 0 {
		t.Errorf("statuses %+v without files", got)
	}
	if _, err := os.Stat(filepath.Join(m.Var, "a")); err != nil {
		t.Errorf("a file on disk went with its key: %v", err)
	}
	if _, err := os.Stat(filepath.Join(m.Parts, "20-customization.part")); !os.IsNotExist(err) {
		t.Errorf("a part stays without its key: %v", err)
	}
}
