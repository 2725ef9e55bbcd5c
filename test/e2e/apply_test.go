package e2e

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"go.yaml.in/yaml/v3"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"

	"github.com/ichor-os/ichor/api/applyconfig"
	machinepb "github.com/ichor-os/ichor/api/machine"
	"github.com/ichor-os/ichor/client"
	"github.com/ichor-os/ichor/config"
	"github.com/ichor-os/ichor/localcluster"
	"github.com/ichor-os/ichor/localcluster/namespaces"
)

// changing is the node whose config a test changes. While a change waits for
// confirmation a test looks at the node's files only: a call would confirm it.
type changing struct {
	t       *testing.T
	cluster *localcluster.Cluster
	api     *client.Client
	ctx     context.Context
	index   int
}

func (n *changing) status() namespaces.NodeStatus {
	n.t.Helper()
	s, err := namespaces.Store{Root: n.cluster.State}.Show(n.cluster.Spec.Name)
	if err != nil {
		n.t.Fatal(err)
	}
	return s.Nodes[n.index]
}

// file is a file of the node's STATE folder, "" if it is not there.
func (n *changing) file(name string) string {
	text, err := os.ReadFile(filepath.Join(n.status().Folder, "state", name))
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		n.t.Fatal(err)
	}
	return string(text)
}

// stored is the persistent config as the API shows it.
func (n *changing) stored() string {
	n.t.Helper()
	var documents string
	within(n.t, 2*time.Minute, "the node shows its config", func() error {
		text, err := resourceOf(n.ctx, n.api, "config", "MachineConfigs.config.talos.dev", "persistent")
		if err != nil {
			return err
		}
		return yaml.Unmarshal([]byte(text), &documents)
	})
	return documents
}

// apply patches the config as any client of the API would, with pairs of
// metadata.
func (n *changing) apply(patch string, pairs ...string) *machinepb.ApplyConfiguration {
	n.t.Helper()
	patches, err := config.LoadPatches(patch)
	if err != nil {
		n.t.Fatal(err)
	}
	text, err := config.PatchText([]byte(n.stored()), "stored", patches...)
	if err != nil {
		n.t.Fatal(err)
	}
	answer, err := n.api.Machine.ApplyConfiguration(metadata.AppendToOutgoingContext(n.ctx, pairs...), &machinepb.ApplyConfigurationRequest{
		Data: text, Mode: machinepb.ApplyConfigurationRequest_AUTO,
	})
	if err != nil {
		// The change may be faster than its answer.
		n.t.Logf("apply: %v", err)
		return nil
	}
	return answer.GetMessages()[0]
}

// comesBack waits until the node has taken a config with the mark back.
func (n *changing) comesBack(bound time.Duration, mark string) {
	n.t.Helper()
	within(n.t, bound, "the last good config is back", func() error {
		if !strings.Contains(n.file("config.refused.yaml"), mark) || strings.Contains(n.file("config.yaml"), mark) || n.file("config.pending.json") != "" {
			return errors.New("not yet")
		}
		return nil
	})
	within(n.t, 2*time.Minute, "the node is in reach and tells why", func() error {
		text, err := n.diagnostic(applyconfig.Reverted)
		if err != nil || text == "" {
			return fmt.Errorf("diagnostic %q: %w", text, err)
		}
		n.t.Log(text)
		return nil
	})
	if strings.Contains(n.stored(), mark) {
		n.t.Error("the refused config is still stored")
	}
	// The next config that is good ends it.
	n.apply(fmt.Sprintf("machine: {nodeLabels: {after: n%d}}", time.Now().Unix()))
	if text, err := n.diagnostic(applyconfig.Reverted); err != nil || text != "" {
		n.t.Errorf("after a good config: diagnostic %q, %v", text, err)
	}
}

func (n *changing) diagnostic(id string) (string, error) {
	text, err := resourceOf(n.ctx, n.api, "runtime", "Diagnostics.runtime.talos.dev", id)
	if status.Code(err) == codes.NotFound {
		return "", nil
	}
	return text, err
}

// signal signals the node's PID 1 from outside and waits for the next one.
func (n *changing) signal(signal syscall.Signal) {
	n.t.Helper()
	before := n.status().PID
	if err := syscall.Kill(before, signal); err != nil {
		n.t.Fatal(err)
	}
	within(n.t, 2*time.Minute, "the node starts again", func() error {
		if pid := n.status().PID; pid == 0 || pid == before {
			return fmt.Errorf("pid %d", pid)
		}
		return nil
	})
}

// networkPatch adds a default route, which is preferred to those of a higher
// metric.
func networkPatch(address, gateway string, metric int) string {
	return fmt.Sprintf("machine: {network: {interfaces: [{interface: eth0, addresses: [%s/24], routes: [{network: 0.0.0.0/0, gateway: %s, metric: %d}]}]}}", address, gateway, metric)
}

// TestCluster_ConfigChanges changes the config of a running node, in ways that
// keep it in reach and in ways that do not.
func TestCluster_ConfigChanges(t *testing.T) {
	cluster := makeCluster(t, localcluster.Options{Name: "e2e-apply", ControlPlanes: 1, Workers: 1})
	api, err := cluster.Client()
	if err != nil {
		t.Fatal(err)
	}
	defer api.Close()
	worker := cluster.Spec.Nodes[1]
	own, gateway := worker.Address.String(), cluster.Spec.Gateway().String()
	node := func(t *testing.T) *changing {
		return &changing{t: t, cluster: cluster, api: api, ctx: client.WithNode(t.Context(), own), index: 1}
	}
	short := []string{applyconfig.BoundKey, "10s"}

	t.Run("harmless change is in force at once and not pending", func(t *testing.T) {
		n := node(t)
		n.apply("machine: {nodeLabels: {harmless: yes-it-is}}")
		if n.file("config.pending.json") != "" || !strings.Contains(n.file("config.yaml"), "yes-it-is") {
			t.Error("it is pending, or not stored")
		}
	})
	t.Run("second administrator sees a conflict", func(t *testing.T) {
		n := node(t)
		base := applyconfig.Digest([]byte(n.stored()))
		n.apply("machine: {nodeLabels: {first: one}}", applyconfig.BaseKey, base)
		n.apply("machine: {nodeLabels: {second: two}}", applyconfig.BaseKey, base)
		if strings.Contains(n.stored(), "second") {
			t.Error("the second change was made")
		}
	})
	t.Run("network change that works stays without a call", func(t *testing.T) {
		n := node(t)
		n.apply(networkPatch(own, gateway, 10), short...)
		if n.file("config.pending.json") == "" {
			t.Error("it is not pending")
		}
		within(t, 2*time.Minute, "it is confirmed", func() error {
			if n.file("config.pending.json") != "" {
				return errors.New("not yet")
			}
			return nil
		})
		if n.file("config.refused.yaml") != "" || !strings.Contains(n.file("config.yaml"), "metric: 10") {
			t.Error("it was taken back")
		}
	})
	for _, test := range []struct{ name, patch, mark string }{
		{"wrong gateway", networkPatch(own, "10.5.0.99", 5), "10.5.0.99"},
		// The node takes the gateway for itself.
		{"wrong address", "machine: {network: {interfaces: [{interface: eth0, addresses: [" + gateway + "/24]}]}}", gateway + "/24"},
		{"link that is down", "apiVersion: v1alpha1\nkind: LinkConfig\nname: eth0\nup: false\n", "kind: LinkConfig"},
		{"blackhole", "apiVersion: v1alpha1\nkind: BlackholeRouteConfig\nname: " + gateway + "/32\nmetric: 1\n", "BlackholeRouteConfig"},
	} {
		t.Run(test.name+" comes back", func(t *testing.T) {
			n := node(t)
			n.apply(test.patch, short...)
			n.comesBack(2*time.Minute, test.mark)
		})
	}
	t.Run("wrong gateway of a client that knows nothing comes back", func(t *testing.T) {
		n := node(t)
		n.apply(networkPatch(own, "10.5.0.98", 5))
		n.comesBack(4*time.Minute, "10.5.0.98")
	})
	for name, signal := range map[string]syscall.Signal{"kill -9": syscall.SIGKILL, "a reboot": syscall.SIGINT} {
		t.Run("wrong gateway comes back across "+name, func(t *testing.T) {
			n := node(t)
			n.apply(networkPatch(own, "10.5.0.97", 5), applyconfig.BoundKey, "30s")
			n.signal(signal)
			if n.file("config.pending.json") == "" {
				t.Error("it is not pending any more")
			}
			n.comesBack(4*time.Minute, "10.5.0.97")
		})
	}
	t.Run("damaged config is replaced by the good one at a start", func(t *testing.T) {
		n := node(t)
		good := n.file("config.good.yaml")
		if err := os.WriteFile(filepath.Join(n.status().Folder, "state", "config.yaml"), []byte("machine: ["), 0o600); err != nil {
			t.Fatal(err)
		}
		n.signal(syscall.SIGKILL)
		within(t, 2*time.Minute, "the good config is in force", func() error {
			text, err := n.diagnostic("config-damaged")
			if err != nil || text == "" {
				return fmt.Errorf("diagnostic %q: %w", text, err)
			}
			return nil
		})
		if good == "" || n.file("config.yaml") != good {
			t.Error("the stored config is not the good one")
		}
	})
}
