package main_test

import (
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
)

// BenchmarkProcess runs whole processes, as a user does. The budgets are 12 ms
// for version, and 18 ms and 40 MB for validate, on a machine with nothing else
// to do.
func BenchmarkProcess(b *testing.B) {
	folder := b.TempDir()
	talosctl := filepath.Join(folder, "talosctl")
	if output, err := exec.Command("go", "build", "-trimpath", "-ldflags=-s -w", "-o", talosctl, ".").CombinedOutput(); err != nil {
		b.Fatalf("%v: %s", err, output)
	}
	secrets, err := filepath.Abs("../../test/vectors/gen/c-default/secrets.yaml")
	if err != nil {
		b.Fatal(err)
	}
	if output, err := exec.Command(talosctl, "gen", "config", "bench", "https://10.5.0.10:6443", "--with-secrets", secrets, "-o", folder).CombinedOutput(); err != nil {
		b.Fatalf("%v: %s", err, output)
	}
	for name, args := range map[string][]string{
		"version":  {"version", "--client"},
		"validate": {"validate", "-m", "metal", "-c", filepath.Join(folder, "controlplane.yaml")},
		"patch":    {"machineconfig", "patch", filepath.Join(folder, "controlplane.yaml"), "-p", "machine: {sysctls: {a: b}}", "-o", filepath.Join(folder, "out.yaml")},
	} {
		b.Run(name, func(b *testing.B) {
			var peak int64
			for b.Loop() {
				command := exec.Command(talosctl, args...)
				if err := command.Run(); err != nil {
					b.Fatal(err)
				}
				peak = max(peak, command.ProcessState.SysUsage().(*syscall.Rusage).Maxrss)
			}
			b.ReportMetric(float64(peak)/1024, "peak-MB")
		})
	}
}
