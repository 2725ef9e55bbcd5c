package trust

import (
	"net/netip"
	"slices"
	"testing"

	"github.com/ichor-os/ichor/config"
	clusterspec "github.com/ichor-os/ichor/node/cluster/spec"
	"github.com/ichor-os/ichor/resource"
)

func TestSurroundings_NameMembersSourcesAndWhatIsTaken(t *testing.T) {
	c, err := config.Parse([]byte(`version: v1alpha1
machine: {type: controlplane}
cluster:
  controlPlane: {endpoint: "https://api.example.com:6443"}
---
apiVersion: v1alpha1
kind: Layer2VIPConfig
name: 10.5.0.100
link: eth0
---
apiVersion: ichor.dev/v1alpha1
kind: APISourceConfig
subnets: [192.0.2.0/24]
`))
	if err != nil {
		t.Fatal(err)
	}
	member := resource.Resource[clusterspec.MemberSpec]{Spec: clusterspec.MemberSpec{
		Hostname: "n2.example.com", Addresses: []netip.Addr{netip.MustParseAddr("10.5.0.3"), netip.MustParseAddr("fd00::3")},
	}}
	member.ID = "n2"
	got := surroundingsOf(c, []resource.Resource[clusterspec.MemberSpec]{member})
	if got.members["n2"] != "10.5.0.3" || got.members["n2.example.com"] != "10.5.0.3" {
		t.Errorf("members are %v", got.members)
	}
	for _, source := range []string{"192.0.2.0/24", "10.5.0.3/32", "fd00::3/128", "127.0.0.0/8"} {
		if !slices.Contains(got.allowed, netip.MustParsePrefix(source)) {
			t.Errorf("%s may not call", source)
		}
	}
	want := [][]string{{"n2", "n2.example.com", "10.5.0.3", "fd00::3"}, {"10.5.0.100", "api.example.com"}}
	if !slices.EqualFunc(got.taken, want, slices.Equal) {
		t.Errorf("taken are %v, want %v", got.taken, want)
	}

	open, err := config.Parse([]byte("version: v1alpha1\nmachine: {type: worker}\n"))
	if err != nil {
		t.Fatal(err)
	}
	if got := surroundingsOf(open, nil); got.allowed != nil || got.taken != nil {
		t.Errorf("without a document everybody may call, and nothing is taken: %+v", got)
	}
}
