package kubelet

import (
	"context"
	"encoding/json"
	"log/slog"
	"net/netip"
	"net/url"
	"os/exec"
	"slices"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	configspec "github.com/ichor-os/ichor/node/config/spec"
	dnsspec "github.com/ichor-os/ichor/node/dns/spec"
	filespec "github.com/ichor-os/ichor/node/file/spec"
	"github.com/ichor-os/ichor/node/kubelet/spec"
	linkspec "github.com/ichor-os/ichor/node/link/spec"
	secretspec "github.com/ichor-os/ichor/node/secret/spec"
	"github.com/ichor-os/ichor/pki"
	"github.com/ichor-os/ichor/resource"
	"github.com/ichor-os/ichor/resource/value"
)

func given() spec.KubeletConfigSpec {
	return spec.KubeletConfigSpec{Image: "kubelet", ClusterDNS: []string{"10.96.0.10"}, ClusterDomain: "cluster.local", DisableManifestsDirectory: true}
}

func address() []netip.Addr { return []netip.Addr{netip.MustParseAddr("10.5.0.2")} }

func agent() *Agent { return &Agent{Namespaced: true, Log: slog.New(slog.DiscardHandler)} }

func TestSpecOf_NeverLowersScoresInNamespaces(t *testing.T) {
	s, err := agent().specOf(given(), "n1", address())
	if err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(s.Config)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`"oomScoreAdj":0`, `"failCgroupV1":false`, `"makeIPTablesUtilChains":false`, `"failSwapOn":false`, `"nodefs.available":"1Gi"`} {
		if !strings.Contains(string(text), want) {
			t.Errorf("configuration lacks %s", want)
		}
	}
}

func TestSpecOf_RefusesWhatTheSystemSetsItselfByName(t *testing.T) {
	for name, change := range map[string]func(*spec.KubeletConfigSpec){
		"kubeconfig":    func(c *spec.KubeletConfigSpec) { c.ExtraArgs = map[string]spec.ArgValues{"kubeconfig": {}} },
		"authorization": func(c *spec.KubeletConfigSpec) { c.ExtraConfig = map[string]any{"authorization": map[string]any{}} },
	} {
		c := given()
		change(&c)
		if _, err := agent().specOf(c, "n1", address()); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: error = %v, want one that names it", name, err)
		}
	}
}

func TestSpecOf_ExtraArgsAndConfigLieOverTheSystems(t *testing.T) {
	c := given()
	c.ExtraArgs = map[string]spec.ArgValues{"node-ip": {Values: []string{"10.5.0.9"}}, "v": {Values: []string{"4"}}}
	c.ExtraConfig = map[string]any{"evictionHard": map[string]any{"memory.available": "1Gi"}, "maxPods": 50}
	s, err := agent().specOf(c, "n1", address())
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Contains(s.Args, "--node-ip=10.5.0.9") || !slices.Contains(s.Args, "--v=4") || slices.Contains(s.Args, "--node-ip=10.5.0.2") {
		t.Errorf("arguments = %v", s.Args)
	}
	eviction, _ := s.Config["evictionHard"].(map[string]any)
	if eviction["memory.available"] != "1Gi" || eviction["nodefs.available"] != "1Gi" || s.Config["maxPods"] != 50 {
		t.Errorf("config = %v", s.Config)
	}
}

func TestS04_TaintIsThereAtFirstRegistration(t *testing.T) {
	args := registration([]spec.NodeLabelSpecSpec{{Key: "team", Value: "red"}, {Key: controlPlaneRole}},
		[]spec.NodeTaintSpecSpec{{Key: controlPlaneRole, Effect: "NoSchedule"}})
	want := []string{"--node-labels=team=red", "--register-with-taints=node-role.kubernetes.io/control-plane=:NoSchedule"}
	if diff := cmp.Diff(want, args); diff != "" {
		t.Errorf("arguments (-want +got):\n%s", diff)
	}
}

func TestBR26_SharedAddressIsNeverTheNodes(t *testing.T) {
	addresses := []netip.Addr{netip.MustParseAddr("10.20.0.9"), netip.MustParseAddr("10.20.0.5")}
	got, err := spec.Choose(addresses, nil, []string{"10.20.0.9", "10.244.0.0/16"})
	if err != nil || !slices.Equal(got, addresses[1:]) {
		t.Errorf("addresses = %v, %v; want 10.20.0.5 alone", got, err)
	}
}

// counted is a service that counts its starts.
type counted struct{ starts, restarts int }

func (c *counted) Start() error                  { c.starts++; return nil }
func (c *counted) Restart(context.Context) error { c.restarts++; return nil }
func (c *counted) Stop(context.Context) error    { return nil }

func TestAgent_RestartsForItsSpecAloneAndNotForAFlappingAddress(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		engine := resource.New(resource.Options{})
		service := &counted{}
		a := agent()
		a.Service, a.Write = service, func([]filespec.File) error { return nil }
		if err := engine.Add(a.Blocks()...); err != nil {
			t.Fatal(err)
		}
		ctx, stop := context.WithCancel(t.Context())
		ended := make(chan struct{})
		go func() { _ = engine.Run(ctx); close(ended) }()
		defer func() { stop(); <-ended }()
		commit := func(fn func(s *resource.Session)) {
			t.Helper()
			if err := engine.Commit(ctx, "test", func(s *resource.Session) error { fn(s); return nil }); err != nil {
				t.Fatal(err)
			}
			synctest.Wait()
		}
		config := func(extra string) func(s *resource.Session) {
			return func(s *resource.Session) {
				configspec.MachineConfigs.Put(s, configspec.Active, configspec.MachineConfigSpec{Documents: []byte(
					"version: v1alpha1\nmachine:\n  type: worker\n" + extra + "cluster:\n  controlPlane: {endpoint: 'https://10.5.0.1:6443'}\n")})
			}
		}
		at := func(text string) func(s *resource.Session) {
			return func(s *resource.Session) {
				linkspec.NodeAddresses.Put(s, "routed", linkspec.NodeAddressSpec{Addresses: []netip.Prefix{netip.MustParsePrefix(text)}})
			}
		}
		commit(func(s *resource.Session) {
			dnsspec.HostnameStatuses.Put(s, "hostname", dnsspec.HostnameStatusSpec{Hostname: "n1"})
			secretspec.KubeletSecrets.Put(s, "kubelet", secretspec.KubeletSecretSpec{
				Endpoint: &url.URL{Scheme: "https", Host: "10.5.0.1:6443"}, BootstrapTokenID: "abcdef", BootstrapTokenSecret: "0123456789abcdef",
				AcceptedCAs: []*value.Certificate{{Crt: authority(t)}},
			})
			at("10.5.0.2/24")(s)
			config("")(s)
		})
		want := func(when string, starts, restarts int) {
			t.Helper()
			if service.starts != starts || service.restarts != restarts {
				t.Errorf("%s: %d starts and %d restarts, want %d and %d", when, service.starts, service.restarts, starts, restarts)
			}
		}
		want("first config", 1, 0)
		commit(config("  nodeLabels: {team: red}\n"))
		want("labels", 1, 0)
		commit(at("10.5.0.7/24"))
		time.Sleep(time.Second)
		commit(at("10.5.0.2/24"))
		time.Sleep(time.Minute)
		synctest.Wait()
		want("flap of a second", 1, 0)
		commit(config("  kubelet: {extraArgs: {v: '4'}}\n"))
		want("argument", 1, 1)
		commit(at("10.5.0.7/24"))
		time.Sleep(time.Minute)
		synctest.Wait()
		want("another address that stays", 1, 2)
	})
}

func TestEndPods_EndsWhatIsThere(t *testing.T) {
	cmd := exec.CommandContext(t.Context(), "sleep", "60")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan struct{})
	go func() { _ = cmd.Wait(); close(ended) }()
	err := EndPods(func(group string) ([]int, error) {
		if group != "kubepods" {
			t.Errorf("group = %s", group)
		}
		select {
		case <-ended:
			return nil, nil
		default:
			return []int{cmd.Process.Pid}, nil
		}
	})
	if err != nil {
		t.Error(err)
	}
	if status, ok := cmd.ProcessState.Sys().(syscall.WaitStatus); !ok || status.Signal() != syscall.SIGTERM {
		t.Errorf("ended by %v, want SIGTERM", status)
	}
}

// authority is the certificate of some authority.
func authority(t *testing.T) []byte {
	t.Helper()
	made, err := pki.NewMachineAuthority(time.Now())
	if err != nil {
		t.Fatal(err)
	}
	pair, err := made.Pair()
	if err != nil {
		t.Fatal(err)
	}
	return pair.Crt
}
