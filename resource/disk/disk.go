// Package disk keeps one piece of data in a folder so that a crash at any
// moment leaves the old or the new content, never a mixture, and damage to the
// newest copy leaves the one before.
//
// Each write is a file of its own, numbered upwards: written beside, synced,
// renamed, the folder synced. The newest two stay. A file begins with a line
// that holds the length and the SHA-256 of what follows:
//
//	ichor-resources/1 <bytes> <sha256 in hex>
package disk

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

const (
	magic  = "ichor-resources/1"
	prefix = "resources-"
	keep   = 2
)

// ErrDamaged: the folder has copies, and none can be read.
var ErrDamaged = errors.New("no copy is readable")

// Folder is an open folder. It has one user at a time.
type Folder struct {
	dir  string
	last uint64
}

// Open makes the folder if need be and reads the newest good copy; nil when
// there was none yet. Notes say which copies are damaged: they are put aside
// as damaged-NUMBER. When all are, the error is ErrDamaged.
func Open(dir string) (f *Folder, body []byte, notes []string, err error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, nil, nil, fmt.Errorf("open resource folder: %w", err)
	}
	f = &Folder{dir: dir}
	numbers, err := f.copies()
	if err != nil {
		return nil, nil, nil, fmt.Errorf("open resource folder: %w", err)
	}
	var damaged []uint64
	for _, n := range slices.Backward(numbers) {
		f.last = max(f.last, n)
		body, err = f.read(n)
		if err == nil {
			break
		}
		notes = append(notes, fmt.Sprintf("copy %s is damaged: %v", f.path(n), err))
		damaged = append(damaged, n)
	}
	if len(damaged) > 0 && len(damaged) == len(numbers) {
		return nil, nil, notes, fmt.Errorf("open resource folder %s: %w: restore one of its files, or empty the folder to start anew", dir, ErrDamaged)
	}
	for _, n := range damaged {
		aside := filepath.Join(dir, "damaged-"+strconv.FormatUint(n, 10))
		if err := os.Rename(f.path(n), aside); err != nil {
			return nil, nil, notes, fmt.Errorf("put damaged copy aside: %w", err)
		}
	}
	return f, body, notes, nil
}

// copies lists the numbers of the copies upwards and removes what an
// interrupted write left.
func (f *Folder) copies() ([]uint64, error) {
	entries, err := os.ReadDir(f.dir)
	if err != nil {
		return nil, err
	}
	var numbers []uint64
	for _, e := range entries {
		text, ok := strings.CutPrefix(e.Name(), prefix)
		if !ok {
			continue
		}
		if strings.HasSuffix(text, ".tmp") {
			if err := os.Remove(filepath.Join(f.dir, e.Name())); err != nil {
				return nil, err
			}
			continue
		}
		if n, err := strconv.ParseUint(text, 10, 64); err == nil {
			numbers = append(numbers, n)
		}
	}
	slices.Sort(numbers)
	return numbers, nil
}

func (f *Folder) path(n uint64) string {
	return filepath.Join(f.dir, fmt.Sprintf("%s%012d", prefix, n))
}

func (f *Folder) read(n uint64) ([]byte, error) {
	data, err := os.ReadFile(f.path(n))
	if err != nil {
		return nil, err
	}
	head, body, ok := bytes.Cut(data, []byte("\n"))
	fields := strings.Fields(string(head))
	if !ok || len(fields) != 3 || fields[0] != magic {
		return nil, errors.New("the first line is not " + magic)
	}
	if want, err := strconv.Atoi(fields[1]); err != nil || want != len(body) {
		return nil, fmt.Errorf("%d bytes where %s are said", len(body), fields[1])
	}
	if sum := sha256.Sum256(body); hex.EncodeToString(sum[:]) != fields[2] {
		return nil, errors.New("the checksum differs")
	}
	return body, nil
}

// Write makes body the newest copy. When it returns nil the copy is on disk.
func (f *Folder) Write(body []byte) error {
	n := f.last + 1
	if err := f.write(f.path(n), body); err != nil {
		return fmt.Errorf("write resource folder: %w", err)
	}
	f.last = n
	if numbers, err := f.copies(); err == nil && len(numbers) > keep {
		for _, old := range numbers[:len(numbers)-keep] {
			if err := os.Remove(f.path(old)); err != nil && !errors.Is(err, fs.ErrNotExist) {
				return nil // the next write tries again
			}
		}
	}
	return nil
}

func (f *Folder) write(path string, body []byte) (err error) {
	temp := path + ".tmp"
	file, err := os.OpenFile(temp, os.O_CREATE|os.O_WRONLY|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, os.Remove(temp))
		}
	}()
	sum := sha256.Sum256(body)
	head := fmt.Sprintf("%s %d %s\n", magic, len(body), hex.EncodeToString(sum[:]))
	_, err = file.Write(append([]byte(head), body...))
	if err == nil {
		err = file.Sync()
	}
	err = errors.Join(err, file.Close())
	if err == nil {
		err = os.Rename(temp, path)
	}
	if err != nil {
		return err
	}
	return f.sync()
}

// sync makes the folder's list of names durable.
func (f *Folder) sync() error {
	d, err := os.Open(f.dir)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}
