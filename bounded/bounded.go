// Package bounded reads text from outside without taking more memory than a
// sane text of its sort needs: files up to a size, YAML up to a number of values.
package bounded

import (
	"fmt"
	"io"
	"io/fs"
	"os"
)

// MaxFile is the largest file of keys, certificates, contexts or secrets that is read, in bytes.
const MaxFile = 8 << 20

// ReadFile is [os.ReadFile] for files up to MaxFile.
func ReadFile(path string) ([]byte, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close() //nolint:errcheck // it was only read

	return readAll(file, path, MaxFile)
}

// ReadFS is [fs.ReadFile] for files up to a size.
func ReadFS(files fs.FS, path string, limit int64) ([]byte, error) {
	file, err := files.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close() //nolint:errcheck // it was only read

	return readAll(file, path, limit)
}

func readAll(r io.Reader, path string, limit int64) ([]byte, error) {
	text, err := io.ReadAll(io.LimitReader(r, limit+1))
	if err != nil {
		return nil, err
	}

	if int64(len(text)) > limit {
		return nil, fmt.Errorf("file is too large: %s: the limit is %d bytes: name another file", path, limit)
	}

	return text, nil
}
