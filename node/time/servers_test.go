package time

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	configspec "github.com/ichor-os/ichor/node/config/spec"
	linkspec "github.com/ichor-os/ichor/node/link/spec"
	"github.com/ichor-os/ichor/node/time/spec"
	"github.com/ichor-os/ichor/resource"
	"github.com/ichor-os/ichor/resource/value"
)

func TestServers_ComeFromTheHighestLayer(t *testing.T) {
	engine := resource.New(resource.Options{CheckSpecs: true})
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	must(engine.Register(configspec.MachineConfigs, linkspec.PlatformConfigs, spec.TimeServerSpecs, spec.TimeServerStatuses))
	must(engine.Add(Servers()...))
	go func() { _ = engine.Run(t.Context()) }()
	for _, step := range []struct {
		do   func(s *resource.Session)
		want []string
	}{
		{func(*resource.Session) {}, []string{DefaultServer}},
		{func(s *resource.Session) {
			linkspec.PlatformConfigs.Put(s, "active", linkspec.PlatformConfigSpec{TimeServers: []linkspec.TimeServerSpecSpec{{TimeServers: []string{"platform"}}}})
		}, []string{"platform"}},
		{func(s *resource.Session) {
			for link, servers := range map[string][]string{"eth0": {"a", "b"}, "eth1": {"b", "c"}} {
				spec.TimeServerSpecs.In(linkspec.Config).Put(s, "operator/dhcp4/"+link+"/timeservers",
					spec.TimeServerSpecSpec{TimeServers: servers, Layer: value.LayerOperator})
			}
		}, []string{"a", "b", "c"}},
		{func(s *resource.Session) {
			configspec.MachineConfigs.Put(s, configspec.Active, configspec.MachineConfigSpec{
				Documents: []byte("version: v1alpha1\nmachine:\n  type: worker\n  time:\n    servers: [own]\n"),
			})
		}, []string{"own"}},
	} {
		must(engine.Commit(t.Context(), "test", func(s *resource.Session) error { step.do(s); return nil }))
		must(engine.Settled(t.Context()))
		must(engine.View(t.Context(), func(s *resource.Session) error {
			got, _ := spec.TimeServerStatuses.Get(s, networkServers)
			if diff := cmp.Diff(step.want, got.TimeServers); diff != "" {
				t.Errorf("servers differ (-want +got):\n%s", diff)
			}
			return nil
		}))
	}
}
