package cli_test

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"github.com/ichor-os/ichor/cli"
)

// full is a device without room.
type full struct{}

func (full) Write([]byte) (int, error) { return 0, errors.New("no space left on device") }

func TestRun_FailsIfItsOutputCannotBeWritten(t *testing.T) {
	inTempFolder(t, nil)
	for _, args := range [][]string{
		{"--help"}, {"help"}, {"help", "gen", "config"}, {"gen"}, {"gen", "config", "-h"}, {},
		{"completion", "bash"}, {"version", "--client"}, {"version", "--client", "-o", "yaml"},
	} {
		var stderr bytes.Buffer
		exit := cli.Run(args, strings.NewReader(""), full{}, &stderr, nil)
		if exit != 1 || strings.Count(stderr.String(), "no space left on device") != 1 || strings.Contains(stderr.String(), "Usage:") {
			t.Errorf("%q: exit %d, want 1 and the error once:\n%s", args, exit, stderr.String())
		}
	}
}

// Files that never end are refused, whatever reads them.
func TestRun_RefusesEndlessFiles(t *testing.T) {
	inTempFolder(t, nil)
	mustRun(t, "gen", "ca", "--organization", "ca")
	for _, args := range [][]string{
		{"gen", "csr", "--key", "/dev/zero", "--ip", "127.0.0.1"},
		{"gen", "crt", "--ca", "ca", "--csr", "/dev/zero", "--name", "x"},
		{"gen", "config", "c", "https://a:6443", "--with-secrets", "/dev/zero"},
		{"gen", "secureboot", "database", "--enrolled-certificate", "/dev/zero", "--signing-certificate", "/dev/zero", "--signing-key", "/dev/zero"},
		{"config", "add", "x", "--ca", "/dev/zero", "--crt", "/dev/zero", "--key", "/dev/zero"},
		{"config", "merge", "/dev/zero"},
		{"config", "info", "--talosconfig", "/dev/zero"},
		{"validate", "-m", "metal", "-c", "/dev/zero"},
		{"machineconfig", "patch", "/dev/zero", "-p", "{\"machine\": {}}"},
	} {
		if got := run(t, args...); got.exit != 1 || !strings.Contains(got.stderr, "too large") {
			t.Errorf("%q: exit %d:\n%.300s", args, got.exit, got.stderr)
		}
	}
}

// A text of millions of values is refused before they are made.
func TestRun_RefusesMillionsOfValues(t *testing.T) {
	many := "a: [" + strings.Repeat("a,", 3<<20) + "]"
	inTempFolder(t, map[string]string{"many.yaml": many})
	for _, args := range [][]string{
		{"validate", "-m", "metal", "-c", "many.yaml"},
		{"gen", "config", "c", "https://a:6443", "--with-secrets", "many.yaml"},
		{"gen", "config", "c", "https://a:6443", "--config-patch", "@many.yaml"},
		{"config", "contexts", "--talosconfig", "many.yaml"},
	} {
		if got := run(t, args...); got.exit != 1 || !strings.Contains(got.stderr, "too many values") {
			t.Errorf("%q: exit %d:\n%.300s", args, got.exit, got.stderr)
		}
	}
}
