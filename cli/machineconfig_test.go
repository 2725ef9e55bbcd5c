package cli_test

import (
	"bytes"
	"encoding/json"
	"os"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"github.com/ichor-os/ichor/cli"
)

const (
	configA = "machine: {type: worker, token: hunter2.aaa, sysctls: {a: '1'}}\ncluster: {controlPlane: {endpoint: 'https://a:6443'}}\n"
	configB = "# other layout\ncluster:\n    controlPlane: {endpoint: 'https://a:6443'}\nmachine:\n    sysctls: {a: '2'}\n    token: hunter2.bbb\n    type: worker\n---\napiVersion: v1alpha1\nkind: HostnameConfig\nhostname: n1\n"
)

func TestMachineConfigDiff_ShowsMeaningAndNoSecret(t *testing.T) {
	inTempFolder(t, map[string]string{"a.yaml": configA, "b.yaml": configB})
	for _, format := range []string{"text", "json", "yaml"} {
		got := mustRun(t, "machineconfig", "diff", "a.yaml", "b.yaml", "-o", format)
		for _, want := range []string{"machine.sysctls", "machine.token", "HostnameConfig"} {
			if !strings.Contains(got.stdout, want) {
				t.Errorf("%s: %s is not named in:\n%s", format, want, got.stdout)
			}
		}
		if strings.Contains(got.stdout, "hunter2") || strings.Contains(got.stdout, "endpoint") {
			t.Errorf("%s: a secret or something equal shows:\n%s", format, got.stdout)
		}
	}
	if got := mustRun(t, "mc", "diff", "a.yaml", "a.yaml"); got.stdout != "" {
		t.Errorf("a config differs from itself:\n%s", got.stdout)
	}
	if got := mustRun(t, "mc", "diff", "a.yaml", "a.yaml", "-o", "json"); got.stdout != "[]\n" {
		t.Errorf("a config differs from itself:\n%s", got.stdout)
	}
}

func TestMachineConfigPlan_WritesWhatAChangeTakes(t *testing.T) {
	inTempFolder(t, map[string]string{"a.yaml": configA, "b.yaml": configB})
	got := mustRun(t, "machineconfig", "plan", "a.yaml", "b.yaml", "-o", "json")
	var plan struct {
		Steps []struct {
			Document, Path string
			Restart        []string
		}
	}
	if err := json.Unmarshal([]byte(got.stdout), &plan); err != nil {
		t.Fatal(err)
	}
	if len(plan.Steps) < 3 || strings.Contains(got.stdout, "hunter2") {
		t.Errorf("plan:\n%s", got.stdout)
	}
	text := mustRun(t, "machineconfig", "plan", "a.yaml", "b.yaml").stdout
	if !strings.Contains(text, "needs a reboot") || strings.Contains(text, "hunter2") {
		t.Errorf("plan:\n%s", text)
	}
	if text := mustRun(t, "machineconfig", "plan", "a.yaml", "a.yaml").stdout; text != "nothing changes\n" {
		t.Errorf("no change: %q", text)
	}
}

func TestMachineConfigExplain(t *testing.T) {
	inTempFolder(t, nil)
	got := mustRun(t, "machineconfig", "explain", "machine.kubelet.image")
	if !strings.HasPrefix(got.stdout, "machine.kubelet.image (") {
		t.Errorf("got:\n%s", got.stdout)
	}
	got = mustRun(t, "machineconfig", "explain", "HostnameConfig", "-o", "yaml")
	var entry struct{ Kind, Example string }
	if err := yaml.Unmarshal([]byte(got.stdout), &entry); err != nil || entry.Kind != "HostnameConfig" || entry.Example == "" {
		t.Errorf("%v in:\n%s", err, got.stdout)
	}
	if got := run(t, "machineconfig", "explain", "machine.kubelet.imag"); got.exit != 1 || got.stdout != "" {
		t.Errorf("unknown key: exit %d\n%s", got.exit, got.stdout)
	}
	got = mustRun(t, "__complete", "machineconfig", "explain", "machine.kubelet.im")
	if !strings.HasPrefix(got.stdout, "machine.kubelet.image\n") {
		t.Errorf("completion: %q", got.stdout)
	}
}

func TestMachineConfigMigrate_ThereAndBack(t *testing.T) {
	const old = "version: v1alpha1\nmachine:\n    type: worker\n    token: a.b\n    certSANs: []\n    network:\n        hostname: n1\ncluster: null\n"
	inTempFolder(t, map[string]string{"old.yaml": old})
	got := mustRun(t, "machineconfig", "migrate", "old.yaml", "--to", "1.13", "-o", "new/new.yaml")
	if text := got.files["new/new.yaml"]; !strings.Contains(text, "kind: HostnameConfig") || strings.Contains(text, "network:") {
		t.Errorf("migrated up:\n%s", text)
	}
	if !strings.Contains(got.stderr, "moved machine.network.hostname to HostnameConfig") {
		t.Errorf("standard error:\n%s", got.stderr)
	}
	if got := mustRun(t, "machineconfig", "migrate", "new/new.yaml", "--to", "v1.10.3"); got.stdout != old {
		t.Errorf("migrated back:\n%s", got.stdout)
	}
	for _, args := range [][]string{{"--to", "latest"}, {}} {
		if got := run(t, append([]string{"machineconfig", "migrate", "old.yaml"}, args...)...); got.exit != 1 {
			t.Errorf("%q: exit %d, want 1", args, got.exit)
		}
	}
}

func TestMachineConfigMigrate_RefusesKeysThatTheVersionDoesNotHave(t *testing.T) {
	inTempFolder(t, map[string]string{"a.yaml": "machine: {type: worker, features: {hostDNS: {enabled: true}}}\n"})
	got := run(t, "machineconfig", "migrate", "a.yaml", "--to", "1.6")
	if got.exit != 1 || got.stdout != "" || !strings.Contains(got.stderr, "version 1.6 has no form for") || !strings.Contains(got.stderr, "machine.features.hostDNS") {
		t.Errorf("exit %d:\n%s%s", got.exit, got.stdout, got.stderr)
	}
	got = mustRun(t, "machineconfig", "migrate", "a.yaml", "--to", "1.6", "--keep-unsupported")
	if !strings.Contains(got.stdout, "hostDNS") || !strings.Contains(got.stderr, "WARNING: version 1.6") {
		t.Errorf("kept:\n%s%s", got.stdout, got.stderr)
	}
	mustRun(t, "machineconfig", "migrate", "a.yaml", "--to", "1.7")
}

func TestMachineConfigMigrate_CountsAdviceAsAsked(t *testing.T) {
	inTempFolder(t, map[string]string{"a.yaml": "machine: {type: worker, network: {interfaces: [{interface: eth0, cidr: 10.0.0.1/24, addresses: [10.0.0.2/24]}]}}\n"})
	const way = "the way back gives another v1alpha1.Config: machine.network.interfaces[interface=eth0].cidr"
	if got := mustRun(t, "machineconfig", "migrate", "a.yaml", "--to", "1.13"); !strings.Contains(got.stderr, "WARNING: the way back") || !strings.Contains(got.stderr, way) || !strings.Contains(got.stdout, "LinkConfig") {
		t.Errorf("shown:\n%s%s", got.stdout, got.stderr)
	}
	got := run(t, "machineconfig", "migrate", "a.yaml", "--to", "1.13", "--advice", "error")
	if got.exit != 1 || got.stdout != "" || !strings.Contains(got.stderr, way) || strings.Contains(got.stderr, "WARNING") {
		t.Errorf("as error: exit %d:\n%s%s", got.exit, got.stdout, got.stderr)
	}
}

func TestMachineConfigRender_OneConfigANode(t *testing.T) {
	inputs := map[string]string{
		"layers/render.yaml":      "apiVersion: ichor.dev/v1alpha1\nkind: Render\nvariables: {pool: blue}\nnodes:\n    n1: {role: worker}\n    n2: {role: worker, variables: {pool: green}}\n",
		"layers/role/worker.yaml": "machine: {nodeLabels: {pool: '${pool}', name: '${node}'}}\n",
		"secrets.yaml":            secretsFile(t)["secrets.yaml"],
	}
	inTempFolder(t, inputs)
	mustRun(t, genConfig("-t", "worker", "-o", "layers/base.yaml")...)
	got := mustRun(t, "machineconfig", "render", "layers", "-o", "nodes")
	for name, pool := range map[string]string{"n1": "blue", "n2": "green"} {
		file := "nodes/" + name + ".yaml"
		labels := machine(t, got.files[file]).Main().Machine.NodeLabels
		if labels["pool"] != pool || labels["name"] != name || got.modes[file] != 0o600 {
			t.Errorf("%s: labels %v, mode %v", file, labels, got.modes[file])
		}
	}
	if one := mustRun(t, "machineconfig", "render", "layers", "--node", "n2"); one.stdout != got.files["nodes/n2.yaml"] {
		t.Errorf("one node to standard output:\n%s", one.stdout)
	}
	if several := run(t, "machineconfig", "render", "layers"); several.exit != 1 || several.stdout != "" {
		t.Errorf("two nodes to standard output: exit %d", several.exit)
	}
}

func TestMachineConfigRender_WritesNothingWhenOneNodeFails(t *testing.T) {
	inTempFolder(t, map[string]string{
		"layers/render.yaml":   "apiVersion: ichor.dev/v1alpha1\nkind: Render\nnodes: {good: {}, bad: {}}\n",
		"layers/base.yaml":     "apiVersion: v1alpha1\nkind: HostnameConfig\nhostname: ${node}\n",
		"layers/node/bad.yaml": "apiVersion: v1alpha1\nkind: HostnameConfig\nhostname: ${env:GONE}\n",
	})
	got := run(t, "machineconfig", "render", "layers", "-o", "nodes")
	if _, written := got.files["nodes/good.yaml"]; got.exit != 1 || written || !strings.Contains(got.stderr, "GONE") {
		t.Errorf("exit %d, written %v; standard error:\n%s", got.exit, written, got.stderr)
	}
}

func TestValidate_RefusesHugeFilesWithoutReadingThem(t *testing.T) {
	inTempFolder(t, nil)
	if err := os.Truncate(makeFile(t, "huge.yaml"), 1<<40); err != nil {
		t.Skipf("the file system has no sparse files: %v", err)
	}
	var stdout, stderr bytes.Buffer
	if exit := cli.Run([]string{"validate", "-m", "metal", "-c", "huge.yaml"}, nil, &stdout, &stderr, nil); exit != 1 || stdout.Len() > 0 {
		t.Errorf("exit %d, standard output %q", exit, stdout.String())
	}
}

func makeFile(t *testing.T, name string) string {
	t.Helper()
	if err := os.WriteFile(name, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	return name
}
