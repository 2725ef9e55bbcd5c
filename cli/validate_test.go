package cli_test

import (
	"encoding/json"
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
