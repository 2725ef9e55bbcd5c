package cli_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestValidate_WritesFindingsForMachinesToRead(t *testing.T) {
	inTempFolder(t, map[string]string{"c.yaml": "apiVersion: v1alpha1\nkind: HostnameConfig\nauto: stable\nhostname: a\n"})
	got := run(t, "validate", "-m", "cloud", "-c", "c.yaml", "-o", "json")
	var report map[string]any
	if err := json.Unmarshal([]byte(got.stdout), &report); err != nil {
		t.Fatalf("%v: %s", err, got.stdout)
	}
	errors, _ := report["errors"].([]any)
	if len(errors) != 1 || got.exit != 1 {
		t.Fatalf("exit code %d, errors %v; want 1 and one error", got.exit, errors)
	}
	fault, _ := errors[0].(map[string]any)
	if fault["severity"] != "error" || fault["document"] != "HostnameConfig" {
		t.Errorf("got %v", fault)
	}
	for _, list := range []string{"warnings", "advice"} {
		if diff := cmp.Diff([]any{}, report[list]); diff != "" {
			t.Errorf("%s (-want +got):\n%s", list, diff)
		}
	}
}

func TestValidate_WritesErrorsAndAdviceTogether(t *testing.T) {
	inTempFolder(t, map[string]string{"c.yaml": "apiVersion: v1alpha1\nkind: HostnameConfig\nauto: stable\nhostname: a\n---\napiVersion: v1alpha1\nkind: ResolverConfig\nhostDNS:\n    enabled: true\n"})
	for _, advice := range []string{"show", "error"} {
		got := run(t, "validate", "-m", "cloud", "-c", "c.yaml", "--advice", advice)
		if got.exit != 1 || !strings.Contains(got.stderr, "HostnameConfig") || !strings.Contains(got.stderr, "1.14") {
			t.Errorf("%s: exit %d:\n%s\n%s", advice, got.exit, got.stdout, got.stderr)
		}
	}
}
