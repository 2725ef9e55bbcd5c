package decode

import (
	"errors"
	"fmt"
	"io"

	"go.yaml.in/yaml/v3"
)

// ReadAll reads a config's text, at most MaxSize bytes.
func ReadAll(r io.Reader, file string) ([]byte, error) {
	data, err := io.ReadAll(io.LimitReader(r, MaxSize+1))
	if err != nil {
		return nil, fmt.Errorf("config cannot be read: %s: %w", file, err)
	}

	if len(data) > MaxSize {
		return nil, &Error{File: file, Message: fmt.Sprintf("config is too large: the limit is %d bytes", MaxSize)}
	}

	return data, nil
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
