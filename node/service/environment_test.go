package service

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	machineconfig "github.com/ichor-os/ichor/config"
	configspec "github.com/ichor-os/ichor/node/config/spec"
	lifecyclespec "github.com/ichor-os/ichor/node/lifecycle/spec"
	"github.com/ichor-os/ichor/resource"
)

func TestVariables_TheDocumentCountsAndProxiesAreInBothCases(t *testing.T) {
	c, err := machineconfig.Parse([]byte(`version: v1alpha1
machine:
  type: worker
  env:
    https_proxy: http://old.example:3128
    GRPC_GO_LOG_SEVERITY_LEVEL: info
    NO_PROXY: 10.0.0.0/8
---
apiVersion: v1alpha1
kind: EnvironmentConfig
variables:
  https_proxy: http://new.example:3128
`))
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		"GRPC_GO_LOG_SEVERITY_LEVEL=info", "HTTPS_PROXY=http://new.example:3128", "NO_PROXY=10.0.0.0/8",
		"https_proxy=http://new.example:3128", "no_proxy=10.0.0.0/8",
	}
	if diff := cmp.Diff(want, variables(c)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestEnvironment_ServicesThatRunAreKnownToBeOutdated(t *testing.T) {
	e := &Environment{}
	engine := resource.New(resource.Options{CheckSpecs: true})
	if err := engine.Register(lifecyclespec.Environments, configspec.MachineConfigs); err != nil {
		t.Fatal(err)
	}
	if err := engine.Add(resource.Reconciler("environment-config", ReconcileEnvironment), e.Mirror()); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- engine.Run(t.Context()) }()
	configure := func(env string) {
		t.Helper()
		err := engine.Commit(t.Context(), "test", func(s *resource.Session) error {
			configspec.MachineConfigs.Put(s, configspec.Active, configspec.MachineConfigSpec{Documents: []byte("version: v1alpha1\nmachine:\n  type: worker\n" + env)})
			return nil
		})
		if err == nil {
			err = engine.Settled(t.Context())
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if got := e.For("containerd"); len(got) != 0 {
		t.Errorf("%v before there is a config", got)
	}
	configure("")
	if e.Outdated("containerd") {
		t.Error("a config without variables makes containerd outdated")
	}
	configure("  env:\n    A: b\n")
	if !e.Outdated("containerd") || e.Outdated("etcd") {
		t.Error("of containerd, which runs, and etcd, which does not, only the former is outdated")
	}
	if got := e.For("containerd"); !slices.Equal(got, []string{"A=b"}) || e.Outdated("containerd") {
		t.Errorf("it starts anew with %v", got)
	}
}

func TestRedact(t *testing.T) {
	for variable, want := range map[string]string{
		"https_proxy=http://me:secret@proxy.example:3128": "https_proxy=http://me:xxxxx@proxy.example:3128",
		"https_proxy=http://proxy.example:3128":           "https_proxy=http://proxy.example:3128",
		"no_proxy=10.0.0.0/8,.example":                    "no_proxy=10.0.0.0/8,.example",
		"A=":                                              "A=",
	} {
		if got := redact(variable); got != want {
			t.Errorf("%s becomes %s, want %s", variable, got, want)
		}
	}
}
