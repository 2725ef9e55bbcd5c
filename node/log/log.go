// Package log keeps what the programs of a node print.
//
// A Store holds a Log per source, named by its id. A Log is a ring of bytes in
// memory that never grows beyond its bound, and, once the store knows a folder
// on disk, a file that is rotated. Writers never wait for readers: a reader
// that is too slow loses the oldest lines, whole, and never blocks a program.
package log

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
)

const (
	// RingSize bounds a log in memory, in bytes.
	RingSize = 256 << 10
	// FileSize bounds a log file, in bytes; one older file is kept beside it.
	FileSize = 4 << 20
)

// ErrNotRegistered says that there is no log of that name.
var ErrNotRegistered = errors.New("was not registered")

// Store holds the logs of a node. The zero value is not ready: use NewStore.
type Store struct {
	mu     sync.Mutex
	folder string
	logs   map[string]*Log
	tap    Tap
}

// Tap gets each whole line of a log, without its newline, in order. It must not
// wait, keep the line, or write to a log.
type Tap func(id string, line []byte)

// NewStore makes an empty store that keeps logs in memory only.
func NewStore() *Store { return &Store{logs: map[string]*Log{}} }

// Open gives the log with the id, made at the first call.
func (s *Store) Open(id string) *Log {
	s.mu.Lock()
	defer s.mu.Unlock()
	if l, ok := s.logs[id]; ok {
		return l
	}
	l := &Log{id: id, changed: make(chan struct{}), tap: s.tap}
	if s.folder != "" {
		l.file = newFile(s.folder, id)
	}
	s.logs[id] = l
	return l
}

// Get gives the log with the id, or ErrNotRegistered.
func (s *Store) Get(id string) (*Log, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	l, ok := s.logs[id]
	if !ok {
		return nil, fmt.Errorf("log %q %w", id, ErrNotRegistered)
	}
	return l, nil
}

// IDs lists the logs in order of their names.
func (s *Store) IDs() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	ids := make([]string, 0, len(s.logs))
	for id := range s.logs {
		ids = append(ids, id)
	}
	slices.Sort(ids)
	return ids
}

// SetTap gives tap every line from now on, beginning with those in memory.
func (s *Store) SetTap(tap Tap) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.tap = tap
	for _, l := range s.logs {
		l.setTap(tap)
	}
}

// Persist writes every log to a file in folder from now on, beginning with what
// is in memory.
func (s *Store) Persist(folder string) error {
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return fmt.Errorf("make log folder: %w", err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.folder = folder
	for id, l := range s.logs {
		l.persist(newFile(folder, id))
	}
	return nil
}

// Close closes the files; the logs stay readable and in memory.
func (s *Store) Close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.folder = ""
	for _, l := range s.logs {
		l.persist(nil)
	}
}

// file is a rotated log file. A disk that refuses to be written loses lines on
// disk only; the ring in memory keeps them, and the next write tries again.
type file struct {
	path string
	f    *os.File
	size int64
}

func newFile(folder, id string) *file {
	return &file{path: filepath.Join(folder, strings.ReplaceAll(id, "/", "_")+".log")}
}

func (f *file) write(p []byte) {
	if f.f != nil && f.size+int64(len(p)) > FileSize {
		f.close()
		_ = os.Rename(f.path, f.path+".1")
	}
	if f.f == nil {
		opened, err := os.OpenFile(f.path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o640)
		if err != nil {
			return
		}
		f.f, f.size = opened, 0
		if info, err := opened.Stat(); err == nil {
			f.size = info.Size()
		}
	}
	n, _ := f.f.Write(p)
	f.size += int64(n)
}

func (f *file) close() {
	if f.f != nil {
		f.f.Close()
		f.f = nil
	}
}
