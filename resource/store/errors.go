package store

import (
	"errors"
	"fmt"
)

// The errors of the store. Each operation wraps one of them together with the
// resource that it is about.
var (
	ErrNotFound = errors.New("does not exist")
	ErrExists   = errors.New("already exists")
	// ErrConflict: the version the caller saw is not the current one, or
	// finalizers are left.
	ErrConflict = errors.New("conflict")
	// ErrOwner: another writer owns the resource.
	ErrOwner = errors.New("owned by another writer")
	// ErrPhase: the resource is not in the phase the caller expects.
	ErrPhase = errors.New("wrong phase")
	// ErrSlow: a watcher did not keep up and lost its place. It must watch anew.
	ErrSlow = errors.New("watcher is too slow: watch again from the start")
	// ErrBookmark: the place a watcher wants to resume from is unknown or too
	// long ago. It must watch anew.
	ErrBookmark = errors.New("bookmark is unknown or too old: watch again from the start")
	// ErrClosed: the watch was closed.
	ErrClosed = errors.New("watch is closed")
)

// OwnerError says who owns a resource that somebody else wants to write.
type OwnerError struct {
	Key    Key
	Owner  string // who owns it
	Writer string // who wants to write it
}

// Error names both sides.
func (e *OwnerError) Error() string {
	return fmt.Sprintf("write %s: %s wants to, %s owns it", e.Key, party(e.Writer), party(e.Owner))
}

// Is makes an OwnerError an ErrOwner.
func (e *OwnerError) Is(target error) bool { return target == ErrOwner }

func party(owner string) string {
	if owner == "" {
		return "a client of the API"
	}
	return fmt.Sprintf("%q", owner)
}

func failed(verb string, k Key, cause error) error {
	return fmt.Errorf("%s %s: %w", verb, k, cause)
}
