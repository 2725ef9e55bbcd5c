package audit

import (
	"bytes"
	"crypto/ed25519"
	"crypto/rand"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/types/known/timestamppb"

	ichorpb "github.com/ichor-os/ichor/api/ichor"
	"github.com/ichor-os/ichor/atomicfile"
)

const (
	keyFile   = "key.pem"
	headsFile = "heads.jsonl"
	// maxHeads bounds the heads that are kept; older ones are thinned out.
	maxHeads = 2000
)

// heads are the signed heads of a chain, kept apart from its records.
type heads struct {
	folder string
	key    ed25519.PrivateKey
	list   []*ichorpb.AuditHead
	damage string // what did not fit when they were read
}

// openHeads reads the heads in a folder, and makes the key at the first time.
func openHeads(folder string) (*heads, error) {
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return nil, fmt.Errorf("make folder of audit heads: %w", err)
	}
	key, err := loadKey(filepath.Join(folder, keyFile))
	if err != nil {
		return nil, err
	}
	h := &heads{folder: folder, key: key}
	text, err := os.ReadFile(filepath.Join(folder, headsFile))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("read audit heads: %w", err)
	}
	whole := bytes.LastIndexByte(text, '\n') + 1
	for line := range bytes.Lines(text[:whole]) {
		head := new(ichorpb.AuditHead)
		if err := protojson.Unmarshal(line, head); err != nil || !h.signed(head) {
			h.damage = "a head is not what the node signed"
			continue
		}
		h.list = append(h.list, head)
	}
	// What a crash left of a line would join the next one.
	if whole != len(text) {
		if err := h.rewrite(); err != nil {
			return nil, err
		}
	}
	return h, nil
}

// loadKey reads the node's key, and makes it if there is none.
func loadKey(path string) (ed25519.PrivateKey, error) {
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		_, key, err := ed25519.GenerateKey(rand.Reader)
		if err != nil {
			return nil, fmt.Errorf("make audit key: %w", err)
		}
		der, err := x509.MarshalPKCS8PrivateKey(key)
		if err != nil {
			return nil, fmt.Errorf("make audit key: %w", err)
		}
		return key, atomicfile.Replace(path, pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der}), 0o600)
	}
	if err != nil {
		return nil, fmt.Errorf("read audit key: %w", err)
	}
	block, _ := pem.Decode(text)
	if block == nil {
		return nil, fmt.Errorf("read audit key: %s: no PEM in it", path)
	}
	parsed, err := x509.ParsePKCS8PrivateKey(block.Bytes)
	if err != nil {
		return nil, fmt.Errorf("read audit key: %s: %w", path, err)
	}
	key, ok := parsed.(ed25519.PrivateKey)
	if !ok {
		return nil, fmt.Errorf("read audit key: %s: not an Ed25519 key", path)
	}
	return key, nil
}

// statement is what is signed of a head.
func statement(head *ichorpb.AuditHead) []byte {
	return fmt.Appendf(nil, "ichor audit head\n%d\n%s\n%d\n%t\n", head.GetSequence(), head.GetHash(), head.GetTime().AsTime().UnixNano(), head.GetAnchor())
}

// Signed tells whether a head bears the signature of the key that it names.
func Signed(head *ichorpb.AuditHead) bool {
	return len(head.GetPublicKey()) == ed25519.PublicKeySize &&
		ed25519.Verify(head.GetPublicKey(), statement(head), head.GetSignature())
}

func (h *heads) public() ed25519.PublicKey { return h.key.Public().(ed25519.PublicKey) }

// signed tells whether a head is the node's own.
func (h *heads) signed(head *ichorpb.AuditHead) bool {
	return bytes.Equal(head.GetPublicKey(), h.public()) && Signed(head)
}

// add signs a head and puts it on disk.
func (h *heads) add(at time.Time, sequence uint64, hash string, anchor bool) (*ichorpb.AuditHead, error) {
	head := &ichorpb.AuditHead{
		Sequence: sequence, Hash: hash, Time: timestamppb.New(at), PublicKey: h.public(), Anchor: anchor,
	}
	head.Signature = ed25519.Sign(h.key, statement(head))
	h.list = append(h.list, head)
	if len(h.list) > maxHeads {
		h.thin()
		return head, h.rewrite()
	}
	line, err := protojson.Marshal(head)
	if err == nil {
		err = appendSynced(filepath.Join(h.folder, headsFile), append(line, '\n'))
	}
	if err != nil {
		h.list = h.list[:len(h.list)-1]
		return nil, fmt.Errorf("keep audit head: %w", err)
	}
	return head, nil
}

func appendSynced(path string, line []byte) error {
	file, err := os.OpenFile(path, os.O_CREATE|os.O_APPEND|os.O_RDWR, 0o600)
	if err != nil {
		return err
	}
	info, err := file.Stat()
	if err == nil {
		if _, err = file.Write(line); err == nil {
			err = file.Sync()
		} else {
			// What fitted of the line would join the next one.
			err = errors.Join(err, file.Truncate(info.Size()))
		}
	}
	return errors.Join(err, file.Close())
}

// thin drops what is older than the records that are kept, and of the older half
// of the rest every other.
func (h *heads) thin() {
	anchor := h.anchor()
	var kept []*ichorpb.AuditHead
	for i, head := range h.list {
		old := i < len(h.list)/2
		if head == anchor || head.GetSequence() >= anchor.GetSequence() && !head.GetAnchor() && (!old || i%2 == 0) {
			kept = append(kept, head)
		}
	}
	h.list = kept
}

func (h *heads) rewrite() error {
	var text bytes.Buffer
	for _, head := range h.list {
		line, err := protojson.Marshal(head)
		if err != nil {
			return fmt.Errorf("keep audit heads: %w", err)
		}
		text.Write(line)
		text.WriteByte('\n')
	}
	return atomicfile.Replace(filepath.Join(h.folder, headsFile), text.Bytes(), 0o600)
}

// anchor is the line after which the records that must be there begin; the zero
// head where none was rotated away.
func (h *heads) anchor() *ichorpb.AuditHead {
	for i := len(h.list) - 1; i >= 0; i-- {
		if h.list[i].GetAnchor() {
			return h.list[i]
		}
	}
	return new(ichorpb.AuditHead)
}

// newest is the last head, nil before the first.
func (h *heads) newest() *ichorpb.AuditHead {
	var newest *ichorpb.AuditHead
	for _, head := range h.list {
		if newest == nil || head.GetSequence() >= newest.GetSequence() {
			newest = head
		}
	}
	return newest
}
