package config

import (
	"context"
	"slices"
	"strings"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/ichor-os/ichor/api/applyconfig"
	machinepb "github.com/ichor-os/ichor/api/machine"
	machineconfig "github.com/ichor-os/ichor/config"
	"github.com/ichor-os/ichor/config/plan"
)

// A change is a config that comes, with what it takes.
type change struct {
	request
	from *version
	plan *plan.Plan
	// cuts: it may cut the network off, so it has to be confirmed.
	cuts bool
}

// A trial is a config in force that is not stored.
type trial struct {
	back *version
	stop chan struct{}
}

func machineconfigPlan(from, to *version) *plan.Plan {
	return machineconfig.Plan(from.config, to.config)
}

// consider decides what becomes of a request: the mode is the one that will be.
func (k *Keeper) consider(q request) (*change, error) {
	c := &change{request: q, from: k.active, plan: machineconfigPlan(k.active, q.version)}
	c.cuts = c.plan.MayCut()
	if k.waiting.Load() != nil {
		// What is in force now is not known to be good either.
		c.cuts = c.cuts || machineconfigPlan(k.good, q.version).MayCut()
	}
	reboot := c.plan.NeedsReboot()
	switch q.mode {
	case machinepb.ApplyConfigurationRequest_AUTO:
		c.mode = machinepb.ApplyConfigurationRequest_NO_REBOOT
		if reboot {
			c.mode = machinepb.ApplyConfigurationRequest_REBOOT
		}
	case machinepb.ApplyConfigurationRequest_NO_REBOOT, machinepb.ApplyConfigurationRequest_TRY:
		if reboot {
			return nil, status.Errorf(codes.FailedPrecondition, "these keys need a reboot: %s: use --mode=reboot or --mode=staged", strings.Join(keysOf(c.plan, needsReboot), ", "))
		}
	}
	if c.mode == machinepb.ApplyConfigurationRequest_TRY {
		c.cuts = false // it is taken back anyway
	}
	if k.waiting.Load() != nil && (c.mode == machinepb.ApplyConfigurationRequest_TRY || c.mode == machinepb.ApplyConfigurationRequest_STAGED) {
		return nil, status.Error(codes.FailedPrecondition, "the config in force is not confirmed yet: try again in a few seconds")
	}
	return c, nil
}

func needsReboot(s plan.Step) bool { return s.Reboot }
func mayCut(s plan.Step) bool      { return s.Cut }

func keysOf(p *plan.Plan, which func(plan.Step) bool) []string {
	var keys []string
	for _, s := range p.Steps {
		if !which(s) {
			continue
		}
		key := s.Document
		if s.Path != "" {
			key += ": " + s.Path
		}
		keys = append(keys, key)
	}
	return keys
}

// keys are those that may cut the network off.
func (c *change) keys() []string { return keysOf(c.plan, mayCut) }

// apply makes the change: on disk first, then in force.
func (k *Keeper) apply(ctx context.Context, c *change) error {
	if c.mode == machinepb.ApplyConfigurationRequest_TRY {
		return k.try(c)
	}
	old := k.waiting.Load()
	w := k.toConfirm(ctx, c, old)
	if err := k.store(c.version, w); err != nil {
		return status.Errorf(codes.Internal, "%v", err)
	}
	if old != nil {
		old.end()
		k.waiting.Store(nil)
		k.clear(waitingFinding)
	}
	k.forget()
	switch c.mode {
	case machinepb.ApplyConfigurationRequest_STAGED:
		return k.publish(k.active)
	case machinepb.ApplyConfigurationRequest_REBOOT:
		err := k.publish(k.active)
		k.Reboot()
		return err
	}
	k.endTrial()
	if w == nil {
		k.good = c.version
		k.keepGood()
	}
	if w == nil {
		return k.publish(c.version)
	}
	// The answer goes ahead, as it may not get through afterwards.
	w.stop = make(chan struct{})
	k.waiting.Store(w)
	k.announce(w, w.Bound)
	k.after(answerFirst, w.stop, func() { k.effect(w, c.version) })
	return nil
}

// effect puts a config in force that has to be confirmed.
func (k *Keeper) effect(w *waiting, v *version) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.waiting.Load() != w {
		return // another one came meanwhile
	}
	if err := k.activate(v); err != nil {
		k.takeBack(w, []string{err.Error()})
		return
	}
	k.wait(w)
}

// toConfirm says what has to be confirmed of a change; nil is nothing. A change
// that comes on top of one that is not confirmed has to keep what worked before
// both.
func (k *Keeper) toConfirm(ctx context.Context, c *change, old *waiting) *waiting {
	if !c.cuts {
		return nil
	}
	w := &waiting{pending: pending{Configs: []string{applyconfig.Digest(c.version.text)}, Bound: c.bound, Keys: c.keys()}}
	if old == nil {
		w.Before = k.Witness.Look(ctx, k.active.endpoint())
		return w
	}
	w.Configs = append(w.Configs, old.Configs...)
	w.Before = old.Before
	for _, key := range old.Keys {
		if !slices.Contains(w.Keys, key) {
			w.Keys = append(w.Keys, key)
		}
	}
	return w
}

func (k *Keeper) publish(v *version) error {
	if err := k.activate(v); err != nil {
		return status.Errorf(codes.Internal, "%v", err)
	}
	return nil
}

// store writes the config; one that may cut the network off only after what is
// needed to come back.
func (k *Keeper) store(v *version, w *waiting) error {
	if w != nil {
		if err := k.Disk.Write(goodFile, k.good.text); err != nil {
			return err
		}
		if err := w.write(k.Disk); err != nil {
			return err
		}
	}
	if err := k.Disk.Write(storedFile, v.text); err != nil {
		return err
	}
	k.stored = v
	if w != nil {
		return nil
	}
	return k.Disk.Remove(pendingFile)
}

// try puts a config in force for a while. It is not stored: a node that starts
// meanwhile has the config of before.
func (k *Keeper) try(c *change) error {
	back := k.active
	if k.trial != nil {
		back = k.trial.back
	}
	k.endTrial()
	t := &trial{back: back, stop: make(chan struct{})}
	if err := k.publish(c.version); err != nil {
		return err
	}
	k.trial = t
	k.after(c.trial, t.stop, func() { k.endOfTrial(t, c.trial) })
	return nil
}

// endTrial makes that the config which is tried does not go away by itself.
func (k *Keeper) endTrial() {
	if k.trial != nil {
		close(k.trial.stop)
		k.trial = nil
	}
}

func (k *Keeper) endOfTrial(t *trial, bound time.Duration) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.trial != t {
		return
	}
	k.trial = nil
	if err := k.activate(t.back); err != nil {
		k.Log.Error("config that was tried stays in force: the node restarts with the stored one", "error", err)
		k.Reboot()
		return
	}
	k.Log.Info("config that was tried is taken back", "after", bound.String())
}
