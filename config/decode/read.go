package decode

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"

	"go.yaml.in/yaml/v3"
)

// ReadAll reads a config's text, at most MaxSize bytes.
func ReadAll(r io.Reader, file string) ([]byte, error) {
	size := sizeOf(r)
	if size > MaxSize {
		return nil, tooLarge(file)
	}

	var (
		chunks [][]byte
		total  int
		chunk  = make([]byte, size+1) // a file that does not grow fits into one
	)

	for {
		n, err := io.ReadFull(r, chunk)
		chunks = append(chunks, chunk[:n])

		switch total += n; {
		case total > MaxSize:
			return nil, tooLarge(file)
		case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
			if len(chunks) == 1 {
				return chunks[0], nil // as it is: a copy would take as much again
			}

			return slices.Concat(chunks...), nil
		case err != nil:
			return nil, fmt.Errorf("config cannot be read: %s: %w", file, err)
		}

		chunk = make([]byte, chunkSize)
	}
}

// chunkSize is how much is read at once where the size is not known. Chunks do
// not move, so that a text that is refused takes no more memory than MaxSize.
const chunkSize = 1 << 20

// sizeOf is the size of a regular file, 0 for what has no size.
func sizeOf(r io.Reader) int64 {
	f, ok := r.(interface{ Stat() (fs.FileInfo, error) })
	if !ok {
		return 0
	}

	info, err := f.Stat()
	if err != nil || !info.Mode().IsRegular() {
		return 0
	}

	return info.Size()
}

func tooLarge(file string) error {
	return &Error{File: file, Message: fmt.Sprintf("config is too large: the limit is %d bytes", MaxSize)}
}

// Generic reads YAML of any shape into nil, bool, int, int64, uint64,
// float64, string, []any and map[string]any, with the same limits as documents.
func Generic(n *yaml.Node) (any, error) {
	w := &walk{top: &yaml.Node{}, head: "", line: n.Line}

	target, leave := w.enter(n, nil)
	if target == nil {
		return nil, w.faults
	}
	defer leave()

	x, _ := w.anything(target, nil)
	if len(w.faults) > 0 {
		return nil, w.faults
	}

	if x == nil && target.Kind == 0 {
		return nil, errors.New("nothing to read")
	}

	return x, nil
}
