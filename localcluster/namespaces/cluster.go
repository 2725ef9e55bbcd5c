package namespaces

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// outside is the control group of a cluster's switch and launchers; the dot
// keeps it apart from nodes.
const outside = ".outside"

// Create makes a cluster and starts its nodes, up to their PID 1. On failure
// nothing of it is left.
func (s Store) Create(ctx context.Context, spec Spec) (Spec, error) {
	if os.Geteuid() != 0 {
		return spec, errors.New("create cluster: namespaces need root: run the command with sudo")
	}
	spec.ID = s.group(spec.Name)
	spec, err := spec.complete()
	if err != nil {
		return spec, err
	}
	unlock, err := s.lock(spec.Name)
	if err != nil {
		return spec, err
	}
	defer unlock()
	if _, err := os.Stat(filepath.Join(spec.Rootfs, initPath)); err != nil {
		return spec, fmt.Errorf("create cluster: root file system: %w", err)
	}
	if err := s.prepare(spec); err != nil {
		return spec, err
	}
	if err := s.start(ctx, spec); err != nil {
		return spec, errors.Join(fmt.Errorf("create cluster: %s: %w", spec.Name, err), s.remove(spec.Name))
	}
	return spec, nil
}

// Start starts the nodes of a cluster whose processes are all gone, after a
// reboot of the computer, say.
func (s Store) Start(ctx context.Context, name string) (Spec, error) {
	unlock, err := s.lock(name)
	if err != nil {
		return Spec{}, err
	}
	defer unlock()
	spec, err := s.load(name)
	if err != nil {
		return spec, err
	}
	if err := endProcesses(s.group(name)); err != nil {
		return spec, err
	}
	if err := s.start(ctx, spec); err != nil {
		return spec, errors.Join(fmt.Errorf("start cluster: %s: %w", name, err), endProcesses(s.group(name)))
	}
	return spec, nil
}

func (s Store) start(ctx context.Context, spec Spec) error {
	groups, err := hostGroups("/sys/fs/cgroup")
	if err != nil {
		return err
	}
	if err := groups.make(filepath.Join(spec.ID, outside)); err != nil {
		return err
	}
	listeners, err := listen(spec)
	if err != nil {
		return err
	}
	defer closeAll(listeners)
	log, err := os.OpenFile(filepath.Join(s.cluster(spec.Name), "launcher.log"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return fmt.Errorf("open log: %w", err)
	}
	defer log.Close()
	pid, err := child(switchName, []string{s.Root, spec.Name}, log, listeners,
		&syscall.SysProcAttr{Setsid: true, Cloneflags: syscall.CLONE_NEWNET})
	if err != nil {
		return err
	}
	network, err := os.Open("/proc/" + strconv.Itoa(pid) + "/ns/net")
	if err != nil {
		return fmt.Errorf("open cluster network: %w", err)
	}
	defer network.Close()
	for _, node := range spec.Nodes {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := s.launch(spec, node, log, network); err != nil {
			return err
		}
	}
	return nil
}

// Destroy ends every process of the cluster and removes its control groups and
// its folder. It works from what is there, however the cluster came to rest,
// and repeating it is no error.
func (s Store) Destroy(_ context.Context, name string) error {
	if !namePattern.MatchString(name) {
		return fmt.Errorf("destroy cluster: %q: is no cluster name", name)
	}
	unlock, err := s.lock(name)
	if err != nil {
		return err
	}
	defer unlock()
	return s.remove(name)
}

func (s Store) remove(name string) error {
	if err := endProcesses(s.group(name)); err != nil {
		return fmt.Errorf("destroy cluster: %s: %w", name, err)
	}
	if err := os.RemoveAll(s.cluster(name)); err != nil {
		return fmt.Errorf("destroy cluster: %w", err)
	}
	return nil
}

// endProcesses kills the launchers first, as they start nodes again, then all
// that is left, and removes the control groups.
func endProcesses(group string) error {
	groups, err := hostGroups("/sys/fs/cgroup")
	if err != nil {
		return err
	}
	if err := groups.remove(filepath.Join(group, outside), 10*time.Second); err != nil {
		return err
	}
	return groups.remove(group, 20*time.Second)
}

// NodeStatus is a node as Show finds it.
type NodeStatus struct {
	Node
	// State is "running" or "stopped".
	State string
	// PID is the node's PID 1 as this computer sees it, or 0.
	PID int
	// Folder holds the node's meta, state and var folders and its console.
	Folder string
}

// Status is a cluster as Show finds it.
type Status struct {
	Spec  Spec
	Nodes []NodeStatus
}

// Show looks at one cluster.
func (s Store) Show(name string) (Status, error) {
	spec, err := s.load(name)
	if err != nil {
		return Status{}, err
	}
	groups, err := hostGroups("/sys/fs/cgroup")
	if err != nil {
		return Status{}, err
	}
	status := Status{Spec: spec}
	for _, node := range spec.Nodes {
		found := NodeStatus{Node: node, State: "stopped", Folder: s.node(name, node.Name)}
		pids, err := groups.processes(filepath.Join(spec.ID, node.Name))
		if err != nil {
			return Status{}, err
		}
		for _, pid := range pids {
			if isInit(pid) {
				found.State, found.PID = "running", pid
			}
		}
		status.Nodes = append(status.Nodes, found)
	}
	return status, nil
}

// isInit reports whether the process is PID 1 of a namespace one level down.
func isInit(pid int) bool {
	text, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/status")
	if err != nil {
		return false
	}
	for line := range strings.Lines(string(text)) {
		if rest, ok := strings.CutPrefix(line, "NSpid:"); ok {
			ids := strings.Fields(rest)
			return len(ids) == 2 && ids[1] == "1"
		}
	}
	return false
}

// List names the clusters of this computer in order.
func (s Store) List() ([]string, error) {
	entries, err := os.ReadDir(s.Root)
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("list clusters: %w", err)
	}
	var names []string
	for _, entry := range entries {
		if _, err := os.Stat(filepath.Join(s.Root, entry.Name(), specFile)); err == nil {
			names = append(names, entry.Name())
		}
	}
	slices.Sort(names)
	return names, nil
}
