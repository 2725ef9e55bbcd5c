package main

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"
)

// asPause makes the test binary act as the program, with a child that ends at
// once and a grandchild that its parent leaves behind.
const asPause = "ICHOR_TEST_AS_PAUSE"

func TestMain(m *testing.M) {
	if os.Getenv(asPause) == "" {
		os.Exit(m.Run())
	}
	if err := exec.Command("sh", "-c", "sleep 0 & exit").Start(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	fmt.Println("started")
	os.Args = os.Args[:1]
	main()
	os.Exit(0)
}

func TestPause_ReapsOrphansAndEndsOnASignal(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("needs root to be the first process of a namespace")
	}
	for _, signal := range []syscall.Signal{syscall.SIGTERM, syscall.SIGINT} {
		t.Run(signal.String(), func(t *testing.T) {
			cmd := exec.Command(os.Args[0])
			cmd.Env = append(os.Environ(), asPause+"=1")
			cmd.SysProcAttr = &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWPID}
			cmd.Stderr = os.Stderr
			stdout, err := cmd.StdoutPipe()
			if err != nil {
				t.Fatal(err)
			}
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			if line, err := bufio.NewReader(stdout).ReadString('\n'); err != nil {
				t.Fatalf("pause did not start: %q, %v", line, err)
			}
			waitForNoChildren(t, cmd.Process.Pid)
			if err := cmd.Process.Signal(signal); err != nil {
				t.Fatal(err)
			}
			if err := cmd.Wait(); err != nil {
				t.Errorf("after %v: %v, want exit code 0", signal, err)
			}
		})
	}
}

// waitForNoChildren waits until a process that has had children has none left,
// not even dead ones. Then it has set up its signals, too.
func waitForNoChildren(t *testing.T, pid int) {
	t.Helper()
	for deadline := time.Now().Add(20 * time.Second); time.Now().Before(deadline); runtime.Gosched() {
		if len(childrenOf(pid)) == 0 {
			return
		}
	}
	t.Fatalf("children %v are still there", childrenOf(pid))
}

// childrenOf lists the children of all threads of a process, zombies included.
func childrenOf(pid int) []string {
	threads, err := os.ReadDir(fmt.Sprintf("/proc/%d/task", pid))
	if err != nil {
		return nil
	}
	var children []string
	for _, thread := range threads {
		content, err := os.ReadFile(fmt.Sprintf("/proc/%d/task/%s/children", pid, thread.Name()))
		if err == nil {
			children = append(children, strings.Fields(string(content))...)
		}
	}
	return children
}
