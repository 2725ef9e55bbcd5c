package bundle

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"github.com/ichor-os/ichor/bundle/publish"
)

// store is the cache on disk:
//
//	<key>/<file>       the executable
//	<key>/build.json   its entry; the folder is complete when it has this name
//	<key>.partial/     a build under way, or what an aborted one left
//	locks/<key>        held while the key is built
type store struct {
	dir string
}

// entry is build.json: the artifact and the state of the file when its content
// was last compared with the hash.
type entry struct {
	Artifact
	Seen fileState `json:"seen"`
}

// fileState changes whenever a file is written, replaced or moved: nobody can
// set the time of the last change of an inode.
type fileState struct {
	Size   int64  `json:"size"`
	Inode  uint64 `json:"inode"`
	Change int64  `json:"change"` // nanoseconds since 1970
}

const entryFile = "build.json"

func (s store) path(key string) string { return filepath.Join(s.dir, key) }

// load returns the artifact of a key. The error is os.ErrNotExist when there is
// none, and another one when it is not what was stored. The content is hashed
// only when the file has changed since it was last hashed.
func (s store) load(key, file string) (Artifact, error) {
	dir := s.path(key)
	content, err := os.ReadFile(filepath.Join(dir, entryFile))
	if err != nil {
		return Artifact{}, err
	}
	var e entry
	if err := json.Unmarshal(content, &e); err != nil {
		return Artifact{}, fmt.Errorf("read %s: %w", entryFile, err)
	}
	if e.Key != key {
		return Artifact{}, fmt.Errorf("read %s: is of key %q", entryFile, e.Key)
	}
	e.Path = filepath.Join(dir, file)
	state, err := stat(e.Path)
	if err != nil {
		return Artifact{}, fmt.Errorf("the executable is missing: %v", err)
	}
	if state.Size != e.Size {
		return Artifact{}, fmt.Errorf("size is %d, want %d", state.Size, e.Size)
	}
	if state == e.Seen {
		return e.Artifact, nil
	}
	sum, err := hashFile(e.Path)
	if err != nil {
		return Artifact{}, err
	}
	if sum != e.SHA256 {
		return Artifact{}, fmt.Errorf("SHA-256 is %s, want %s", sum, e.SHA256)
	}
	e.Seen = state
	if err := writeEntry(dir, e); err != nil {
		return Artifact{}, err
	}
	return e.Artifact, nil
}

// partial is a build under way.
type partial struct {
	store store
	key   string
	dir   string
}

// begin makes an empty folder for a build. The caller holds the key's lock, so
// what is there is of a build that was cut off.
func (s store) begin(key string) (*partial, error) {
	dir := s.path(key) + ".partial"
	if err := os.RemoveAll(dir); err != nil {
		return nil, fmt.Errorf("remove aborted build: %w", err)
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, fmt.Errorf("make folder for build: %w", err)
	}
	return &partial{store: s, key: key, dir: dir}, nil
}

// commit puts the executable into the cache, on disk before it has its name
// there.
func (p *partial) commit(artifact Artifact, file string) (Artifact, error) {
	path := filepath.Join(p.dir, file)
	if err := os.Chmod(path, 0o755); err != nil {
		return Artifact{}, fmt.Errorf("store build: %w", err)
	}
	if err := syncPath(path); err != nil {
		return Artifact{}, fmt.Errorf("store build: %w", err)
	}
	sum, err := hashFile(path)
	if err != nil {
		return Artifact{}, fmt.Errorf("store build: %w", err)
	}
	state, err := stat(path)
	if err != nil {
		return Artifact{}, fmt.Errorf("store build: %w", err)
	}
	artifact.SHA256, artifact.Size = sum, state.Size
	if err := writeEntry(p.dir, entry{Artifact: artifact, Seen: state}); err != nil {
		return Artifact{}, err
	}
	final := p.store.path(p.key)
	if err := os.RemoveAll(final); err != nil { // an unusable build
		return Artifact{}, fmt.Errorf("store build: %w", err)
	}
	if err := os.Rename(p.dir, final); err != nil {
		return Artifact{}, fmt.Errorf("store build: %w", err)
	}
	if err := syncPath(p.store.dir); err != nil {
		return Artifact{}, fmt.Errorf("store build: %w", err)
	}
	artifact.Path = filepath.Join(final, file)
	return artifact, nil
}

// discard removes a build that was not committed.
func (p *partial) discard() {
	// What cannot be removed now is removed by the next build of the key.
	_ = os.RemoveAll(p.dir)
}

// lockPoll is how often a builder asks for a lock that another holds.
const lockPoll = 50 * time.Millisecond

// lock takes the lock of that name, waiting as long as ctx allows. The kernel
// releases it when its holder dies.
func (s store) lock(ctx context.Context, name string) (unlock func(), err error) {
	file, err := s.openLock(name)
	if err != nil {
		return nil, fmt.Errorf("lock build: %w", err)
	}
	for {
		err := syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		if err == nil {
			return func() { file.Close() }, nil
		}
		if !errors.Is(err, syscall.EWOULDBLOCK) && !errors.Is(err, syscall.EINTR) {
			file.Close()
			return nil, fmt.Errorf("lock build: %s: %w", file.Name(), err)
		}
		select {
		case <-ctx.Done():
			file.Close()
			return nil, context.Cause(ctx)
		case <-time.After(lockPoll):
		}
	}
}

// openLock opens the file of a lock without taking it. The file stays for ever:
// removing it would let two builders hold one lock.
func (s store) openLock(name string) (*os.File, error) {
	dir := filepath.Join(s.dir, "locks")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, err
	}
	return os.OpenFile(filepath.Join(dir, name), os.O_CREATE|os.O_RDWR, 0o644)
}

// writeEntry writes build.json so that it is there completely or not at all.
func writeEntry(dir string, e entry) error {
	content, err := json.MarshalIndent(e, "", "  ")
	if err != nil {
		return fmt.Errorf("write %s: %w", entryFile, err)
	}
	if err := publish.Bytes(filepath.Join(dir, entryFile), 0o644, append(content, '\n')); err != nil {
		return fmt.Errorf("write %s: %w", entryFile, err)
	}
	return nil
}

func stat(path string) (fileState, error) {
	var st syscall.Stat_t
	if err := syscall.Lstat(path, &st); err != nil {
		return fileState{}, err
	}
	if st.Mode&syscall.S_IFMT != syscall.S_IFREG {
		return fileState{}, fmt.Errorf("%s: is not a regular file", path)
	}
	return fileState{Size: st.Size, Inode: st.Ino, Change: st.Ctim.Nano()}, nil
}

// syncPath waits until a file's or folder's content is on disk.
func syncPath(path string) error {
	file, err := os.Open(path)
	if err != nil {
		return err
	}
	return errors.Join(file.Sync(), file.Close())
}
