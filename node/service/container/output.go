package container

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sync"
	"time"

	"golang.org/x/sys/unix"
)

// drain is how long nothing must come after the end of a container for its
// output to be complete.
const drain = 50 * time.Millisecond

// output is the pipe that a container prints into. This end is open for writing
// too, so that the pipe outlives each of its other ends.
type output struct {
	pipe    *os.File
	ending  chan struct{}
	copying sync.WaitGroup
}

// openOutput makes the pipe in a folder, in place of one left from before, and
// copies what comes until Close.
func openOutput(folder, id string, to io.Writer) (*output, error) {
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return nil, fmt.Errorf("make output of container: %s: %w", id, err)
	}
	path := filepath.Join(folder, id)
	if err := os.Remove(path); err != nil && !os.IsNotExist(err) {
		return nil, fmt.Errorf("make output of container: %s: %w", id, err)
	}
	if err := unix.Mkfifo(path, 0o600); err != nil {
		return nil, fmt.Errorf("make output of container: %s: %w", id, err)
	}
	pipe, err := os.OpenFile(path, os.O_RDWR|unix.O_NONBLOCK, 0)
	if err != nil {
		return nil, fmt.Errorf("open output of container: %s: %w", id, err)
	}
	o := &output{pipe: pipe, ending: make(chan struct{})}
	o.copying.Go(func() { o.copy(to) })
	return o, nil
}

// Path is where the pipe lies.
func (o *output) Path() string { return o.pipe.Name() }

func (o *output) copy(to io.Writer) {
	buffer := make([]byte, 16<<10)
	for {
		n, err := o.pipe.Read(buffer)
		if n > 0 {
			_, _ = to.Write(buffer[:n])
		}
		if err != nil {
			return
		}
		select {
		case <-o.ending:
			_ = o.pipe.SetReadDeadline(time.Now().Add(drain))
		default:
		}
	}
}

// Close reads what is left and removes the pipe.
func (o *output) Close() {
	close(o.ending)
	_ = o.pipe.SetReadDeadline(time.Now().Add(drain))
	o.copying.Wait()
	_ = os.Remove(o.pipe.Name())
	_ = o.pipe.Close()
}
