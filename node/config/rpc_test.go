package config

import (
	"net/netip"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/ichor-os/ichor/api/applyconfig"
	machinepb "github.com/ichor-os/ichor/api/machine"
)

func mustAddr(text string) netip.Addr { return netip.MustParseAddr(text) }

func TestApplyConfiguration_Modes(t *testing.T) {
	for _, test := range []struct {
		name            string
		patch           string
		mode            mode
		code            codes.Code
		answer          mode
		active, stored  bool
		reboots         int32
		details, refuse string
	}{
		{"harmless by itself", harmless, auto, codes.OK, noReboot, true, true, 0, "without a reboot", ""},
		{"harmless without a reboot", harmless, noReboot, codes.OK, noReboot, true, true, 0, "without a reboot", ""},
		{"harmless with a reboot", harmless, rebooted, codes.OK, rebooted, false, true, 1, "reboots", ""},
		{"harmless later", harmless, staged, codes.OK, staged, false, true, 0, "next reboot", ""},
		{"harmless for a while", harmless, tried, codes.OK, tried, true, false, 0, "for 1m0s", ""},
		{"needs a reboot", restart, auto, codes.OK, rebooted, false, true, 1, "reboots", ""},
		{"needs one that it may not have", restart, noReboot, codes.FailedPrecondition, 0, false, false, 0, "", "machine.token"},
		{"needs one while tried", restart, tried, codes.FailedPrecondition, 0, false, false, 0, "", "machine.token"},
	} {
		t.Run(test.name, func(t *testing.T) {
			bubble(t, func(t *testing.T, disk *memory) {
				m := start(t, disk, nil)
				text := patched(t, test.patch)
				answer, err := m.apply(text, test.mode)
				if status.Code(err) != test.code {
					t.Fatalf("error = %v, want %s", err, test.code)
				}
				if err != nil {
					if !strings.Contains(err.Error(), test.refuse) {
						t.Errorf("%q does not name %s", err, test.refuse)
					}
					return
				}
				if answer.GetMode() != test.answer || !strings.Contains(answer.GetModeDetails(), test.details) {
					t.Errorf("answer = %v", answer)
				}
				if active := m.active() == string(text); active != test.active {
					t.Errorf("in force: %v, want %v", active, test.active)
				}
				if stored := disk.file(storedFile) == string(text); stored != test.stored || m.reboots.Load() != test.reboots {
					t.Errorf("stored %v, reboots %d; want %v, %d", stored, m.reboots.Load(), test.stored, test.reboots)
				}
			})
		})
	}
}

func TestApplyConfiguration_TriedConfigEnds(t *testing.T) {
	for _, test := range []struct {
		name   string
		second func(m *machine)
		active string // a part of the config in force at the end
	}{
		{"by time", func(*machine) {}, ""},
		{"with a dry run it still does", func(m *machine) {
			_, _ = m.ApplyConfiguration(m.t.Context(), &machinepb.ApplyConfigurationRequest{Data: patched(m.t, harmless), Mode: auto, DryRun: true})
		}, ""},
		{"by another trial, then by time", func(m *machine) { m.mustApply(patched(m.t, "machine: {nodeLabels: {rack: b}}"), tried) }, ""},
		{"not, when it is applied", func(m *machine) { m.mustApply(patched(m.t, harmless), auto) }, "rack: a"},
		{"not, when another is applied", func(m *machine) { m.mustApply(patched(m.t, "machine: {nodeLabels: {rack: b}}"), auto) }, "rack: b"},
		{"also with one staged", func(m *machine) { m.mustApply(patched(m.t, restart), staged) }, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			bubble(t, func(t *testing.T, disk *memory) {
				m := start(t, disk, nil)
				before := m.active()
				m.mustApply(patched(t, harmless), tried)
				time.Sleep(30 * time.Second)
				if !strings.Contains(m.active(), "rack: a") {
					t.Fatal("it is not in force")
				}
				test.second(m)
				time.Sleep(time.Hour)
				if test.active == "" && m.active() != before || !strings.Contains(m.active(), test.active) {
					t.Errorf("in force at the end:\n%s", m.active())
				}
			})
		})
	}
}

func TestApplyConfiguration_TriedConfigIsGoneAfterARestart(t *testing.T) {
	bubble(t, func(t *testing.T, disk *memory) {
		m := start(t, disk, nil)
		m.mustApply(patched(t, harmless), tried)
		m.stop()
		if m = start(t, disk, nil); strings.Contains(m.active(), "rack: a") {
			t.Error("a config that was tried survived a restart")
		}
	})
}

func TestApplyConfiguration_FirstConfig(t *testing.T) {
	for _, test := range []struct {
		name   string
		mode   mode
		dryRun bool
		code   codes.Code
		first  int
	}{
		{"goes in force", auto, false, codes.OK, 1},
		{"cannot be tried", tried, false, codes.FailedPrecondition, 0},
		{"dry run", auto, true, codes.OK, 0},
	} {
		t.Run(test.name, func(t *testing.T) {
			text := sample()
			synctest.Test(t, func(t *testing.T) {
				disk := newMemory()
				m := start(t, disk, nil)
				_, err := m.ApplyConfiguration(t.Context(), &machinepb.ApplyConfigurationRequest{Data: text, Mode: test.mode, DryRun: test.dryRun})
				if status.Code(err) != test.code {
					t.Fatalf("error = %v, want %s", err, test.code)
				}
				if stored := disk.file(storedFile) != ""; m.first != test.first || stored != (test.first == 1) {
					t.Errorf("first %d, stored %v; want %d", m.first, stored, test.first)
				}
			})
		})
	}
}

func TestApplyConfiguration_SecondAdministratorSeesAConflict(t *testing.T) {
	bubble(t, func(t *testing.T, disk *memory) {
		m := start(t, disk, nil)
		base := applyconfig.Digest([]byte(m.documents("persistent")))
		m.mustApply(patched(t, harmless), auto, applyconfig.BaseKey, base)
		_, err := m.apply(patched(t, "machine: {nodeLabels: {rack: b}}"), auto, applyconfig.BaseKey, base)
		if status.Code(err) != codes.Aborted || !strings.Contains(m.active(), "rack: a") {
			t.Errorf("error = %v, want Aborted and nothing changed", err)
		}
		// A client that does not say what it began with is not stopped.
		m.mustApply(patched(t, "machine: {nodeLabels: {rack: c}}"), auto)
	})
}

func TestBR12_ConfigWithoutMainDocument(t *testing.T) {
	part := []byte("apiVersion: v1alpha1\nkind: KmsgLogConfig\nname: remote\nurl: udp://10.5.0.1:514\n")
	full := sample()
	synctest.Test(t, func(t *testing.T) {
		disk := newMemory()
		m := start(t, disk, nil)
		answer := m.mustApply(part, rebooted)
		if !strings.Contains(answer.GetModeDetails(), "stays in maintenance") || !strings.Contains(disk.file(storedFile), "KmsgLogConfig") {
			t.Errorf("details = %q, want that the node stays in maintenance", answer.GetModeDetails())
		}
		m.stop()
		m = start(t, disk, nil)
		if m.active() != "" || m.first != 0 {
			t.Error("the next start takes it for a config")
		}
		// A complete one ends maintenance as if nothing had been there.
		m.mustApply(full, auto)
		if m.first != 1 {
			t.Errorf("first %d, want 1", m.first)
		}
		if _, err := m.apply(part, auto); status.Code(err) != codes.InvalidArgument || !strings.Contains(err.Error(), "v1alpha1") {
			t.Errorf("after that = %v, want InvalidArgument that names the document", err)
		}
	})
}

func TestBR14_DryRunShowsChangesInAllDocuments(t *testing.T) {
	bubble(t, func(t *testing.T, disk *memory) {
		m := start(t, disk, nil)
		before := m.active()
		text := append(patched(t, harmless), "---\napiVersion: v1alpha1\nkind: NetworkDefaultActionConfig\ningress: block\n"...)
		answer, err := m.ApplyConfiguration(t.Context(), &machinepb.ApplyConfigurationRequest{Data: text, Mode: auto, DryRun: true})
		if err != nil {
			t.Fatal(err)
		}
		got := answer.GetMessages()[0]
		for _, want := range []string{"Dry run", "NetworkDefaultActionConfig: added", "ingress: block", "machine.nodeLabels", "may cut the network"} {
			if !strings.Contains(got.GetModeDetails(), want) {
				t.Errorf("%q is not in:\n%s", want, got.GetModeDetails())
			}
		}
		if got.GetMode() != noReboot || m.active() != before || disk.file(storedFile) != string(sample()) {
			t.Error("something was changed, or the mode is not what it would be")
		}
	})
}

func TestApplyConfiguration_SecretsAreNotShown(t *testing.T) {
	bubble(t, func(t *testing.T, disk *memory) {
		m := start(t, disk, nil)
		answer, err := m.ApplyConfiguration(t.Context(), &machinepb.ApplyConfigurationRequest{Data: patched(t, restart), Mode: auto, DryRun: true})
		if err != nil {
			t.Fatal(err)
		}
		if text := answer.GetMessages()[0].GetModeDetails(); strings.Contains(text, "0123456789abcdef") || !strings.Contains(text, "machine.token") {
			t.Errorf("details:\n%s", text)
		}
	})
}
