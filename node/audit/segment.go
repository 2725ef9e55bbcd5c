package audit

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	ichorpb "github.com/ichor-os/ichor/api/ichor"
)

// suffix of the files that hold records. The name before it is the sequence of
// the first record, so that names sort.
const suffix = ".jsonl"

type segment struct {
	first uint64
	path  string
}

func segmentPath(folder string, first uint64) string {
	return filepath.Join(folder, fmt.Sprintf("%020d%s", first, suffix))
}

// segmentsIn lists the files of records in their order.
func segmentsIn(folder string) ([]segment, error) {
	entries, err := os.ReadDir(folder)
	if err != nil {
		return nil, fmt.Errorf("list audit records: %w", err)
	}
	var out []segment
	for _, entry := range entries {
		name, ok := strings.CutSuffix(entry.Name(), suffix)
		first, err := strconv.ParseUint(name, 10, 64)
		if ok && err == nil && len(name) == 20 {
			out = append(out, segment{first, filepath.Join(folder, entry.Name())})
		}
	}
	slices.SortFunc(out, func(a, b segment) int { return strings.Compare(a.path, b.path) })
	return out, nil
}

// errTorn says that a file ends within a line.
var errTorn = errors.New("the last line is not whole")

// eachLine calls use with every line of a file, without its newline, and with
// the offset of the next. A file that ends within a line gives errTorn after the
// whole ones; a line that is too long is cut, which makes it no record.
func eachLine(from io.Reader, use func(line []byte, next int64) error) error {
	reader := bufio.NewReaderSize(from, maxLine+2)
	next := int64(0)
	for {
		line, err := reader.ReadSlice('\n')
		next += int64(len(line))
		switch {
		case errors.Is(err, io.EOF) && len(line) == 0:
			return nil
		case errors.Is(err, io.EOF):
			return errTorn
		case errors.Is(err, bufio.ErrBufferFull):
			// The rest of the line is passed over.
			kept := bytes.Clone(line)
			for errors.Is(err, bufio.ErrBufferFull) {
				var rest []byte
				rest, err = reader.ReadSlice('\n')
				next += int64(len(rest))
			}
			if err != nil {
				return errTorn
			}
			line = append(kept, '\n')
		case err != nil:
			return fmt.Errorf("read audit records: %w", err)
		}
		if err := use(line[:len(line)-1], next); err != nil {
			return err
		}
	}
}

// tail is where the last record of a file is.
type tail struct {
	last *ichorpb.AuditRecord
	hash string
	// whole is how long the file is up to the end of that record; torn is how
	// many bytes follow.
	whole, torn int64
}

// readTail finds the last record of a file. What follows it is the line that a
// crash cut off, or no record at all.
func readTail(path string) (tail, error) {
	file, err := os.Open(path)
	if err != nil {
		return tail{}, fmt.Errorf("read audit records: %w", err)
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return tail{}, fmt.Errorf("read audit records: %w", err)
	}
	var out tail
	err = eachLine(file, func(line []byte, next int64) error {
		// A line in the middle that is no record stays: Verify names it.
		if record, err := decode(line); err == nil {
			out.last, out.hash, out.whole = record, hashOf(line), next
		}
		return nil
	})
	if err != nil && !errors.Is(err, errTorn) {
		return tail{}, err
	}
	out.torn = info.Size() - out.whole
	return out, nil
}
