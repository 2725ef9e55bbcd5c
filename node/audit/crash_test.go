package audit

import (
	"bufio"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	ichorpb "github.com/ichor-os/ichor/api/ichor"
)

// crashVariable makes the test binary a process that records until it is killed.
const crashVariable = "ICHOR_AUDIT_CRASH"

func TestMain(m *testing.M) {
	if dir := os.Getenv(crashVariable); dir != "" {
		recordForever(dir)
	}
	os.Exit(m.Run())
}

func recordForever(dir string) {
	trail := New(Options{Log: slog.New(slog.DiscardHandler), Now: time.Now, SegmentSize: 8 << 10})
	if err := trail.Open(filepath.Join(dir, "audit"), filepath.Join(dir, "heads")); err != nil {
		panic(err)
	}
	for i := 0; ; i++ {
		err := trail.Append(true, &ichorpb.AuditRecord{Kind: kindCall, RequestId: strconv.Itoa(i), Method: "/machine.MachineService/Reboot"})
		if err != nil {
			panic(err)
		}
		if i%5 == 0 {
			if err := trail.Sign(); err != nil {
				panic(err)
			}
		}
		// The line is the answer that a caller got.
		if _, err := os.Stdout.WriteString(strconv.Itoa(i) + "\n"); err != nil {
			panic(err)
		}
	}
}

func TestTrail_KilledAtAnyMomentHoldsWhatWasAnswered(t *testing.T) {
	for after := 1; after < 60; after += 7 {
		dir := t.TempDir()
		child := exec.Command(os.Args[0])
		child.Env = append(os.Environ(), crashVariable+"="+dir)
		out, err := child.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := child.Start(); err != nil {
			t.Fatal(err)
		}
		answered := -1
		for lines := bufio.NewScanner(out); lines.Scan(); {
			n, err := strconv.Atoi(strings.TrimSpace(lines.Text()))
			if err != nil {
				t.Fatal(err)
			}
			answered = n
			if n == after {
				_ = child.Process.Kill()
			}
		}
		_ = child.Wait() // it was killed
		trail := place{filepath.Join(dir, "audit"), filepath.Join(dir, "heads")}.open(t, Options{})
		wantOK(t, trail)
		there := map[string]bool{}
		v := trail.look()
		err = v.each(func(_ []byte, record *ichorpb.AuditRecord, err error) error {
			there[record.GetRequestId()] = true
			return err
		})
		v.close()
		if err != nil {
			t.Fatal(err)
		}
		for i := range answered + 1 {
			if !there[strconv.Itoa(i)] {
				t.Errorf("killed after %d: record %d was answered and is lost", after, i)
			}
		}
	}
}
