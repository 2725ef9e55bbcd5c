package config

import (
	"context"
	"fmt"
	"net"
	"net/netip"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// settleBound is how long the engine may take to come to rest before a change
// counts as made all the same.
const settleBound = 20 * time.Second

// A waiting config is in force, or stored for the next start, and not confirmed.
type waiting struct {
	pending
	// started: the node started with it, it did not change to it while it ran.
	started bool
	// made is when the change counts as made, in Unix nanoseconds; 0 is not yet.
	made atomic.Int64
	// reached is set by the first call that came after that.
	reached atomic.Bool
	stop    chan struct{}
	once    sync.Once
}

func (w *waiting) end() {
	if w.stop != nil {
		w.once.Do(func() { close(w.stop) })
	}
}

// wait begins or goes on with the time that a config in force may stay without
// being confirmed.
func (k *Keeper) wait(w *waiting) {
	if w.stop == nil {
		w.stop = make(chan struct{})
	}
	now := time.Now()
	if w.Deadline.IsZero() {
		w.Deadline = now.Add(w.Bound)
		if err := w.write(k.Disk); err != nil {
			k.Log.Error("deadline of the config is not kept", "error", err)
		}
	}
	left := w.left(now, w.started)
	k.waiting.Store(w)
	k.announce(w, left)
	k.Log.Info("config in force waits for confirmation", "left", left.String(), "keys", strings.Join(w.Keys, ", "))
	k.run(func() { k.settle(w) })
	k.after(left, w.stop, func() { k.decide(w) })
}

// announce shows that a config waits for confirmation.
func (k *Keeper) announce(w *waiting, left time.Duration) {
	k.find(waitingFinding, finding{
		fmt.Sprintf("the config may cut the node off from the network; it is confirmed by any call of an administrator, by the node itself if all works as before, or else taken back in %s", left.Round(time.Second)),
		w.Keys,
	})
	k.show()
}

// settle notes when the change counts as made.
func (k *Keeper) settle(w *waiting) {
	ctx, cancel := context.WithTimeout(k.ctx, settleBound)
	defer cancel()
	_ = k.Engine.Settled(ctx)
	w.made.Store(time.Now().Add(grace).UnixNano())
}

// Reached tells that an administrator called the node from the address. After a
// change was made, that shows that the change left the node in reach.
func (k *Keeper) Reached(from netip.Addr) {
	w := k.waiting.Load()
	if w == nil || !from.IsValid() || from.IsLoopback() {
		return
	}
	made := w.made.Load()
	if made == 0 || time.Now().UnixNano() < made || isOwn(from) {
		return
	}
	w.reached.Store(true)
	if k.mu.TryLock() {
		defer k.mu.Unlock()
		k.confirmReached()
	}
}

// confirmReached confirms the waiting config if a call reached the node.
func (k *Keeper) confirmReached() {
	if w := k.waiting.Load(); w != nil && w.reached.Load() {
		k.confirm(w, "an administrator reached the node")
	}
}

func isOwn(address netip.Addr) bool {
	list, err := net.InterfaceAddrs()
	if err != nil {
		return true // what is not known confirms nothing
	}
	for _, a := range list {
		if prefix, ok := a.(*net.IPNet); ok {
			if own, ok := netip.AddrFromSlice(prefix.IP); ok && own.Unmap() == address.Unmap() {
				return true
			}
		}
	}
	return false
}

// confirm makes the config in force the good one.
func (k *Keeper) confirm(w *waiting, why string) {
	if err := k.Disk.Remove(pendingFile); err != nil {
		k.Log.Error("config is confirmed, but that is not kept", "error", err)
		return // the next call or the end of the time tries again
	}
	w.end()
	k.waiting.Store(nil)
	k.good = k.stored
	k.keepGood()
	k.Log.Info("config is confirmed", "why", why)
	k.clear(waitingFinding)
	k.show()
}

// decide ends the time of a config that no call confirmed: it stays if all works
// as before, or the last good one comes back.
func (k *Keeper) decide(w *waiting) {
	const tries, pause = 3, 5 * time.Second
	var missing []string
	for try := range tries {
		if try > 0 {
			timer := time.NewTimer(pause)
			select {
			case <-timer.C:
			case <-w.stop:
				timer.Stop()
				return
			case <-k.ctx.Done():
				timer.Stop()
				return
			}
		}
		if missing = k.missing(w); len(missing) == 0 {
			break
		}
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	switch {
	case k.waiting.Load() != w:
	case w.reached.Load():
		k.confirm(w, "an administrator reached the node")
	case len(missing) == 0:
		k.confirm(w, "the network works as before")
	default:
		k.takeBack(w, missing)
	}
}

func (k *Keeper) missing(w *waiting) []string {
	k.mu.Lock()
	endpoint := k.active.endpoint()
	k.mu.Unlock()
	return k.Witness.Missing(k.ctx, w.Before, endpoint)
}

// takeBack returns to the last good config.
func (k *Keeper) takeBack(w *waiting, missing []string) {
	why := fmt.Sprintf("no administrator reached the node in time, and %s (changed: %s)", strings.Join(missing, "; "), strings.Join(w.Keys, ", "))
	left := k.active
	if err := k.storeGood(why); err != nil {
		// On disk it is still pending, so the next start takes it back.
		k.Log.Error("last good config is not stored, but goes in force", "error", err)
		k.stored = k.good
	}
	w.end()
	k.waiting.Store(nil)
	k.clear(waitingFinding)
	if err := k.activate(k.good); err != nil {
		k.Log.Error("last good config is not in force: the node restarts", "error", err)
		k.Reboot()
		return
	}
	if machineconfigPlan(left, k.good).NeedsReboot() {
		k.Log.Warn("the node restarts with the last good config")
		k.Reboot()
	}
}
