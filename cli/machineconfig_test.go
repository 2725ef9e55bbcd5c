package cli_test

import (
	"encoding/json"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
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
	if !strings.Contains(text, "restarts services") || strings.Contains(text, "hunter2") {
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
