package audit

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	ichorpb "github.com/ichor-os/ichor/api/ichor"
)

// maxProblems bounds what a verification lists.
const maxProblems = 20

// view is the files of a trail as they are at a moment.
type view struct {
	files    []*os.File
	heads    []*ichorpb.AuditHead
	anchor   *ichorpb.AuditHead
	newest   *ichorpb.AuditHead
	damage   string
	sequence uint64
	hash     string
	waiting  []*ichorpb.AuditRecord
	length   int64 // of the last file
	problems []string
}

func (v *view) close() {
	for _, file := range v.files {
		_ = file.Close() // it was only read
	}
}

// look opens the files, so that rotation takes none away under a reader.
func (t *Trail) look() *view {
	t.mu.Lock()
	defer t.mu.Unlock()
	v := &view{anchor: new(ichorpb.AuditHead)}
	if t.folder != "" {
		if err := t.settle(false); err != nil {
			t.options.Log.Warn("audit records are kept in memory, it will be tried again", "error", err)
		}
		v.heads = append(v.heads, t.heads.list...)
		v.anchor, v.newest, v.damage = t.heads.anchor(), t.heads.newest(), t.heads.damage
		v.sequence, v.hash, v.length = t.sequence, t.hash, t.length
		for _, s := range t.segments {
			file, err := os.Open(s.path)
			if err != nil {
				v.problems = append(v.problems, fmt.Sprintf("file %s is missing", filepath.Base(s.path)))
				continue
			}
			v.files = append(v.files, file)
		}
	}
	v.waiting = append(v.waiting, t.waiting...)
	return v
}

// each calls use with every line and the record it holds, nil if none.
func (v *view) each(use func(line []byte, record *ichorpb.AuditRecord, err error) error) error {
	for i, file := range v.files {
		err := eachLine(file, func(line []byte, next int64) error {
			if i == len(v.files)-1 && next > v.length {
				return errTorn // came after the moment
			}
			record, err := decode(line)
			return use(line, record, err)
		})
		if err != nil && !errors.Is(err, errTorn) {
			return err
		}
	}
	return nil
}

// checker follows a chain and notes what does not fit.
type checker struct {
	out    *ichorpb.AuditVerification
	anchor *ichorpb.AuditHead
	signed map[uint64]string // what heads say of lines
	more   int               // problems beyond the bound

	last string // hash of the line before
	at   uint64 // sequence of the line before
	seen bool
}

func (c *checker) problem(format string, args ...any) {
	if len(c.out.Problems) < maxProblems {
		c.out.Problems = append(c.out.Problems, fmt.Sprintf(format, args...))
		return
	}
	c.more++
}

func (c *checker) line(line []byte, record *ichorpb.AuditRecord, err error) {
	if err != nil {
		c.problem("after record %d: a line is no record", c.at)
		// The next record holds the hash of what was there.
		c.last, c.seen = hashOf(line), true
		return
	}
	sequence := record.GetSequence()
	switch {
	case !c.seen:
		c.begin(record)
	case record.GetPrevious() != c.last && sequence == c.at+1:
		c.problem("record %d: it is not what followed, or the line before was changed", sequence)
	case sequence <= c.at:
		c.problem("record %d stands after record %d", sequence, c.at)
	case sequence != c.at+1:
		c.problem("records %d to %d are missing", c.at+1, sequence-1)
	}
	hash := hashOf(line)
	if signed, ok := c.signed[sequence]; ok {
		if signed != hash {
			c.problem("record %d: it is not the one that was signed", sequence)
		}
		delete(c.signed, sequence)
	}
	if record.GetKind() == kindGap {
		text := fmt.Sprintf("record %d: %s", sequence, record.GetReason())
		if record.GetLost() > 0 {
			text = fmt.Sprintf("record %d: %d records lost: %s", sequence, record.GetLost(), record.GetReason())
		}
		if len(c.out.Gaps) < maxProblems {
			c.out.Gaps = append(c.out.Gaps, text)
		}
	}
	c.out.Records++
	c.out.Last = sequence
	c.last, c.at, c.seen = hash, sequence, true
}

// begin checks the first record that is kept.
func (c *checker) begin(record *ichorpb.AuditRecord) {
	sequence, anchor := record.GetSequence(), c.anchor
	c.out.First = sequence
	switch {
	case sequence > anchor.GetSequence()+1:
		c.problem("records %d to %d are missing", anchor.GetSequence()+1, sequence-1)
	case sequence == anchor.GetSequence()+1 && record.GetPrevious() != anchor.GetHash():
		c.problem("record %d: it is not the one with which the kept records begin", sequence)
	}
}

// Verify checks all records that are on disk. known is a head that somebody kept
// from earlier, or nil.
func (t *Trail) Verify(known *ichorpb.AuditHead) (*ichorpb.AuditVerification, error) {
	v := t.look()
	defer v.close()
	c := &checker{out: &ichorpb.AuditVerification{Problems: v.problems, Head: v.newest}, anchor: v.anchor, signed: map[uint64]string{}}
	if v.damage != "" {
		c.problem("%s", v.damage)
	}
	for _, head := range v.heads {
		if head.GetSequence() > v.anchor.GetSequence() {
			c.signed[head.GetSequence()] = head.GetHash()
		}
	}
	if known != nil && known.GetSequence() > v.anchor.GetSequence() {
		if own, ok := c.signed[known.GetSequence()]; ok && own != known.GetHash() {
			c.problem("record %d: the given head is not the node's", known.GetSequence())
		}
		c.signed[known.GetSequence()] = known.GetHash()
	}
	err := v.each(func(line []byte, record *ichorpb.AuditRecord, err error) error {
		c.line(line, record, err)
		return nil
	})
	if err != nil {
		return nil, err
	}
	for sequence := range c.signed {
		c.problem("record %d is missing: it was signed", sequence)
	}
	if c.last != v.hash && v.sequence > 0 {
		c.problem("the last line is not the record %d that the node wrote last", v.sequence)
	}
	if c.more > 0 {
		c.out.Problems = append(c.out.Problems, fmt.Sprintf("and %d more", c.more))
	}
	c.out.Ok = len(c.out.Problems) == 0
	return c.out, nil
}
