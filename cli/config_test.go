package cli_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const twoContexts = "context: a\ncontexts:\n    a:\n        endpoints:\n            - 10.0.0.1\n    b:\n        endpoints: []\n"

func TestBR18_ContextFlagChoosesWhichContextEndpointAndNodeChange(t *testing.T) {
	inTempFolder(t, map[string]string{"c": twoContexts})
	mustRun(t, "config", "--talosconfig", "c", "--context", "b", "endpoint", "10.9.9.9")
	got := mustRun(t, "config", "node", "10.8.8.8", "--context", "b", "--talosconfig", "c")
	want := "context: a\ncontexts:\n    a:\n        endpoints:\n            - 10.0.0.1\n    b:\n        endpoints:\n            - 10.9.9.9\n        nodes:\n            - 10.8.8.8\n"
	if diff := cmp.Diff(want, got.files["c"]); diff != "" {
		t.Errorf("file (-want +got):\n%s", diff)
	}
	got = run(t, "config", "--talosconfig", "c", "--context", "gone", "node", "10.7.7.7")
	if got.exit != 1 || got.files["c"] != want || !strings.Contains(got.stderr, `"a" "b"`) {
		t.Errorf("unknown context: exit %d, standard error %q", got.exit, got.stderr)
	}
}

func TestConfigInfo_ObeysContextAndFormat(t *testing.T) {
	inTempFolder(t, map[string]string{"c": twoContexts})
	got := mustRun(t, "config", "--talosconfig", "c", "info", "-o", "json", "--context", "b")
	var info map[string]any
	if err := json.Unmarshal([]byte(got.stdout), &info); err != nil {
		t.Fatal(err)
	}
	if info["context"] != "b" {
		t.Errorf("context %v, want b", info["context"])
	}
	got = run(t, "config", "--talosconfig", "c", "info", "-o", "xml")
	if got.exit != 1 || strings.Contains(got.stderr, "Usage:") {
		t.Errorf("unknown format: exit %d; standard error:\n%s", got.exit, got.stderr)
	}
}

func TestConfigNode_WithoutArgumentClears(t *testing.T) {
	inTempFolder(t, map[string]string{"c": "context: a\ncontexts:\n    a:\n        endpoints: []\n        nodes:\n            - x\n"})
	got := mustRun(t, "config", "--talosconfig", "c", "node")
	if want := "context: a\ncontexts:\n    a:\n        endpoints: []\n"; got.files["c"] != want {
		t.Errorf("got %q, want %q", got.files["c"], want)
	}
}

func TestConfigRemove_AsksFirst(t *testing.T) {
	for answer, removed := range map[string]bool{"": false, "n\n": false, "maybe\n": false, "y\n": true, "YES\n": true} {
		inTempFolder(t, map[string]string{"c": twoContexts})
		got := runWith(t, answer, "config", "--talosconfig", "c", "remove", "b")
		if got.exit != 0 || !strings.Contains(got.stdout, "(y/N)") {
			t.Errorf("answer %q: exit %d, standard output %q", answer, got.exit, got.stdout)
		}
		if gone := !strings.Contains(got.files["c"], "b:"); gone != removed {
			t.Errorf("answer %q: removed %v, want %v", answer, gone, removed)
		}
	}
}

func TestConfigRemove_DryRunChangesNothing(t *testing.T) {
	inTempFolder(t, map[string]string{"c": twoContexts})
	got := mustRun(t, "config", "--talosconfig", "c", "remove", "*", "--dry-run")
	if got.files["c"] != twoContexts || !strings.Contains(got.stderr, "would remove contexts: b") {
		t.Errorf("standard error %q; file:\n%s", got.stderr, got.files["c"])
	}
}

func TestConfigAdd_NeedsCertificateAndKeyTogether(t *testing.T) {
	inTempFolder(t, map[string]string{"c": twoContexts, "x.crt": "x"})
	got := run(t, "config", "--talosconfig", "c", "add", "n", "--crt", "x.crt")
	if got.exit != 1 || got.files["c"] != twoContexts {
		t.Errorf("exit %d; file:\n%s", got.exit, got.files["c"])
	}
}

func TestConfigMerge_MakesAMissingSource(t *testing.T) {
	inTempFolder(t, map[string]string{"c": twoContexts})
	got := mustRun(t, "config", "--talosconfig", "c", "merge", "gone")
	if got.files["gone"] != "context: \"\"\ncontexts: {}\n" || got.modes["gone"] != 0o600 {
		t.Errorf("source %q, mode %v", got.files["gone"], got.modes["gone"])
	}
}

func TestConfig_UsesHomeByDefault(t *testing.T) {
	inTempFolder(t, nil)
	got := mustRun(t, "config", "contexts")
	if _, ok := got.files[".talos/config"]; !ok || got.stdout != "CURRENT   NAME   ENDPOINTS   NODES\n" {
		t.Errorf("files %v, standard output %q", got.written(nil), got.stdout)
	}
}

func TestCompletion_OffersContexts(t *testing.T) {
	inTempFolder(t, map[string]string{"c": twoContexts})
	got := mustRun(t, "__complete", "config", "--talosconfig", "c", "context", "")
	if !strings.HasPrefix(got.stdout, "a\nb\n") {
		t.Errorf("got %q", got.stdout)
	}
}
