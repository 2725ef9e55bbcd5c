package namespaces

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"time"
)

// Names under which a program that uses this package is started again.
const (
	switchName   = "ichor-cluster-switch"
	launcherName = "ichor-node-launcher"
	stageName    = "ichor-node-stage"
)

// RunIfChild runs the switch, a launcher or a node's first stage if this
// process was started as one of them, and then does not return. A program that
// creates clusters calls it before anything else.
func RunIfChild() {
	var err error
	switch os.Args[0] {
	case switchName:
		err = runSwitch(os.Args[1:])
	case launcherName:
		err = runLauncher(os.Args[1:])
	case stageName:
		err = runStage(os.Args[1:])
	default:
		return
	}
	if err != nil {
		fmt.Fprintf(os.Stderr, "%s: %v\n", os.Args[0], err)
		os.Exit(1)
	}
	os.Exit(0)
}

// joinOutside moves this process into the cluster's control group for processes
// outside of nodes, where Destroy finds it.
func joinOutside(group string) error {
	groups, err := hostGroups("/sys/fs/cgroup")
	if err != nil {
		return err
	}
	return groups.join(filepath.Join(group, outside), os.Getpid())
}

// readyFD is the pipe on which a child tells its parent that it is up ("ok"),
// or why it is not. Further files follow it.
const readyFD = 3

// child starts this program again under name, in a session of its own, and
// waits until it reports that it is up.
func child(name string, args []string, output *os.File, files []*os.File, attr *syscall.SysProcAttr) (pid int, err error) {
	read, write, err := os.Pipe()
	if err != nil {
		return 0, fmt.Errorf("start %s: %w", name, err)
	}
	defer read.Close()
	cmd := exec.Command("/proc/self/exe")
	cmd.Args = append([]string{name}, args...)
	cmd.Dir = "/"
	cmd.Env = []string{"PATH=" + os.Getenv("PATH")}
	cmd.Stdout, cmd.Stderr = output, output
	cmd.ExtraFiles = append([]*os.File{write}, files...)
	cmd.SysProcAttr = attr
	err = cmd.Start()
	write.Close()
	if err != nil {
		return 0, fmt.Errorf("start %s: %w", name, err)
	}
	// Whoever created the cluster may live on; it must not keep zombies.
	go func() { _ = cmd.Wait() }()
	_ = read.SetReadDeadline(time.Now().Add(30 * time.Second))
	answer, err := io.ReadAll(io.LimitReader(read, 4096))
	if err != nil {
		return cmd.Process.Pid, fmt.Errorf("start %s: %w", name, err)
	}
	if string(answer) != "ok" {
		if len(answer) == 0 {
			answer = []byte("it ended without a word: see its log")
		}
		return cmd.Process.Pid, fmt.Errorf("start %s: %w", name, errors.New(string(answer)))
	}
	return cmd.Process.Pid, nil
}

// report answers the parent once and closes the pipe.
func report(err error) {
	pipe := os.NewFile(readyFD, "ready")
	defer pipe.Close()
	if err != nil {
		fmt.Fprint(pipe, err)
		return
	}
	fmt.Fprint(pipe, "ok")
}
