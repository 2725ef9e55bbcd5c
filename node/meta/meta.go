// Package meta keeps the few values that must outlive everything else on a
// node: META, a store of small values by number.
//
// A Store lives in a partition or a file. It holds two copies, each with a
// generation and a checksum. A change is written over the older copy and
// flushed, so a crash at any point leaves the values before or after it. What
// else is on the disk is not its business.
package meta

import (
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"sync"

	"github.com/ichor-os/ichor/resource"
)

// Path is where a node in namespaces keeps META.
const Path = "/system/meta/meta"

// Size of META and of each of its copies, in bytes.
const (
	Size     = 1 << 20
	copySize = Size / 4
)

// Key names a value.
type Key uint8

// The keys that have a meaning. 0x0c to 0x0e are free for users.
const (
	UpgradeFallback  Key = 0x06 // the slot to return to
	StagedImage      Key = 0x07 // installer image of a staged upgrade
	StagedOptions    Key = 0x08 // and its options, JSON
	StateEncryption  Key = 0x09 // how STATE is encrypted, JSON
	NetworkConfig    Key = 0x0a // network of a metal machine, YAML
	DownloadCode     Key = 0x0b // code in the config's URL
	UUIDOverride     Key = 0x0f
	MachineToken     Key = 0x10 // unique to the machine
	DiskImageBooting Key = 0x11 // boot loader of a disk image
)

// String gives the number as clients write it, 0x0a.
func (k Key) String() string { return fmt.Sprintf("0x%02x", uint8(k)) }

// Errors of a Store.
var (
	ErrNoKey = errors.New("there is no such key")
	ErrFull  = errors.New("there is no room for it")
)

// magic begins each copy; the last byte counts formats.
var magic = [8]byte{'I', 'C', 'H', 'O', 'R', 'M', 'T', 1}

// header lies before the values of a copy.
type header struct {
	Magic      [8]byte
	Generation uint64
	Length     uint32
	Sum        [sha256.Size]byte
}

var headerSize = binary.Size(header{})

// Store is META. Make it with Open.
type Store struct {
	path    string
	changed resource.Signal

	mu         sync.Mutex
	generation uint64
	values     map[Key][]byte
}

// Open reads META. A path without anything is an empty store; one without a
// valid copy but with other content is refused, so that nothing is overwritten
// that is not META.
func Open(path string) (*Store, error) {
	s := &Store{path: path, values: map[Key][]byte{}}
	file, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return s, nil
	}
	if err != nil {
		return nil, fmt.Errorf("open META: %w", err)
	}
	defer file.Close()
	blank := true
	for i := range 2 {
		text := make([]byte, copySize)
		n, err := file.ReadAt(text, int64(i)*copySize)
		if err != nil && !errors.Is(err, io.EOF) {
			return nil, fmt.Errorf("read META: %s: %w", path, err)
		}
		blank = blank && !slices.ContainsFunc(text[:n], func(b byte) bool { return b != 0 })
		generation, values, err := decode(text[:n])
		if err == nil && generation > s.generation {
			s.generation, s.values = generation, values
		}
	}
	if s.generation == 0 && !blank {
		return nil, fmt.Errorf("read META: %s: neither copy is valid: wipe it if it may be lost", path)
	}
	return s, nil
}

// decode reads a copy.
func decode(text []byte) (uint64, map[Key][]byte, error) {
	var h header
	if len(text) < headerSize {
		return 0, nil, io.ErrUnexpectedEOF
	}
	if _, err := binary.Decode(text, binary.LittleEndian, &h); err != nil {
		return 0, nil, err
	}
	if h.Magic != magic || int(h.Length) > len(text)-headerSize {
		return 0, nil, errors.New("it is no copy of META")
	}
	body := text[headerSize : headerSize+int(h.Length)]
	if sum(h.Generation, body) != h.Sum {
		return 0, nil, errors.New("its checksum is wrong")
	}
	values := map[Key][]byte{}
	for len(body) > 0 {
		if len(body) < 5 {
			return 0, nil, io.ErrUnexpectedEOF
		}
		key, length := Key(body[0]), binary.LittleEndian.Uint32(body[1:5])
		body = body[5:]
		if uint64(length) > uint64(len(body)) {
			return 0, nil, io.ErrUnexpectedEOF
		}
		values[key], body = slices.Clone(body[:length]), body[length:]
	}
	return h.Generation, values, nil
}

func sum(generation uint64, body []byte) [sha256.Size]byte {
	return sha256.Sum256(append(binary.LittleEndian.AppendUint64(nil, generation), body...))
}

func encode(generation uint64, values map[Key][]byte) ([]byte, error) {
	var body []byte
	for _, key := range slices.Sorted(maps.Keys(values)) {
		body = append(body, byte(key))
		body = binary.LittleEndian.AppendUint32(body, uint32(len(values[key])))
		body = append(body, values[key]...)
	}
	if len(body) > copySize-headerSize {
		return nil, fmt.Errorf("%w: %d bytes of %d", ErrFull, len(body), copySize-headerSize)
	}
	text, err := binary.Append(nil, binary.LittleEndian, header{
		Magic: magic, Generation: generation, Length: uint32(len(body)), Sum: sum(generation, body),
	})
	return append(text, body...), err
}

// Get gives a value.
func (s *Store) Get(key Key) ([]byte, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	value, ok := s.values[key]
	return slices.Clone(value), ok
}

// All gives every value.
func (s *Store) All() map[Key][]byte {
	s.mu.Lock()
	defer s.mu.Unlock()
	out := map[Key][]byte{}
	for key, value := range s.values {
		out[key] = slices.Clone(value)
	}
	return out
}

// Set keeps a value; it is on disk when Set returns.
func (s *Store) Set(key Key, value []byte) error {
	err := s.change(func(values map[Key][]byte) error {
		values[key] = slices.Clone(value)
		return nil
	})
	if err != nil {
		return fmt.Errorf("write META: %s: %w", key, err)
	}
	return nil
}

// Delete removes a value, or is ErrNoKey.
func (s *Store) Delete(key Key) error {
	err := s.change(func(values map[Key][]byte) error {
		if _, ok := values[key]; !ok {
			return ErrNoKey
		}
		delete(values, key)
		return nil
	})
	if err != nil {
		return fmt.Errorf("delete from META: %s: %w", key, err)
	}
	return nil
}

func (s *Store) change(fn func(map[Key][]byte) error) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	values := maps.Clone(s.values)
	if err := fn(values); err != nil {
		return err
	}
	generation := s.generation + 1
	text, err := encode(generation, values)
	if err != nil {
		return err
	}
	if err := write(s.path, text, int64(generation%2)*copySize); err != nil {
		return err
	}
	s.generation, s.values = generation, values
	s.changed.Notify()
	return nil
}

// write replaces one copy; the other stays as it is.
func write(path string, text []byte, at int64) error {
	file, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = file.WriteAt(text, at)
	if err = errors.Join(err, file.Sync(), file.Close()); err != nil || at == 0 {
		return err
	}
	// The first copy that is ever written may have made the file.
	folder, err := os.Open(filepath.Dir(path))
	if err != nil {
		return err
	}
	return errors.Join(folder.Sync(), folder.Close())
}
