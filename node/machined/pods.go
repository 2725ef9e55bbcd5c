package machined

import (
	"context"
	"errors"
	"syscall"
	"time"

	"github.com/ichor-os/ichor/node/service"
)

// podGrace is how long pods get to end when the machine goes down.
const podGrace = 4 * time.Second

// withPods runs kubelet and, when the machine goes down, ends what it started:
// pods outlive a kubelet that is only restarted.
type withPods struct {
	service.Runner
	node *node
}

// Run implements service.Runner.
func (w *withPods) Run(ctx context.Context, started func(what string)) error {
	err := w.Runner.Run(ctx, started)
	if w.node.ending.Load() {
		err = errors.Join(err, w.node.endPods())
	}
	return err
}

// endPods asks the processes of all pods to end, while etcd and the container
// engine still work, and kills those that do not.
func (n *node) endPods() error {
	for _, signal := range []syscall.Signal{syscall.SIGTERM, syscall.SIGKILL} {
		ended, err := n.signalPods(signal)
		if ended || err != nil {
			return err
		}
	}
	return errors.New("end pods: some do not end")
}

// signalPods sends a signal once and waits until no process of a pod is left.
func (n *node) signalPods(signal syscall.Signal) (ended bool, err error) {
	sent := false
	for deadline := time.Now().Add(podGrace); time.Now().Before(deadline); time.Sleep(50 * time.Millisecond) {
		pids, err := n.groups.ProcessesBelow("kubepods")
		if err != nil || len(pids) == 0 {
			return err == nil, err
		}
		for _, pid := range pids {
			if !sent {
				_ = syscall.Kill(pid, signal)
			}
		}
		sent = true
	}
	return false, nil
}
