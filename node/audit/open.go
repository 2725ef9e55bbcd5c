package audit

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/types/known/timestamppb"

	ichorpb "github.com/ichor-os/ichor/api/ichor"
)

// Folders of a node's audit trail.
const (
	Folder      = "/var/log/ichor/audit"
	HeadsFolder = "/system/state/audit"
)

// Open begins to write to folder, with the heads in headsFolder: it goes on
// where the chain there ends. A line that a crash cut off is taken away, and
// what is missing is recorded as a gap.
func (t *Trail) Open(folder, headsFolder string) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.folder != "" {
		return errors.New("open audit trail: it is open")
	}
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return fmt.Errorf("make folder of audit records: %w", err)
	}
	heads, err := openHeads(headsFolder)
	if err != nil {
		return err
	}
	t.heads = heads
	gaps, err := t.resume(folder)
	if err != nil {
		return err
	}
	t.folder = folder
	// The gaps come first: they are about what was before this start.
	early, now := t.waiting, timestamppb.New(t.options.Now())
	t.waiting, t.size = nil, 0
	for _, gap := range gaps {
		t.options.Log.Warn("audit trail has a gap", "reason", gap)
		t.push(&ichorpb.AuditRecord{Kind: kindGap, Reason: gap, Time: now})
	}
	t.push(&ichorpb.AuditRecord{Kind: kindStart, Time: now})
	for _, record := range early {
		t.push(record)
	}
	if err := t.settle(true); err != nil {
		t.options.Log.Error("audit records are kept in memory, it will be tried again", "error", err)
	}
	return nil
}

// resume finds the end of the chain in the files, and what does not fit there.
func (t *Trail) resume(folder string) (gaps []string, err error) {
	t.sequence, t.hash, t.segments = 0, "", nil
	all, err := segmentsIn(folder)
	if err != nil {
		return nil, err
	}
	for len(all) > 0 {
		last := all[len(all)-1]
		end, err := readTail(last.path)
		if err != nil {
			return nil, err
		}
		if end.torn > 0 {
			gaps = append(gaps, fmt.Sprintf("the last %d bytes of %s were no whole record", end.torn, filepath.Base(last.path)))
			if err := os.Truncate(last.path, end.whole); err != nil {
				return nil, fmt.Errorf("repair audit records: %w", err)
			}
		}
		if end.last != nil {
			t.sequence, t.hash = end.last.GetSequence(), end.hash
			if err := t.reopen(last, end.whole); err != nil {
				return nil, err
			}
			break
		}
		if err := os.Remove(last.path); err != nil {
			return nil, fmt.Errorf("repair audit records: %w", err)
		}
		all = all[:len(all)-1]
	}
	t.segments = all
	return append(gaps, t.compare()...), nil
}

// compare holds the end of the chain against the newest head.
func (t *Trail) compare() (gaps []string) {
	if t.heads.damage != "" {
		gaps = append(gaps, t.heads.damage)
	}
	switch head := t.heads.newest(); {
	case head == nil && t.sequence > 0:
		gaps = append(gaps, "the signed heads are missing")
	case head == nil:
	case head.GetSequence() > t.sequence:
		gaps = append(gaps, fmt.Sprintf("records %d to %d are missing: they were signed", t.sequence+1, head.GetSequence()))
		t.sequence = head.GetSequence()
	case head.GetSequence() == t.sequence && head.GetHash() != t.hash:
		gaps = append(gaps, fmt.Sprintf("record %d is not the one that was signed", t.sequence))
	}
	return gaps
}

func (t *Trail) reopen(s segment, length int64) error {
	file, err := os.OpenFile(s.path, os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return fmt.Errorf("open audit records: %w", err)
	}
	t.file, t.length = file, length
	return nil
}

// rotate begins a new file and drops the oldest beyond the bound.
func (t *Trail) rotate() error {
	if t.file != nil {
		if err := t.settleDisk(); err != nil {
			return err
		}
	}
	next := segment{t.sequence + 1, segmentPath(t.folder, t.sequence+1)}
	file, err := os.OpenFile(next.path, os.O_CREATE|os.O_EXCL|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return fmt.Errorf("begin file of audit records: %w", err)
	}
	// The name of the file must outlive a crash as its records do.
	if err := syncFolder(t.folder); err != nil {
		return errors.Join(err, file.Close(), os.Remove(next.path))
	}
	if t.file != nil {
		if err := t.file.Close(); err != nil {
			t.options.Log.Warn("file of audit records is not closed", "error", err)
		}
	}
	t.file, t.length = file, 0
	t.segments = append(t.segments, next)
	if err := t.drop(); err != nil {
		t.options.Log.Warn("old audit records are kept, it will be tried again", "error", err)
	}
	return nil
}

func syncFolder(path string) error {
	folder, err := os.Open(path)
	if err != nil {
		return fmt.Errorf("begin file of audit records: %w", err)
	}
	return errors.Join(folder.Sync(), folder.Close())
}

// drop removes the oldest files beyond the bound. Where the records begin then is
// signed first, so that nobody else can cut the trail at its beginning.
func (t *Trail) drop() error {
	excess := len(t.segments) - t.options.Segments
	if excess <= 0 {
		return nil
	}
	end, err := readTail(t.segments[excess-1].path)
	if err != nil {
		return err
	}
	if end.last != nil && end.last.GetSequence() > t.heads.anchor().GetSequence() {
		head, err := t.heads.add(t.options.Now(), end.last.GetSequence(), end.hash, true)
		if err != nil {
			return err
		}
		t.exportHead(head)
	}
	for len(t.segments) > t.options.Segments {
		if err := os.Remove(t.segments[0].path); err != nil && !errors.Is(err, os.ErrNotExist) {
			return fmt.Errorf("drop old audit records: %w", err)
		}
		t.segments = t.segments[1:]
	}
	return nil
}

func (t *Trail) exportHead(head *ichorpb.AuditHead) {
	if t.options.Export == nil {
		return
	}
	if line, err := protojson.Marshal(head); err == nil {
		t.options.Export(append([]byte(`{"kind":"head","head":`), append(line, '}')...))
	}
}
