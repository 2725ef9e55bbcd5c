package spec_test

import (
	"testing"

	"github.com/ichor-os/ichor/node/config/spec"
	"github.com/ichor-os/ichor/resource"
)

func TestConfigFollowsTheResource(t *testing.T) {
	engine := resource.New(resource.Options{})
	read := func() (string, bool) {
		t.Helper()
		var name string
		var there bool
		err := engine.View(t.Context(), func(s *resource.Session) error {
			c, ok, err := spec.Config(s)
			if err == nil && ok {
				name, there = c.Main().Machine.Type, true
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		return name, there
	}
	if _, there := read(); there {
		t.Error("a node without a config has one")
	}
	for _, role := range []string{"worker", "controlplane", "worker"} {
		err := engine.Commit(t.Context(), "test", func(s *resource.Session) error {
			spec.MachineConfigs.Put(s, spec.Active, spec.MachineConfigSpec{Documents: []byte("version: v1alpha1\nmachine:\n  type: " + role + "\n")})
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		if got, _ := read(); got != role {
			t.Errorf("type is %q, want %q", got, role)
		}
	}
}
