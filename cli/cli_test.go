package cli_test

import (
	"strings"
	"testing"
)

func TestRun_Streams(t *testing.T) {
	inTempFolder(t, nil)
	for _, test := range []struct {
		name           string
		args           []string
		exit           int
		stdout, stderr string // a part of each; empty: nothing there
	}{
		{"help of a command", []string{"validate", "-h"}, 0, "Usage:", ""},
		{"help command", []string{"help", "gen", "config"}, 0, "talosctl gen config <cluster name>", ""},
		{"unknown topic", []string{"help", "fly"}, 0, "", "unknown help topic"},
		{"near miss", []string{"validat"}, 1, "", "Did you mean this?"},
		{"alias", []string{"mc"}, 0, "machineconfig", ""},
		{"missing argument", []string{"config", "add"}, 1, "", "Usage:"},
		{"wrong switch", []string{"validate", "--strict=maybe"}, 1, "", "Usage:"},
		{"completion", []string{"completion", "bash"}, 0, "__start_talosctl", ""},
		{"version", []string{"version", "--client"}, 0, "\tTag:         v1.13.9\n", ""},
		{"version as JSON", []string{"version", "--client", "--json"}, 0, `"tag": "v1.13.9"`, ""},
		{"version as YAML", []string{"version", "--client", "-o", "yaml"}, 0, "client:\n    tag: v1.13.9\n", ""},
		{"version as table", []string{"version", "--client", "-o", "table"}, 0, "client   v1.13.9 ", ""},
		{"version in two forms", []string{"version", "--client", "--json", "-o", "yaml"}, 1, "", "different forms"},
		{"version in no form", []string{"version", "--client", "-o", "xml"}, 1, "", "unknown output format"},
		{"completion of topics", []string{"__completeNoDesc", "help", "gen", "sec"}, 0, "secrets\nsecureboot\n", "Completion ended"},
	} {
		t.Run(test.name, func(t *testing.T) {
			got := run(t, test.args...)
			if got.exit != test.exit {
				t.Errorf("exit %d, want %d", got.exit, test.exit)
			}
			for _, stream := range []struct{ name, got, want string }{{"output", got.stdout, test.stdout}, {"error", got.stderr, test.stderr}} {
				if (stream.want == "") != (stream.got == "") || !strings.Contains(stream.got, stream.want) {
					t.Errorf("standard %s: %q, want a part %q", stream.name, stream.got, stream.want)
				}
			}
			if test.stdout != "" && test.exit == 0 && strings.Contains(got.stderr, "Usage:") {
				t.Errorf("usage on standard error:\n%s", got.stderr)
			}
		})
	}
}
