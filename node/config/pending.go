package config

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"time"

	"github.com/ichor-os/ichor/node/config/reach"
)

// Bounds of a confirmation.
const (
	// DefaultBound is how long a config that may cut the network off waits for
	// confirmation.
	DefaultBound = 2 * time.Minute
	// MinBound and MaxBound limit what a client may ask for.
	MinBound = 10 * time.Second
	MaxBound = time.Hour
	// grace is how long after the engine came to rest a change counts as made:
	// calls that come earlier may have used the network as it was.
	grace = 3 * time.Second
	// answerFirst is how long a change that may cut the network off is held back,
	// so that its answer gets through.
	answerFirst = 500 * time.Millisecond
	// startGrace is the least that a node has after its start, however long it
	// was down: a good config must have a chance to show that it is good.
	startGrace = 45 * time.Second
	// maxStarts is how often a node starts with a config that nobody confirmed.
	maxStarts = 3
)

// pending is a stored config that waits for confirmation. It is on disk before
// the config takes effect.
type pending struct {
	// Configs are digests of the stored configs that are meant: more than one
	// where a config came before the one ahead of it was confirmed. With another
	// one stored, the record is a leftover of a crash and counts for nothing.
	Configs []string `json:"configs"`
	// Bound is how long it waits once in force.
	Bound time.Duration `json:"bound"`
	// Deadline is when that is over; zero until the config is in force.
	Deadline time.Time `json:"deadline,omitzero"`
	// Starts counts starts of the node with the config.
	Starts int `json:"starts"`
	// Keys are why it may cut the network off.
	Keys []string `json:"keys"`
	// Before is what worked when the config came.
	Before reach.Evidence `json:"before"`
}

// readPending gives the pending confirmation of the config with the digest; nil
// if there is none.
func readPending(disk Disk, digest string) (*pending, error) {
	text, err := disk.Read(pendingFile)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var p pending
	if err := json.Unmarshal(text, &p); err != nil {
		return nil, fmt.Errorf("read pending confirmation: %w", err)
	}
	if !slices.Contains(p.Configs, digest) {
		return nil, nil
	}
	return &p, nil
}

func (p *pending) write(disk Disk) error {
	text, err := json.Marshal(p)
	if err != nil {
		return fmt.Errorf("write pending confirmation: %w", err)
	}
	return disk.Write(pendingFile, text)
}

// left is how long the config may still wait at the time, after a start of the
// node or not. A clock that was set back gives no more than the bound.
func (p *pending) left(now time.Time, started bool) time.Duration {
	left := min(p.Deadline.Sub(now), p.Bound)
	if started {
		left = max(left, startGrace)
	}
	return max(left, 0)
}
