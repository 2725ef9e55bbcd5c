package kubelet

import (
	"errors"
	"syscall"
	"time"
)

// podGroup is the control group that kubelet makes for pods.
const podGroup = "kubepods"

// podGrace is how long pods get to end when the machine goes down.
const podGrace = 4 * time.Second

// EndPods ends the processes of all pods, politely first. It is for a machine
// that goes down, while etcd and the container engine still work: pods outlive a
// kubelet that is only restarted. below lists the processes of a control group
// and of those in it.
func EndPods(below func(group string) ([]int, error)) error {
	for _, signal := range []syscall.Signal{syscall.SIGTERM, syscall.SIGKILL} {
		ended, err := signalPods(below, signal)
		if ended || err != nil {
			return err
		}
	}
	return errors.New("end pods: some do not end")
}

// signalPods sends a signal once and waits until no process of a pod is left.
func signalPods(below func(string) ([]int, error), signal syscall.Signal) (ended bool, err error) {
	sent := false
	for deadline := time.Now().Add(podGrace); time.Now().Before(deadline); time.Sleep(50 * time.Millisecond) {
		pids, err := below(podGroup)
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
