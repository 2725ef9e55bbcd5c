package config

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"net"
	"sync"
	"sync/atomic"
	"time"

	"github.com/ichor-os/ichor/api/applyconfig"
	machineconfig "github.com/ichor-os/ichor/config"
	"github.com/ichor-os/ichor/node/config/reach"
	"github.com/ichor-os/ichor/resource"
)

// Witness tells whether the network works as it did.
type Witness interface {
	Look(ctx context.Context, endpoint string) reach.Evidence
	Missing(ctx context.Context, before reach.Evidence, endpoint string) []string
}

// Keeper keeps the configs of a node: the one in force, the one it starts with,
// and the last that was good. It is the only one that changes them.
//
// A config that may cut the network off is pending until it is confirmed; see
// the file on disk that [pending] is. What is written, and in which order, makes
// that a node that stops at any moment starts either with the config of before
// or with the new one and what is left of its time.
type Keeper struct {
	Disk    Disk
	Engine  *resource.Engine
	Log     *slog.Logger
	Witness Witness
	// Reboot restarts the node with the stored config.
	Reboot func()
	// Tell passes on why a config was taken back or not taken.
	Tell func(error)
	// Hostname of the node.
	Hostname string

	// mu is held while configs change.
	mu     sync.Mutex
	ctx    context.Context
	active *version
	stored *version
	good   *version
	// trial is the end of a config that is tried, and what comes back then.
	trial *trial
	// waiting is set while the config in force is not known to be good.
	waiting atomic.Pointer[waiting]
	// findings are the diagnostics that hold.
	findings map[string]finding
	tasks    sync.WaitGroup
}

// version is a config with its text.
type version struct {
	text   []byte
	config *machineconfig.Config
}

func newVersion(text []byte) (*version, error) {
	c, err := machineconfig.Parse(text)
	if err != nil {
		return nil, err
	}
	return &version{text: text, config: c}, nil
}

// endpoint is host:port of the control plane.
func (v *version) endpoint() string {
	main := v.config.Main()
	if main == nil || main.Cluster == nil || main.Cluster.ControlPlane == nil || main.Cluster.ControlPlane.Endpoint == nil {
		return ""
	}
	url := main.Cluster.ControlPlane.Endpoint
	port := url.Port()
	if port == "" {
		port = "443"
	}
	return net.JoinHostPort(url.Hostname(), port)
}

// Load gives the config that the node starts with, or nil if it has to wait for
// one. A stored config that cannot be read is put aside, and the last good one
// takes its place.
func (k *Keeper) Load() *machineconfig.Config {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.readRefused()
	k.good = k.read(goodFile)
	stored, err := k.readFile(storedFile)
	switch {
	case err != nil:
		stored = k.fallBack(err)
	case stored != nil && stored.config.Main() == nil:
		stored = nil // kept in maintenance, it does not take the node out of there
	}
	if stored == nil {
		return nil
	}
	k.stored = stored
	if err := k.resume(); err != nil {
		k.Log.Error("pending confirmation is not used: the config counts as confirmed", "error", err)
	}
	return k.stored.config
}

// read gives the config in the file, or nil if it is not there or damaged.
func (k *Keeper) read(name string) *version {
	v, err := k.readFile(name)
	if err != nil {
		k.Log.Error("config is not readable", "file", name, "error", err)
		return nil
	}
	return v
}

func (k *Keeper) readFile(name string) (*version, error) {
	text, err := k.Disk.Read(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	v, err := newVersion(text)
	if err != nil {
		return nil, fmt.Errorf("read machine config: %s: %w", name, err)
	}
	return v, nil
}

// fallBack takes the last good config instead of a stored one that is damaged.
func (k *Keeper) fallBack(damage error) *version {
	k.Log.Error("stored config is damaged", "error", damage)
	k.Tell(damage)
	if text, err := k.Disk.Read(storedFile); err == nil {
		k.putAside(text, damage.Error())
	}
	if k.good == nil || k.good.config.Main() == nil {
		k.find(damagedFinding, finding{"the stored config cannot be read, and there is no good one: give the node a config", []string{damage.Error()}})
		return nil
	}
	k.find(damagedFinding, finding{"the stored config cannot be read: the last good one is in force; apply the config again", []string{damage.Error()}})
	if err := k.Disk.Write(storedFile, k.good.text); err != nil {
		k.Log.Error("last good config is in force, but not stored", "error", err)
	}
	return k.good
}

// resume goes on with a confirmation that was pending when the node stopped. A
// node that starts again and again without one goes back to the last good
// config.
func (k *Keeper) resume() error {
	p, err := readPending(k.Disk, applyconfig.Digest(k.stored.text))
	if err != nil || p == nil {
		return errors.Join(err, k.Disk.Remove(pendingFile))
	}
	if k.good == nil {
		return errors.Join(errors.New("there is no good config to return to"), k.Disk.Remove(pendingFile))
	}
	p.Starts++
	if p.Starts > maxStarts {
		why := fmt.Sprintf("the node started %d times with it, and it was not confirmed", maxStarts)
		return k.storeGood(why)
	}
	if err := p.write(k.Disk); err != nil {
		k.Log.Error("start is not counted", "error", err)
	}
	k.waiting.Store(&waiting{pending: *p, started: true})
	return nil
}

// storeGood makes the last good config the stored one and keeps the one that
// was refused for people to look at.
func (k *Keeper) storeGood(why string) error {
	k.putAside(k.stored.text, why)
	k.find(revertedFinding, reverted(why))
	if err := k.Disk.Write(storedFile, k.good.text); err != nil {
		return err
	}
	k.stored = k.good
	k.Log.Warn("last good config is back", "why", why)
	k.Tell(fmt.Errorf("the config is taken back: %s", why))
	return k.Disk.Remove(pendingFile)
}

// Start puts the config that Load gave, or the first one that came, in force,
// until ctx ends.
func (k *Keeper) Start(ctx context.Context) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.ctx = ctx
	if k.stored == nil {
		return errors.New("put config in force: there is none")
	}
	w := k.waiting.Load()
	if w == nil {
		k.good = k.stored
		k.keepGood()
	}
	if err := k.activate(k.stored); err != nil {
		return err
	}
	if w != nil {
		k.wait(w)
	}
	return nil
}

// activate makes a config the one in force; what follows from it follows the
// resource.
func (k *Keeper) activate(v *version) error {
	if err := Publish(k.ctx, k.Engine, v.config, k.stored.config, k.Hostname, k.findings); err != nil {
		return err
	}
	k.active = v
	return nil
}

// keepGood writes the last good config. That is not needed for it to be in
// force, so a failure is only told.
func (k *Keeper) keepGood() {
	if text, err := k.Disk.Read(goodFile); err == nil && string(text) == string(k.good.text) {
		return
	}
	if err := k.Disk.Write(goodFile, k.good.text); err != nil {
		k.Log.Error("last good config is not kept", "error", err)
	}
}

// Wait waits until nothing of the Keeper runs any more; its context has ended.
func (k *Keeper) Wait() { k.tasks.Wait() }

// run runs a task that Wait waits for.
func (k *Keeper) run(task func()) { k.tasks.Go(task) }

// after runs a task after the time, unless the Keeper or stop ends before.
func (k *Keeper) after(d time.Duration, stop <-chan struct{}, task func()) {
	k.run(func() {
		timer := time.NewTimer(d)
		defer timer.Stop()
		select {
		case <-timer.C:
			task()
		case <-stop:
		case <-k.ctx.Done():
		}
	})
}
