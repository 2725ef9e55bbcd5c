package addons

import (
	"slices"
	"strings"
	"testing"

	"github.com/ichor-os/ichor/config/documents/v1alpha1"
	"github.com/ichor-os/ichor/config/scalar"
	"github.com/ichor-os/ichor/node/kube/spec"
)

func clusterConfig(t *testing.T) *v1alpha1.ClusterConfig {
	t.Helper()
	endpoint, err := scalar.ParseURL("https://10.5.0.1:6443")
	if err != nil {
		t.Fatal(err)
	}
	return &v1alpha1.ClusterConfig{ControlPlane: &v1alpha1.ControlPlaneConfig{Endpoint: &endpoint}}
}

func TestConfigOf_RespectsWhatIsSwitchedOff(t *testing.T) {
	yes := true
	for name, test := range map[string]struct {
		change              func(*v1alpha1.ClusterConfig)
		proxy, dns, flannel bool
	}{
		"everything": {func(*v1alpha1.ClusterConfig) {}, true, true, true},
		"no proxy":   {func(c *v1alpha1.ClusterConfig) { c.Proxy = &v1alpha1.ProxyConfig{Disabled: &yes} }, false, true, true},
		"no DNS":     {func(c *v1alpha1.ClusterConfig) { c.CoreDNS = &v1alpha1.CoreDNS{Disabled: &yes} }, true, false, true},
		"own network": {func(c *v1alpha1.ClusterConfig) {
			c.Network = &v1alpha1.ClusterNetworkConfig{CNI: &v1alpha1.CNIConfig{Name: "none"}}
		}, true, true, false},
	} {
		c := clusterConfig(t)
		test.change(c)
		got, err := configOf(&v1alpha1.Config{Cluster: c})
		if err != nil || got.ProxyEnabled != test.proxy || got.CoreDNSEnabled != test.dns || got.FlannelEnabled != test.flannel {
			t.Errorf("%s: %+v, %v", name, got, err)
		}
	}
}

func TestDualStack_DNSAndFlannelHaveBothFamilies(t *testing.T) {
	c := clusterConfig(t)
	c.Network = &v1alpha1.ClusterNetworkConfig{PodSubnets: []string{"10.244.0.0/16", "fd00:1::/56"}, ServiceSubnets: []string{"10.96.0.0/12", "fd00:2::/112"}}
	config, err := configOf(&v1alpha1.Config{Cluster: c})
	if err != nil {
		t.Fatal(err)
	}
	if config.DNSServiceIP != "10.96.0.10" || config.DNSServiceIPv6 != "fd00:2::a" {
		t.Errorf("DNS at %s and %s", config.DNSServiceIP, config.DNSServiceIPv6)
	}
	for name, objects := range map[string][]map[string]any{"fd00:2::a": coreDNS(config), `"IPv6Network": "fd00:1::/56"`: flannel(config)} {
		found := slices.ContainsFunc(objects, func(o map[string]any) bool {
			return strings.Contains(text(o), strings.ReplaceAll(name, `"`, "")) || strings.Contains(text(o), "IPv6Network")
		})
		if !found {
			t.Errorf("no object has %s", name)
		}
	}
}

func TestProxyMode_IsThatOfTheConfigAndOtherwiseNftables(t *testing.T) {
	if got := mode(spec.BootstrapManifestsConfigSpec{}); got != "nftables" {
		t.Errorf("mode = %s", got)
	}
	if got := mode(spec.BootstrapManifestsConfigSpec{ProxyArgs: []string{"--v=2", "--proxy-mode=ipvs"}}); got != "ipvs" {
		t.Errorf("mode = %s", got)
	}
}

func TestParse_ReadsDocumentsAndListsAndRefusesNonsense(t *testing.T) {
	items, err := parse([]byte("kind: A\n---\n# nothing\n---\nkind: ConfigMapList\nitems: [{kind: B}, {kind: C}]\n"))
	if err != nil || len(items) != 3 {
		t.Errorf("items = %v, %v; want 3", items, err)
	}
	for _, bad := range []string{"name: x\n", "a: [", "kind: A\n---\n- b\n"} {
		if _, err := parse([]byte(bad)); err == nil {
			t.Errorf("%q is taken", bad)
		}
	}
}

func TestExtraOf_NetworkComesBeforeCloudAndOthers(t *testing.T) {
	yes := true
	c := clusterConfig(t)
	c.Network = &v1alpha1.ClusterNetworkConfig{CNI: &v1alpha1.CNIConfig{Name: "custom", URLs: []string{"https://cni"}}}
	c.ExternalCloudProvider = &v1alpha1.ExternalCloudProviderConfig{Enabled: &yes, Manifests: []string{"https://cloud"}}
	c.ExtraManifests, c.ExtraManifestHeaders = []string{"https://extra"}, map[string]string{"X": "y"}
	var got []string
	for _, m := range extraOf(c).ExtraManifests {
		got = append(got, m.Priority+" "+m.URL+m.ExtraHeaders["X"])
	}
	if want := []string{"05 https://cni", "30 https://cloud", "99 https://extray"}; !slices.Equal(got, want) {
		t.Errorf("manifests = %v, want %v", got, want)
	}
}

// The balancer of each node goes before the endpoint, which may be a single
// machine.
func TestBalancerOfTheNodeIsUsedWhereItRuns(t *testing.T) {
	yes := true
	config, err := configOf(&v1alpha1.Config{
		Machine: &v1alpha1.MachineConfig{Features: &v1alpha1.FeaturesConfig{KubePrism: &v1alpha1.KubePrism{Enabled: &yes, Port: 7446}}},
		Cluster: clusterConfig(t),
	})
	if err != nil {
		t.Fatal(err)
	}
	if config.Server != "https://127.0.0.1:7446" || config.FlannelKubeServiceHost != "127.0.0.1" || config.FlannelKubeServicePort != "7446" {
		t.Errorf("server %s, flannel %s:%s", config.Server, config.FlannelKubeServiceHost, config.FlannelKubeServicePort)
	}
}
