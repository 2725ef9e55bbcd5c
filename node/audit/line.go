package audit

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"

	"google.golang.org/protobuf/encoding/protojson"

	ichorpb "github.com/ichor-os/ichor/api/ichor"
)

// maxLine bounds a record on disk, in bytes. Records are cut to fit before they
// are written; a longer line is no record.
const maxLine = 64 << 10

// Kinds of records.
const (
	kindCall  = "call"
	kindGap   = "gap"
	kindStart = "start"
)

// hashOf is what the next record holds of a line, which is without its newline.
func hashOf(line []byte) string {
	sum := sha256.Sum256(line)
	return hex.EncodeToString(sum[:])
}

// encode writes a record as one line of JSON without its newline.
func encode(record *ichorpb.AuditRecord) ([]byte, error) {
	text, err := protojson.Marshal(record)
	if err != nil {
		return nil, fmt.Errorf("encode audit record: %w", err)
	}
	// protojson spreads spaces at random.
	var line bytes.Buffer
	if err := json.Compact(&line, text); err != nil {
		return nil, fmt.Errorf("encode audit record: %w", err)
	}
	if line.Len() > maxLine {
		return nil, errors.New("encode audit record: it is too long")
	}
	return line.Bytes(), nil
}

// decode reads a line of JSON without its newline. Fields of a newer version are
// passed over.
func decode(line []byte) (*ichorpb.AuditRecord, error) {
	record := new(ichorpb.AuditRecord)
	if len(line) > maxLine {
		return nil, errors.New("read audit record: it is too long")
	}
	if err := (protojson.UnmarshalOptions{DiscardUnknown: true}).Unmarshal(line, record); err != nil {
		return nil, fmt.Errorf("read audit record: %w", err)
	}
	if record.GetSequence() == 0 {
		return nil, errors.New("read audit record: it has no sequence")
	}
	return record, nil
}

// Bounds of what a caller can make a record hold.
const (
	maxText  = 1 << 10
	maxItems = 64
)

// trim cuts what a caller made too long, so that every record fits its line.
func trim(record *ichorpb.AuditRecord) {
	for _, text := range []*string{
		&record.Method, &record.RequestId, &record.Peer, &record.CommonName,
		&record.Fingerprint, &record.ForwardedBy, &record.Error, &record.Reason,
	} {
		*text = cut(*text)
	}
	record.Targets = cutAll(record.Targets)
	record.Roles = cutAll(record.Roles)
	parameters := map[string]string{}
	for key, value := range record.GetParameters() {
		if len(parameters) < maxItems/4 {
			parameters[cut(key)] = cut(value)
		}
	}
	record.Parameters = parameters
}

func cutAll(values []string) []string {
	out := make([]string, 0, min(len(values), maxItems))
	for _, value := range values[:min(len(values), maxItems)] {
		if len(value) > 253 {
			value = value[:253]
		}
		out = append(out, printable(value))
	}
	return out
}

func cut(text string) string {
	if len(text) > maxText {
		text = text[:maxText] + "…"
	}
	return printable(text)
}

// printable makes text valid for JSON and protobuf.
func printable(text string) string {
	return string(bytes.ToValidUTF8([]byte(text), []byte("�")))
}
