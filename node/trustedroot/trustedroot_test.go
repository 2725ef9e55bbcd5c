package trustedroot

import (
	"os"
	"path/filepath"
	"testing"

	configspec "github.com/ichor-os/ichor/node/config/spec"
	etcfilespec "github.com/ichor-os/ichor/node/etcfile/spec"
	"github.com/ichor-os/ichor/resource"
)

func TestReconciler_AddsTheConfigsRootsToTheShippedOnes(t *testing.T) {
	engine := resource.New(resource.Options{CheckSpecs: true})
	if err := engine.Register(configspec.MachineConfigs, etcfilespec.EtcFileSpecs); err != nil {
		t.Fatal(err)
	}
	shipped := filepath.Join(t.TempDir(), "shipped")
	if err := os.WriteFile(shipped, []byte("SHIPPED\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := engine.Add(Reconciler(shipped)); err != nil {
		t.Fatal(err)
	}
	go func() { _ = engine.Run(t.Context()) }()
	const main = "version: v1alpha1\nmachine:\n  type: worker\n"
	const roots = "---\napiVersion: v1alpha1\nkind: TrustedRootsConfig\nname: corporate\ncertificates: |\n  ONE\n  TWO\n"
	for config, want := range map[string]string{main: "", main + roots: "SHIPPED\n\n# corporate\nONE\nTWO\n"} {
		err := engine.Commit(t.Context(), "test", func(s *resource.Session) error {
			configspec.MachineConfigs.Put(s, configspec.Active, configspec.MachineConfigSpec{Documents: []byte(config)})
			return nil
		})
		if err == nil {
			err = engine.Settled(t.Context())
		}
		if err == nil {
			err = engine.View(t.Context(), func(s *resource.Session) error {
				got, _ := etcfilespec.EtcFileSpecs.Get(s, File)
				if string(got.Contents) != want {
					t.Errorf("bundle %q, want %q", got.Contents, want)
				}
				return nil
			})
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}
