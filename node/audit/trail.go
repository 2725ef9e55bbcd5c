// Package audit keeps a record of every call of the node's API.
//
// A Trail takes records from apid, chains them – each holds the SHA-256 of the
// line before – and writes them as lines of JSON to rotated, bounded files. Until
// the disk is there they wait in memory. Once a minute, and at the end, the head
// of the chain is signed with the node's key and kept in another place, so that
// cutting, editing, reordering or replacing the files shows: Verify tells. A disk
// that refuses to be written stops nothing; what was lost meanwhile is counted,
// and recorded as a gap.
//
// Main types: Trail, RPC, Intake. What a record holds is in api/ichor. Who may
// read the trail is decided in node/access.
package audit

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
	"time"

	"google.golang.org/protobuf/types/known/timestamppb"

	ichorpb "github.com/ichor-os/ichor/api/ichor"
)

const (
	// RingSize bounds the records that wait in memory, in bytes.
	RingSize = 1 << 20
	// SegmentSize bounds a file of records, in bytes.
	SegmentSize = 4 << 20
	// Segments is how many files are kept.
	Segments = 16
	// headEvery is how often the head of the chain is signed.
	headEvery = time.Minute
	// retryEvery is how often a disk that refused is tried again.
	retryEvery = time.Second
)

// Options are what a Trail works with.
type Options struct {
	Log *slog.Logger
	Now func() time.Time
	// Export gets each line that was written, without its newline, and each
	// signed head, in order. It must not wait. May be nil.
	Export func(line []byte)
	// SegmentSize and Segments replace the bounds of this package if not zero.
	SegmentSize int64
	Segments    int
}

// Trail is the audit trail of a node. Make it with New; it is safe for use by
// many goroutines.
type Trail struct {
	options Options

	mu      sync.Mutex
	waiting []*ichorpb.AuditRecord // not on disk yet
	size    int                    // of what waits, in bytes
	lost    uint64                 // dropped since the last that waits
	reason  string                 // why records wait or are lost

	folder   string // empty until Open
	heads    *heads
	segments []segment
	file     *os.File
	length   int64  // of the file
	sequence uint64 // of the last record
	hash     string // of the last record's line
	dirty    bool   // written, not synced

	session string // of the last intake
	batch   uint64

	// write and sync stand for those of a file, for tests.
	write func(*os.File, []byte) (int, error)
	sync  func(*os.File) error
}

// New makes a trail that keeps records in memory.
func New(options Options) *Trail {
	if options.SegmentSize == 0 {
		options.SegmentSize = SegmentSize
	}
	if options.Segments == 0 {
		options.Segments = Segments
	}
	return &Trail{
		options: options, reason: "the disk was not there yet",
		write: (*os.File).Write, sync: (*os.File).Sync,
	}
}

// Append adds records. With durable they are on disk when it returns nil; an
// error says that they are in memory and will be written later.
func (t *Trail) Append(durable bool, records ...*ichorpb.AuditRecord) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, record := range records {
		t.enqueue(record)
	}
	return t.settle(durable)
}

// Lost counts records that were lost before they came here.
func (t *Trail) Lost(n uint64, reason string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.gap(n, reason)
}

func (t *Trail) gap(n uint64, reason string) {
	t.enqueue(&ichorpb.AuditRecord{Kind: kindGap, Lost: n, Reason: reason})
}

func (t *Trail) enqueue(record *ichorpb.AuditRecord) {
	if record.GetTime() == nil {
		record.Time = timestamppb.New(t.options.Now())
	}
	trim(record)
	size := weight(record)
	if t.size+size > RingSize {
		// The oldest of what waits are the ones that tell how it began.
		t.lost += max(1, record.GetLost())
		return
	}
	if t.lost > 0 {
		t.push(&ichorpb.AuditRecord{Kind: kindGap, Lost: t.lost, Reason: t.reason, Time: record.GetTime()})
		t.lost = 0
	}
	t.push(record)
}

func (t *Trail) push(record *ichorpb.AuditRecord) {
	t.waiting, t.size = append(t.waiting, record), t.size+weight(record)
}

// weight is about what a record takes in memory and on disk, in bytes.
func weight(record *ichorpb.AuditRecord) int {
	n := 512 + len(record.Method) + len(record.Error) + len(record.Reason)
	for _, target := range record.Targets {
		n += len(target)
	}
	for key, value := range record.Parameters {
		n += len(key) + len(value)
	}
	return n
}

// settle writes what waits, if there is a disk.
func (t *Trail) settle(durable bool) error {
	if t.folder == "" {
		if durable {
			return errors.New("write audit record: the disk is not there yet")
		}
		return nil
	}
	err := t.flush()
	if err == nil && durable {
		err = t.settleDisk()
	}
	if err != nil {
		t.reason = err.Error()
	}
	return err
}

func (t *Trail) settleDisk() error {
	if !t.dirty {
		return nil
	}
	if err := t.sync(t.file); err != nil {
		return fmt.Errorf("write audit records: %w", err)
	}
	t.dirty = false
	return nil
}

// flush writes what waits to the file, one write for what fits.
func (t *Trail) flush() error {
	for len(t.waiting) > 0 {
		if t.length >= t.options.SegmentSize || t.file == nil {
			if err := t.rotate(); err != nil {
				return err
			}
		}
		if err := t.writeBatch(); err != nil {
			return err
		}
	}
	if t.lost > 0 {
		lost := t.lost
		t.lost = 0
		t.gap(lost, t.reason)
		return t.flush()
	}
	return nil
}

// writeBatch writes as many records as the file takes. Either all of them are
// in the file then, or none.
func (t *Trail) writeBatch() error {
	var text []byte
	var lines [][]byte
	sequence, hash, done, size := t.sequence, t.hash, 0, t.size
	for _, record := range t.waiting {
		if t.length+int64(len(text)) >= t.options.SegmentSize {
			break
		}
		sequence++
		record.Sequence, record.Previous = sequence, hash
		line, err := encode(record)
		if err != nil {
			// trim made it fit; what still does not is recorded by its absence.
			t.options.Log.Error("audit record is left out", "error", err)
			line, _ = encode(&ichorpb.AuditRecord{
				Sequence: sequence, Previous: hash, Time: record.GetTime(), Kind: kindGap, Lost: 1, Reason: err.Error(),
			})
		}
		hash = hashOf(line)
		start := len(text)
		text = append(append(text, line...), '\n')
		lines = append(lines, text[start:len(text)-1])
		done++
		size -= weight(record)
	}
	n, err := t.write(t.file, text)
	if err != nil {
		if n > 0 {
			err = errors.Join(err, t.file.Truncate(t.length))
		}
		return fmt.Errorf("write audit records: %w", err)
	}
	t.length += int64(len(text))
	t.sequence, t.hash, t.dirty = sequence, hash, true
	t.waiting, t.size = append([]*ichorpb.AuditRecord(nil), t.waiting[done:]...), size
	if t.options.Export != nil {
		for _, line := range lines {
			t.options.Export(line)
		}
	}
	return nil
}

// Run writes what waits and signs heads until ctx ends, then closes the trail.
func (t *Trail) Run(ctx context.Context) {
	retry, head := time.NewTicker(retryEvery), time.NewTicker(headEvery)
	defer retry.Stop()
	defer head.Stop()
	complained := false
	for {
		var err error
		select {
		case <-retry.C:
			t.mu.Lock()
			if len(t.waiting) > 0 || t.lost > 0 {
				err = t.settle(false)
			} else {
				t.mu.Unlock()
				continue
			}
			t.mu.Unlock()
		case <-head.C:
			err = t.Sign()
		case <-ctx.Done():
			t.Close()
			return
		}
		if err != nil && !complained {
			t.options.Log.Error("audit records are kept in memory, it will be tried again", "error", err)
		}
		complained = err != nil
	}
}

// Sign puts the records on disk, then a signed head of them.
func (t *Trail) Sign() error {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.sign()
}

func (t *Trail) sign() error {
	if t.folder == "" {
		return nil
	}
	t.notice()
	if err := t.settle(true); err != nil {
		return err
	}
	if newest := t.heads.newest(); newest != nil && newest.GetSequence() == t.sequence {
		return nil
	}
	head, err := t.heads.add(t.options.Now(), t.sequence, t.hash, false)
	if err != nil {
		return err
	}
	t.exportHead(head)
	return nil
}

// notice records that somebody put another file in the place of the one that is
// written, and goes on in a new one.
func (t *Trail) notice() {
	if t.file == nil || len(t.segments) == 0 {
		return
	}
	own, err := t.file.Stat()
	if err != nil {
		return
	}
	name := t.segments[len(t.segments)-1].path
	there, err := os.Stat(name)
	if err == nil && os.SameFile(own, there) && there.Size() == t.length {
		return
	}
	t.options.Log.Error("audit records were changed on disk: see 'talosctl audit --verify'", "file", name)
	t.gap(0, "the file "+filepath.Base(name)+" was changed while it was written")
	// The next record begins a file of its own.
	t.length = t.options.SegmentSize
}

// Close signs the head and closes the file. Records that come later wait in
// memory.
func (t *Trail) Close() {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.folder == "" {
		return
	}
	if err := t.sign(); err != nil {
		t.options.Log.Error("audit trail is not signed", "error", err)
	}
	t.folder = ""
	if t.file != nil {
		if err := t.file.Close(); err != nil {
			t.options.Log.Error("audit trail is not closed", "error", err)
		}
		t.file = nil
	}
}
