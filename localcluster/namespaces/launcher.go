package namespaces

import (
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"syscall"
	"time"

	"github.com/vishvananda/netlink"
	"github.com/vishvananda/netns"
)

// ConsoleFile is what a node printed on its console, in the node's folder.
const ConsoleFile = "console.log"

const (
	clusterNetFD = readyFD + 1
	// crashPause is the pause before a node that crashed starts again.
	crashPause = 2 * time.Second
)

// runLauncher keeps one node: STATE CLUSTER NODE. It ends when the node powers
// off; a node that reboots or crashes starts again.
func runLauncher(args []string) error {
	// The node dies with the thread that started it, so that thread must live
	// as long as the launcher.
	runtime.LockOSThread()
	if len(args) != 3 {
		return errors.New("usage: STATE CLUSTER NODE")
	}
	l, err := newLauncher(Store{Root: args[0]}, args[1], args[2])
	if err != nil {
		report(err)
		return err
	}
	for first := true; ; first = false {
		cmd, err := l.start()
		if first {
			report(err)
		}
		if err != nil {
			return err
		}
		switch ended := l.wait(cmd); ended {
		case syscall.SIGINT:
			return l.cleanUp()
		case syscall.SIGHUP:
		default:
			time.Sleep(crashPause)
		}
	}
}

type launcher struct {
	store  Store
	spec   Spec
	node   Node
	index  int
	folder string
	groups groups
	net    *netlink.Handle
}

func newLauncher(store Store, cluster, name string) (*launcher, error) {
	spec, err := store.load(cluster)
	if err != nil {
		return nil, err
	}
	if err := joinOutside(spec.ID); err != nil {
		return nil, err
	}
	for i, node := range spec.Nodes {
		if node.Name != name {
			continue
		}
		groups, err := hostGroups("/sys/fs/cgroup")
		if err != nil {
			return nil, err
		}
		handle, err := netlink.NewHandleAt(netns.NsHandle(clusterNetFD))
		if err != nil {
			return nil, fmt.Errorf("enter cluster network: %w", err)
		}
		return &launcher{store: store, spec: spec, node: node, index: i, folder: store.node(cluster, name), groups: groups, net: handle}, nil
	}
	return nil, fmt.Errorf("node: %s: is not in cluster %s", name, cluster)
}

// group is the node's control group.
func (l *launcher) group() string { return filepath.Join(l.spec.ID, l.node.Name) }

// start makes a fresh control group and the namespaces, plugs the node into the
// bridge, and lets its first stage go on.
func (l *launcher) start() (*exec.Cmd, error) {
	// What the last start left (kubepods, say) would slow the next one down.
	if err := l.cleanUp(); err != nil {
		return nil, err
	}
	if err := l.groups.make(l.group()); err != nil {
		return nil, err
	}
	if err := l.groups.limit(l.group(), l.node.Memory, l.node.CPUs); err != nil {
		return nil, err
	}
	console, err := os.OpenFile(filepath.Join(l.folder, ConsoleFile), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, fmt.Errorf("open console: %w", err)
	}
	defer console.Close()
	waits, goOn, err := os.Pipe()
	if err != nil {
		return nil, fmt.Errorf("start node: %w", err)
	}
	defer goOn.Close()
	cmd := exec.Command("/proc/self/exe")
	cmd.Args = []string{stageName, l.spec.Rootfs, l.folder, l.spec.Images}
	cmd.Dir = "/"
	cmd.Env = []string{"PATH=/usr/bin:/usr/sbin:/bin:/sbin", "ICHOR_PLATFORM=container", "TERM=linux"}
	cmd.Stdout, cmd.Stderr = console, console
	cmd.ExtraFiles = []*os.File{waits}
	cmd.SysProcAttr = &syscall.SysProcAttr{
		Setsid:    true,
		Pdeathsig: syscall.SIGKILL,
		Cloneflags: syscall.CLONE_NEWNS | syscall.CLONE_NEWPID | syscall.CLONE_NEWUTS |
			syscall.CLONE_NEWIPC | syscall.CLONE_NEWNET,
	}
	err = cmd.Start()
	waits.Close()
	if err != nil {
		return nil, fmt.Errorf("start node: %s: %w", l.node.Name, err)
	}
	err = l.groups.join(l.group(), cmd.Process.Pid)
	if err == nil {
		err = l.plug(cmd.Process.Pid)
	}
	if err == nil {
		_, err = io.WriteString(goOn, "go")
	}
	if err != nil {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
		return nil, fmt.Errorf("start node: %s: %w", l.node.Name, err)
	}
	return cmd, nil
}

// plug makes a pair of interfaces between the bridge and the node's namespace.
func (l *launcher) plug(pid int) error {
	bridge, err := l.net.LinkByName(bridgeName)
	if err != nil {
		return fmt.Errorf("find bridge: %w", err)
	}
	name := fmt.Sprintf("node%d", l.index)
	// An interface vanishes a moment after its namespace; do not wait for that.
	if old, err := l.net.LinkByName(name); err == nil {
		_ = l.net.LinkDel(old)
	}
	pair := &netlink.Veth{
		LinkAttrs:        netlink.LinkAttrs{Name: name, MasterIndex: bridge.Attrs().Index},
		PeerName:         "eth0",
		PeerHardwareAddr: net.HardwareAddr(mac(l.spec.Name, l.node.Name)),
		PeerNamespace:    netlink.NsPid(pid),
	}
	if err := l.net.LinkAdd(pair); err != nil {
		return fmt.Errorf("make interface: %w", err)
	}
	if err := l.net.LinkSetUp(pair); err != nil {
		return fmt.Errorf("set interface up: %w", err)
	}
	return nil
}

// wait blocks until the node's PID 1 ended and says by which signal: SIGHUP is a
// reboot, SIGINT a power-off, and everything else a crash.
func (l *launcher) wait(cmd *exec.Cmd) syscall.Signal {
	err := cmd.Wait()
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		if status, ok := exit.Sys().(syscall.WaitStatus); ok && status.Signaled() {
			return status.Signal()
		}
	}
	fmt.Fprintf(os.Stderr, "node %s crashed: %v\n", l.node.Name, err)
	return 0
}

// cleanUp removes what the node left outside of its namespaces.
func (l *launcher) cleanUp() error {
	return l.groups.remove(l.group(), 10*time.Second)
}
