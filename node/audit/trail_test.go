package audit

import (
	"bytes"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	ichorpb "github.com/ichor-os/ichor/api/ichor"
)

// place is where a trail of a test lies.
type place struct{ records, heads string }

func newPlace(t *testing.T) place {
	t.Helper()
	dir := t.TempDir()
	return place{filepath.Join(dir, "audit"), filepath.Join(dir, "heads")}
}

func (p place) open(t *testing.T, options Options) *Trail {
	t.Helper()
	options.Log, options.Now = slog.New(slog.DiscardHandler), time.Now
	trail := New(options)
	if err := trail.Open(p.records, p.heads); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(trail.Close)
	return trail
}

func calls(n int) []*ichorpb.AuditRecord {
	var out []*ichorpb.AuditRecord
	for i := range n {
		out = append(out, &ichorpb.AuditRecord{Kind: kindCall, Method: "/machine.MachineService/Version", RequestId: fmt.Sprint(i)})
	}
	return out
}

func add(t *testing.T, trail *Trail, n int) {
	t.Helper()
	if err := trail.Append(true, calls(n)...); err != nil {
		t.Fatal(err)
	}
}

func verify(t *testing.T, trail *Trail) *ichorpb.AuditVerification {
	t.Helper()
	found, err := trail.Verify(nil)
	if err != nil {
		t.Fatal(err)
	}
	return found
}

func wantOK(t *testing.T, trail *Trail) *ichorpb.AuditVerification {
	t.Helper()
	found := verify(t, trail)
	if !found.GetOk() {
		t.Errorf("verify: %q", found.GetProblems())
	}
	return found
}

func wantProblem(t *testing.T, trail *Trail, part string) {
	t.Helper()
	found := verify(t, trail)
	if found.GetOk() || !strings.Contains(strings.Join(found.GetProblems(), "\n"), part) {
		t.Errorf("verify: ok %t, problems %q, want one with %q", found.GetOk(), found.GetProblems(), part)
	}
}

// files lists the files of records in order.
func (p place) files(t *testing.T) []string {
	t.Helper()
	all, err := segmentsIn(p.records)
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, s := range all {
		out = append(out, s.path)
	}
	return out
}

// change rewrites the lines of a file in place.
func change(t *testing.T, path string, edit func(lines [][]byte) [][]byte) {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	lines := bytes.SplitAfter(text, []byte("\n"))
	if err := os.WriteFile(path, bytes.Join(edit(lines[:len(lines)-1]), nil), 0o600); err != nil {
		t.Fatal(err)
	}
}

func TestTrail_GoesOnAcrossRestarts(t *testing.T) {
	p := newPlace(t)
	for range 3 {
		trail := p.open(t, Options{})
		add(t, trail, 5)
		trail.Close()
	}
	found := wantOK(t, p.open(t, Options{}))
	if found.GetRecords() != 19 || found.GetFirst() != 1 || found.GetLast() != 19 || len(found.GetGaps()) != 0 {
		t.Errorf("got %v, want records 1 to 19", found)
	}
}

// Each way of tampering shows in a node that runs on, and in one that starts
// again afterwards.
func TestVerify_DetectsTampering(t *testing.T) {
	cases := map[string]struct {
		tamper func(t *testing.T, p place, file string)
		want   string
	}{
		"truncation": {func(t *testing.T, _ place, file string) {
			change(t, file, func(lines [][]byte) [][]byte { return lines[:len(lines)-3] })
		}, "missing"},
		"edit in the middle": {func(t *testing.T, _ place, file string) {
			change(t, file, func(lines [][]byte) [][]byte {
				lines[4] = bytes.Replace(lines[4], []byte("Version"), []byte("Upgrade"), 1)
				return lines
			})
		}, "changed"},
		"edit of the last": {func(t *testing.T, _ place, file string) {
			change(t, file, func(lines [][]byte) [][]byte {
				last := len(lines) - 1
				lines[last] = bytes.Replace(lines[last], []byte("Version"), []byte("Upgrade"), 1)
				return lines
			})
		}, "not the one that was signed"},
		"reorder": {func(t *testing.T, _ place, file string) {
			change(t, file, func(lines [][]byte) [][]byte { lines[3], lines[4] = lines[4], lines[3]; return lines })
		}, "missing"},
		"removal in the middle": {func(t *testing.T, _ place, file string) {
			change(t, file, func(lines [][]byte) [][]byte { return append(lines[:4:4], lines[5:]...) })
		}, "records 5 to 5 are missing"},
		"cut at the beginning": {func(t *testing.T, _ place, file string) {
			change(t, file, func(lines [][]byte) [][]byte { return lines[2:] })
		}, "records 1 to 2 are missing"},
		"a line put in": {func(t *testing.T, _ place, file string) {
			change(t, file, func(lines [][]byte) [][]byte {
				return append(lines[:4:4], append([][]byte{[]byte("{}\n")}, lines[4:]...)...)
			})
		}, "no record"},
		"replacement by another chain": {func(t *testing.T, _ place, file string) {
			other := newPlace(t)
			trail := other.open(t, Options{})
			add(t, trail, 30)
			trail.Close()
			text, err := os.ReadFile(other.files(t)[0])
			if err != nil {
				t.Fatal(err)
			}
			if err := os.Remove(file); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(file, text, 0o600); err != nil {
				t.Fatal(err)
			}
		}, "not the one that was signed"},
		"removal of the file": {func(t *testing.T, _ place, file string) {
			if err := os.Remove(file); err != nil {
				t.Fatal(err)
			}
		}, "missing"},
		"removal of the heads": {func(t *testing.T, p place, file string) {
			if err := os.Remove(filepath.Join(p.heads, headsFile)); err != nil {
				t.Fatal(err)
			}
		}, ""},
	}
	for name, c := range cases {
		t.Run(name+", running", func(t *testing.T) {
			if c.want == "" {
				t.Skip("a running node has the heads in memory")
			}
			p := newPlace(t)
			trail := p.open(t, Options{})
			add(t, trail, 20)
			if err := trail.Sign(); err != nil {
				t.Fatal(err)
			}
			c.tamper(t, p, p.files(t)[0])
			wantProblem(t, trail, c.want)
		})
		t.Run(name+", started again", func(t *testing.T) {
			p := newPlace(t)
			trail := p.open(t, Options{})
			add(t, trail, 20)
			trail.Close()
			c.tamper(t, p, p.files(t)[0])
			trail = p.open(t, Options{})
			add(t, trail, 20)
			if c.want == "" {
				if gaps := verify(t, trail).GetGaps(); len(gaps) != 1 || !strings.Contains(gaps[0], "heads are missing") {
					t.Errorf("gaps %q", gaps)
				}
				return
			}
			wantProblem(t, trail, "")
			trail.Close()
			wantProblem(t, p.open(t, Options{}), "") // and for good
		})
	}
}

func TestVerify_HoldsTheChainAgainstAKnownHead(t *testing.T) {
	p := newPlace(t)
	trail := p.open(t, Options{})
	add(t, trail, 5)
	if err := trail.Sign(); err != nil {
		t.Fatal(err)
	}
	known := wantOK(t, trail).GetHead()
	if !Signed(known) || known.GetSequence() != 6 {
		t.Errorf("head %v", known)
	}
	trail.Close()
	// Whoever owns the disk makes a new trail with a new key.
	for _, folder := range []string{p.records, p.heads} {
		if err := os.RemoveAll(folder); err != nil {
			t.Fatal(err)
		}
	}
	trail = p.open(t, Options{})
	add(t, trail, 20)
	wantOK(t, trail)
	found, err := trail.Verify(known)
	if err != nil || found.GetOk() {
		t.Errorf("verify against a known head: %v, %v", found, err)
	}
}

func TestTrail_RotatesWithinItsBound(t *testing.T) {
	p := newPlace(t)
	trail := p.open(t, Options{SegmentSize: 4 << 10, Segments: 3})
	for range 40 {
		add(t, trail, 5)
	}
	if files := p.files(t); len(files) != 3 {
		t.Errorf("%d files, want 3", len(files))
	}
	if found := wantOK(t, trail); found.GetLast() != 201 || found.GetFirst() == 1 {
		t.Errorf("records %d to %d", found.GetFirst(), found.GetLast())
	}
	trail.Close()
	trail = p.open(t, Options{SegmentSize: 4 << 10, Segments: 3})
	wantOK(t, trail)
	if err := os.Remove(p.files(t)[0]); err != nil {
		t.Fatal(err)
	}
	trail.Close()
	wantProblem(t, p.open(t, Options{}), "missing")
}

func TestOpen_RepairsATornLineAndRecordsIt(t *testing.T) {
	p := newPlace(t)
	trail := p.open(t, Options{})
	add(t, trail, 3)
	trail.Close()
	file, err := os.OpenFile(p.files(t)[0], os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := file.WriteString(`{"sequence":"5","kind":"ca`); err != nil {
		t.Fatal(err)
	}
	file.Close()
	trail = p.open(t, Options{})
	add(t, trail, 3)
	if found := wantOK(t, trail); len(found.GetGaps()) != 1 || !strings.Contains(found.GetGaps()[0], "26 bytes") {
		t.Errorf("gaps %q", found.GetGaps())
	}
}

func TestTrail_AFullDiskLosesCountedRecordsOnly(t *testing.T) {
	p := newPlace(t)
	trail := p.open(t, Options{})
	add(t, trail, 3)
	full := true
	trail.write = func(file *os.File, text []byte) (int, error) {
		if full {
			n, err := file.Write(text[:min(10, len(text))]) // what just fitted
			if err != nil {
				return n, err
			}
			return n, syscall.ENOSPC
		}
		return file.Write(text)
	}
	for range 30 {
		if err := trail.Append(true, calls(100)...); err == nil {
			t.Fatal("a durable record on a full disk: no error")
		}
	}
	if trail.size > RingSize {
		t.Errorf("%d bytes wait in memory, at most %d may", trail.size, RingSize)
	}
	wantOK(t, trail)
	full = false
	add(t, trail, 1)
	found := wantOK(t, trail)
	if len(found.GetGaps()) != 1 || !strings.Contains(found.GetGaps()[0], "no space left") {
		t.Fatalf("gaps %q", found.GetGaps())
	}
	var lost uint64
	v := trail.look()
	defer v.close()
	err := v.each(func(_ []byte, record *ichorpb.AuditRecord, err error) error {
		lost += record.GetLost()
		return err
	})
	// A start, 3 and 1 calls, and the gap itself are there beside the 3000.
	if err != nil || found.GetRecords()+lost != 3000+6 {
		t.Errorf("%d records and %d lost, want 3006 together; %v", found.GetRecords(), lost, err)
	}
}

func TestTrail_KeepsARingUntilTheDiskIsThere(t *testing.T) {
	p := newPlace(t)
	trail := New(Options{Log: slog.New(slog.DiscardHandler), Now: time.Now})
	for range 50 {
		if err := trail.Append(false, calls(100)...); err != nil {
			t.Fatal(err)
		}
	}
	if trail.size > RingSize {
		t.Errorf("%d bytes wait", trail.size)
	}
	if err := trail.Open(p.records, p.heads); err != nil {
		t.Fatal(err)
	}
	defer trail.Close()
	if found := wantOK(t, trail); found.GetRecords() < 1000 || len(found.GetGaps()) != 1 {
		t.Errorf("%d records, gaps %q", found.GetRecords(), found.GetGaps())
	}
}

func TestTrail_AReplacedFileDoesNotSwallowLaterRecords(t *testing.T) {
	p := newPlace(t)
	trail := p.open(t, Options{})
	add(t, trail, 3)
	path := p.files(t)[0]
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, text, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := trail.Sign(); err != nil {
		t.Fatal(err)
	}
	add(t, trail, 3)
	if found := wantOK(t, trail); found.GetRecords() != 8 || len(found.GetGaps()) != 1 {
		t.Errorf("%d records, gaps %q", found.GetRecords(), found.GetGaps())
	}
}

func TestTrail_CutsWhatACallerMadeTooLong(t *testing.T) {
	p := newPlace(t)
	trail := p.open(t, Options{})
	record := &ichorpb.AuditRecord{Kind: kindCall, Method: strings.Repeat("x", 1<<20), Parameters: map[string]string{}}
	for i := range 1000 {
		record.Targets = append(record.Targets, strings.Repeat("\xff", 10_000))
		record.Parameters[fmt.Sprint(i)] = strings.Repeat("\x00", 10_000)
	}
	if err := trail.Append(true, record); err != nil {
		t.Fatal(err)
	}
	wantOK(t, trail)
}

func TestIntake_ARepeatedRequestIsTakenOnce(t *testing.T) {
	p := newPlace(t)
	trail := p.open(t, Options{})
	intake := Intake{Trail: trail}
	for _, batch := range []uint64{1, 1, 2, 2} {
		_, err := intake.Record(t.Context(), &ichorpb.AuditIntakeRequest{Session: "a", Batch: batch, Records: calls(2), Sync: true})
		if err != nil {
			t.Fatal(err)
		}
	}
	if found := wantOK(t, trail); found.GetRecords() != 5 {
		t.Errorf("%d records, want a start and 4 calls", found.GetRecords())
	}
}

func TestTrail_ExportsWhatIsWritten(t *testing.T) {
	var lines []string
	trail := newPlace(t).open(t, Options{Export: func(line []byte) { lines = append(lines, string(line)) }})
	add(t, trail, 2)
	if err := trail.Sign(); err != nil {
		t.Fatal(err)
	}
	if len(lines) != 4 || !strings.Contains(lines[0], `"kind":"start"`) || !strings.HasPrefix(lines[3], `{"kind":"head"`) {
		t.Errorf("exported %q", lines)
	}
}
