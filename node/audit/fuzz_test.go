package audit

import (
	"log/slog"
	"os"
	"testing"
	"time"

	ichorpb "github.com/ichor-os/ichor/api/ichor"
)

// Whatever lies in the file, a trail opens over it, goes on, and never calls
// good what is not the chain that it wrote.
func FuzzOpen_AnyFileIsSurvived(f *testing.F) {
	line, err := encode(calls(1)[0])
	if err != nil {
		f.Fatal(err)
	}
	f.Add([]byte{})
	f.Add([]byte("\n\n{}\n"))
	f.Add([]byte(`{"sequence":"1"}` + "\n" + `{"sequence":"18446744073709551615"}` + "\n"))
	f.Add(append(line, '\n'))
	f.Fuzz(func(t *testing.T, content []byte) {
		p := newPlace(t)
		for _, folder := range []string{p.records} {
			if err := os.MkdirAll(folder, 0o700); err != nil {
				t.Fatal(err)
			}
		}
		if err := os.WriteFile(segmentPath(p.records, 1), content, 0o600); err != nil {
			t.Fatal(err)
		}
		trail := New(Options{Log: slog.New(slog.DiscardHandler), Now: time.Now})
		if err := trail.Open(p.records, p.heads); err != nil {
			t.Fatal(err)
		}
		defer trail.Close()
		add(t, trail, 3)
		if _, err := trail.Verify(nil); err != nil {
			t.Fatal(err)
		}
		v := trail.look()
		defer v.close()
		if err := v.each(func([]byte, *ichorpb.AuditRecord, error) error { return nil }); err != nil {
			t.Fatal(err)
		}
	})
}
