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
)

// StartStopped starts the nodes that are off beside those that run, and gives
// their names. A node that is just starting again is none of them. In a cluster
// of which nothing runs it is an error: Start starts that.
func (s Store) StartStopped(ctx context.Context, name string) ([]string, error) {
	unlock, err := s.lock(name)
	if err != nil {
		return nil, err
	}
	defer unlock()
	spec, err := s.load(name)
	if err != nil {
		return nil, err
	}
	network, launched, err := outsideOf(spec)
	if err != nil {
		return nil, fmt.Errorf("start nodes: %s: %w", name, err)
	}
	log, err := os.OpenFile(filepath.Join(s.cluster(name), "launcher.log"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("open log: %w", err), network.Close())
	}
	defer log.Close()
	defer network.Close()
	var started []string
	for _, node := range spec.Nodes {
		if ctx.Err() != nil {
			return started, ctx.Err()
		}
		if slices.Contains(launched, node.Name) {
			continue
		}
		if err := s.launch(spec, node, log, network); err != nil {
			return started, fmt.Errorf("start node: %s: %w", node.Name, err)
		}
		started = append(started, node.Name)
	}
	return started, nil
}

// launch starts the launcher of a node, which starts the node.
func (s Store) launch(spec Spec, node Node, log, network *os.File) error {
	_, err := child(launcherName, []string{s.Root, spec.Name, node.Name}, log, []*os.File{network}, &syscall.SysProcAttr{Setsid: true})
	return err
}

// outsideOf finds what runs of a cluster beside its nodes: the network that its
// switch keeps, and the nodes that have a launcher.
func outsideOf(spec Spec) (network *os.File, launched []string, err error) {
	groups, err := hostGroups("/sys/fs/cgroup")
	if err != nil {
		return nil, nil, err
	}
	pids, err := groups.processes(filepath.Join(spec.ID, outside))
	if err != nil {
		return nil, nil, err
	}
	for _, pid := range pids {
		folder := "/proc/" + strconv.Itoa(pid)
		line, err := os.ReadFile(folder + "/cmdline")
		if err != nil {
			continue // it has just ended
		}
		switch args := strings.Split(strings.TrimRight(string(line), "\x00"), "\x00"); args[0] {
		case launcherName:
			launched = append(launched, args[len(args)-1])
		case switchName:
			if network, err = os.Open(folder + "/ns/net"); err != nil {
				return nil, nil, fmt.Errorf("open cluster network: %w", err)
			}
		}
	}
	if network == nil {
		return nil, nil, errors.New("nothing of the cluster runs")
	}
	return network, launched, nil
}
