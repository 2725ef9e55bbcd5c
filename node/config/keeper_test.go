package config

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ichor-os/ichor/api/applyconfig"
)

func TestCutting_ComesBackWhenNothingConfirmsIt(t *testing.T) {
	bubble(t, func(t *testing.T, disk *memory) {
		m := start(t, disk, badGateway)
		answer := m.mustApply(patched(t, cutting), auto)
		if answer.GetMode() != noReboot || !strings.Contains(answer.GetModeDetails(), "cut the node off") {
			t.Errorf("answer = %v", answer)
		}
		if !badGateway(m.active()) || m.diagnostics() != waitingFinding {
			t.Errorf("not in force, or not shown: %q", m.diagnostics())
		}
		time.Sleep(DefaultBound - time.Second)
		if !badGateway(m.active()) {
			t.Error("it was taken back too early")
		}
		time.Sleep(20 * time.Second)
		synctest.Wait()
		if badGateway(m.active()) || badGateway(disk.file(storedFile)) || disk.file(pendingFile) != "" {
			t.Error("the last good config is not back")
		}
		if m.diagnostics() != revertedFinding || !strings.Contains(m.lastTold(), "gateway") {
			t.Errorf("diagnostics %q, told %q", m.diagnostics(), m.lastTold())
		}
		if refused := disk.file(refusedFile); !badGateway(refused) || !strings.HasPrefix(refused, refusedMark) {
			t.Errorf("refused config is not kept: %q", refused)
		}
		// It is still told after a restart, until another config is applied.
		m.stop()
		m = start(t, disk, badGateway)
		if m.diagnostics() != revertedFinding {
			t.Errorf("diagnostics after a restart: %q", m.diagnostics())
		}
		m.mustApply(patched(t, harmless), auto)
		if m.diagnostics() != "" {
			t.Errorf("diagnostics after a good config: %q", m.diagnostics())
		}
	})
}

func TestCutting_IsNeverTakenBackWhenAllWorks(t *testing.T) {
	bubble(t, func(t *testing.T, disk *memory) {
		m := start(t, disk, nil)
		m.mustApply(patched(t, cutting), auto)
		time.Sleep(time.Hour)
		synctest.Wait()
		if !badGateway(m.active()) || !badGateway(disk.file(goodFile)) || disk.file(pendingFile) != "" || m.diagnostics() != "" {
			t.Errorf("it is not confirmed: %q", m.diagnostics())
		}
	})
}

// A client that asks at once must not take a change that is not made yet for one
// that is confirmed.
func TestCutting_ShowsThatItWaitsBeforeTheAnswer(t *testing.T) {
	bubble(t, func(t *testing.T, disk *memory) {
		m := start(t, disk, nil)
		if _, err := m.apply(patched(t, cutting), auto); err != nil || m.diagnostics() != waitingFinding || badGateway(m.active()) {
			t.Errorf("error %v, diagnostics %q, in force %v", err, m.diagnostics(), badGateway(m.active()))
		}
		time.Sleep(answerFirst + time.Millisecond)
		synctest.Wait()
		if !badGateway(m.active()) {
			t.Error("it is not in force after the answer")
		}
	})
}

func TestHarmless_IsNotPending(t *testing.T) {
	bubble(t, func(t *testing.T, disk *memory) {
		m := start(t, disk, func(string) bool { return true }) // whatever happens outside
		m.mustApply(patched(t, harmless), noReboot)
		if disk.file(pendingFile) != "" {
			t.Error("a harmless change waits for confirmation")
		}
		time.Sleep(time.Hour)
		if !strings.Contains(m.active(), "rack: a") || m.reboots.Load() != 0 {
			t.Error("a harmless change was taken back")
		}
	})
}

func TestCutting_IsConfirmedByACallAfterItTookEffect(t *testing.T) {
	for _, test := range []struct {
		name  string
		after time.Duration
		stays bool
	}{
		{"a call on the network of before", time.Second, false},
		{"a call on the new network", 10 * time.Second, true},
	} {
		t.Run(test.name, func(t *testing.T) {
			bubble(t, func(t *testing.T, disk *memory) {
				m := start(t, disk, badGateway)
				m.mustApply(patched(t, cutting), auto)
				time.Sleep(test.after)
				m.Keeper.Reached(administrator)
				time.Sleep(time.Hour)
				if badGateway(m.active()) != test.stays {
					t.Errorf("in force: %v, want %v", !test.stays, test.stays)
				}
			})
		})
	}
}

func TestCutting_IsNotConfirmedByTheNodeItself(t *testing.T) {
	bubble(t, func(t *testing.T, disk *memory) {
		m := start(t, disk, badGateway)
		m.mustApply(patched(t, cutting), auto)
		time.Sleep(10 * time.Second)
		for _, from := range []string{"127.0.0.1", "::1"} {
			m.Keeper.Reached(mustAddr(from))
		}
		if m.diagnostics() != waitingFinding {
			t.Error("a call from the node confirmed it")
		}
	})
}

func TestCutting_BoundIsTheClients(t *testing.T) {
	bubble(t, func(t *testing.T, disk *memory) {
		m := start(t, disk, badGateway)
		for _, bad := range []string{"1s", "2h", "soon"} {
			if _, err := m.apply(patched(t, cutting), auto, applyconfig.BoundKey, bad); err == nil {
				t.Errorf("%s is taken", bad)
			}
		}
		m.mustApply(patched(t, cutting), auto, applyconfig.BoundKey, "20s")
		time.Sleep(40 * time.Second)
		if badGateway(m.active()) {
			t.Error("it is still in force")
		}
	})
}

// Two changes in a row: the way back leads before both.
func TestCutting_ASecondOneGoesBackToTheGoodOne(t *testing.T) {
	bubble(t, func(t *testing.T, disk *memory) {
		m := start(t, disk, badGateway)
		m.mustApply(patched(t, cutting), auto)
		m.mustApply(patched(t, cutting, harmless), auto)
		if disk.file(pendingFile) == "" {
			t.Fatal("what is in force is not known to be good, but it does not wait")
		}
		time.Sleep(time.Hour)
		if badGateway(m.active()) || strings.Contains(m.active(), "rack: a") {
			t.Error("the config of before both is not back")
		}
	})
}

func TestCutting_GoesOnAfterARestart(t *testing.T) {
	bubble(t, func(t *testing.T, disk *memory) {
		m := start(t, disk, badGateway)
		m.mustApply(patched(t, cutting), auto)
		time.Sleep(30 * time.Second)
		m.stop()
		m = start(t, disk, badGateway)
		if !badGateway(m.active()) || m.diagnostics() != waitingFinding {
			t.Fatal("the config is not in force any more, or does not wait")
		}
		time.Sleep(DefaultBound - 32*time.Second)
		if !badGateway(m.active()) {
			t.Error("it was taken back too early")
		}
		time.Sleep(20 * time.Second)
		if badGateway(m.active()) || m.diagnostics() != revertedFinding {
			t.Error("it was not taken back")
		}
	})
}

// However long the node was down, a good config has its chance.
func TestCutting_AGoodOneSurvivesALongRestart(t *testing.T) {
	bubble(t, func(t *testing.T, disk *memory) {
		m := start(t, disk, nil)
		m.mustApply(patched(t, cutting), auto)
		m.stop()
		time.Sleep(24 * time.Hour)
		m = start(t, disk, nil)
		time.Sleep(time.Hour)
		if !badGateway(m.active()) || m.diagnostics() != "" {
			t.Error("a good config was taken back")
		}
	})
}

func TestCutting_ANodeThatFallsAgainAndAgainGoesBack(t *testing.T) {
	bubble(t, func(t *testing.T, disk *memory) {
		start(t, disk, nil).mustApply(patched(t, cutting), auto)
		for range maxStarts {
			m := start(t, disk, nil)
			if !badGateway(m.active()) {
				t.Fatal("it went back too early")
			}
			m.stop()
		}
		m := start(t, disk, nil)
		if badGateway(m.active()) || m.diagnostics() != revertedFinding {
			t.Error("the last good config is not back")
		}
	})
}

func TestCutting_WithARebootWaitsAfterIt(t *testing.T) {
	for _, how := range []mode{rebooted, staged} {
		t.Run(how.String(), func(t *testing.T) {
			bubble(t, func(t *testing.T, disk *memory) {
				m := start(t, disk, badGateway)
				m.mustApply(patched(t, cutting, restart), how)
				if badGateway(m.active()) || (m.reboots.Load() == 1) != (how == rebooted) {
					t.Errorf("in force %v, reboots %d", badGateway(m.active()), m.reboots.Load())
				}
				time.Sleep(time.Hour)
				m.stop()
				m = start(t, disk, badGateway)
				if !badGateway(m.active()) {
					t.Fatal("not in force after a restart")
				}
				time.Sleep(DefaultBound + 20*time.Second)
				if badGateway(m.active()) || m.reboots.Load() != 1 {
					t.Errorf("not taken back, or without the reboot that it takes: %d", m.reboots.Load())
				}
			})
		})
	}
}

// The power fails after each write of a change, of its confirmation, of its
// end. The node starts with one of the two configs; a new one that cuts it off
// does not stay.
func TestCutting_PowerFailsAtAnyWrite(t *testing.T) {
	for writes := range 12 {
		bubble(t, func(t *testing.T, disk *memory) {
			m := start(t, disk, badGateway)
			disk.failAfter(writes)
			_, err := m.apply(patched(t, cutting), auto)
			time.Sleep(time.Hour)
			m.stop()
			disk.failAfter(-1)
			if err != nil && badGateway(m.active()) {
				t.Errorf("after %d writes: refused, but in force", writes)
			}
			m = start(t, disk, badGateway)
			time.Sleep(time.Hour)
			synctest.Wait()
			if badGateway(m.active()) || badGateway(disk.file(storedFile)) || disk.file(pendingFile) != "" {
				t.Errorf("after %d writes: the node stays cut off", writes)
			}
			if m.Keeper.Load() == nil {
				t.Errorf("after %d writes: the node has no config", writes)
			}
		})
	}
}

// The same, with a second change on top of an unconfirmed one.
func TestCutting_PowerFailsAtAnyWriteOfASecondChange(t *testing.T) {
	for writes := range 12 {
		bubble(t, func(t *testing.T, disk *memory) {
			m := start(t, disk, badGateway)
			m.mustApply(patched(t, cutting), auto)
			disk.failAfter(writes)
			_, _ = m.apply(patched(t, cutting, further), auto)
			m.stop()
			disk.failAfter(-1)
			m = start(t, disk, badGateway)
			time.Sleep(time.Hour)
			if badGateway(m.active()) || strings.Contains(m.active(), "eth1") {
				t.Errorf("after %d writes: the node stays cut off", writes)
			}
		})
	}
}

// A good config survives a failure of the power at any write of its
// confirmation.
func TestCutting_PowerFailsWhileAGoodOneIsConfirmed(t *testing.T) {
	for writes := range 6 {
		bubble(t, func(t *testing.T, disk *memory) {
			m := start(t, disk, nil)
			m.mustApply(patched(t, cutting), auto)
			disk.failAfter(writes)
			time.Sleep(time.Hour)
			m.stop()
			disk.failAfter(-1)
			m = start(t, disk, nil)
			time.Sleep(time.Hour)
			if !badGateway(m.active()) {
				t.Errorf("after %d writes: a good config was taken back", writes)
			}
		})
	}
}

func TestLoad_DamagedConfig(t *testing.T) {
	good := string(sample())
	for _, test := range []struct {
		name, stored, good string
		starts             bool
	}{
		{"nothing", "", "", false},
		{"damaged, with a good copy", "machine: [", good, true},
		{"damaged, without one", "machine: [", "", false},
		{"both damaged", "machine: [", "}", false},
		{"a damaged copy does not matter", good, "}", true},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				disk := newMemory()
				for name, text := range map[string]string{storedFile: test.stored, goodFile: test.good} {
					if text != "" {
						disk.files[name] = text
					}
				}
				m := start(t, disk, nil)
				m.Keeper.Show()
				if got := m.active() != ""; got != test.starts {
					t.Errorf("starts: %v, want %v", got, test.starts)
				}
				damaged := test.stored == "machine: ["
				if strings.Contains(m.diagnostics(), damagedFinding) != damaged || (m.lastTold() != "") != damaged {
					t.Errorf("diagnostics %q, told %q", m.diagnostics(), m.lastTold())
				}
				if damaged && !strings.Contains(disk.file(refusedFile), test.stored) {
					t.Error("the damaged config is not kept")
				}
				// The next start has no trouble, and a new config ends it.
				if test.starts {
					if disk.file(storedFile) != good || disk.file(goodFile) != good {
						t.Error("the good config is not stored")
					}
					m.mustApply(patched(t, harmless), auto)
					if m.diagnostics() != "" {
						t.Errorf("diagnostics after a new config: %q", m.diagnostics())
					}
				}
			})
		})
	}
}
