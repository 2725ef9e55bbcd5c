package log

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// PodFolder is where kubelet keeps the logs of pods' containers.
const PodFolder = "/var/log/pods"

// podPoll is how often a followed log is looked at for more.
const podPoll = 200 * time.Millisecond

// Pods are the logs of pods' containers, which the container engine writes and
// kubelet rotates: NAMESPACE_POD_UID/CONTAINER/N.log, where N counts starts.
type Pods struct{ Folder string }

// IDs names the containers that have a log: NAMESPACE/POD:CONTAINER.
func (p Pods) IDs() ([]string, error) {
	folders, err := filepath.Glob(filepath.Join(p.Folder, "*_*_*", "*"))
	if err != nil {
		return nil, err
	}
	var ids []string
	for _, folder := range folders {
		parts := strings.Split(filepath.Base(filepath.Dir(folder)), "_")
		ids = append(ids, parts[0]+"/"+parts[1]+":"+filepath.Base(folder))
	}
	slices.Sort(ids)
	return slices.Compact(ids), nil
}

// Find gives the newest log of a container, or ErrNotRegistered.
func (p Pods) Find(id string) (string, error) {
	missing := fmt.Errorf("log %q %w", id, ErrNotRegistered)
	pod, container, ok := strings.Cut(id, ":")
	namespace, name, inNamespace := strings.Cut(pod, "/")
	if !ok || !inNamespace || strings.ContainsAny(id, `*?[\`) || strings.Contains(container, "/") || strings.Contains(id, "..") {
		return "", missing
	}
	paths, err := filepath.Glob(filepath.Join(p.Folder, namespace+"_"+name+"_*", container, "*.log"))
	if err != nil || len(paths) == 0 {
		return "", errors.Join(missing, err)
	}
	newest := slices.MaxFunc(paths, func(a, b string) int { return modified(a).Compare(modified(b)) })
	return newest, nil
}

func modified(path string) time.Time {
	info, err := os.Stat(path)
	if err != nil {
		return time.Time{}
	}
	return info.ModTime()
}

// Copy writes the log of a container to out, line by line, from the last tail
// lines on (all for TailAll). With follow it goes on, over rotations and new
// starts of the container, until ctx ends.
func (p Pods) Copy(ctx context.Context, id string, tail int, follow bool, out io.Writer) error {
	path, err := p.Find(id)
	if err != nil {
		return err
	}
	file, err := openLog(path)
	if err != nil {
		return err
	}
	defer func() { file.Close() }()
	if tail >= 0 {
		if err := seekTail(file, tail); err != nil {
			return err
		}
	}
	lines := &criLines{out: out}
	for {
		if _, err := io.Copy(lines, file); err != nil {
			return err
		}
		if !follow {
			return lines.flush()
		}
		if !wait(ctx, podPoll) {
			return nil
		}
		next, err := p.Find(id)
		if errors.Is(err, ErrNotRegistered) {
			return lines.flush() // the pod is gone
		}
		if err != nil {
			return err
		}
		if same(file, next) {
			continue
		}
		// What was written between the last look and the rotation.
		if _, err := io.Copy(lines, file); err != nil {
			return err
		}
		opened, err := openLog(next)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return err
		}
		file.Close()
		file = opened
	}
}

// openLog opens a regular file; anything else could block.
func openLog(path string) (*os.File, error) {
	file, err := os.OpenFile(path, os.O_RDONLY|unix.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	if info, err := file.Stat(); err != nil || !info.Mode().IsRegular() {
		file.Close()
		return nil, errors.Join(fmt.Errorf("read log: %s: it is no regular file", path), err)
	}
	return file, nil
}

func same(file *os.File, path string) bool {
	now, err := os.Stat(path)
	if err != nil {
		return true // it is being rotated; look again
	}
	then, err := file.Stat()
	return err == nil && os.SameFile(now, then)
}

func wait(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}

// seekTail goes to where the last n lines begin, reading backwards.
func seekTail(file *os.File, n int) error {
	end, err := file.Seek(0, io.SeekEnd)
	if err != nil || n == 0 {
		return err
	}
	const block = 32 << 10
	found := 0
	for at := end; at > 0; {
		size := min(block, at)
		at -= size
		text := make([]byte, size)
		if _, err := file.ReadAt(text, at); err != nil {
			return err
		}
		for i := len(text) - 1; i >= 0; i-- {
			if text[i] != '\n' || at+int64(i) == end-1 {
				continue
			}
			if found++; found == n {
				_, err := file.Seek(at+int64(i)+1, io.SeekStart)
				return err
			}
		}
	}
	_, err = file.Seek(0, io.SeekStart)
	return err
}

// criLines takes the format of the container engine, TIME STREAM TAG TEXT, and
// gives the text. A tag P marks a part: its line goes on in the next.
type criLines struct {
	out  io.Writer
	rest []byte
}

// Write implements io.Writer.
func (c *criLines) Write(p []byte) (int, error) {
	c.rest = append(c.rest, p...)
	for {
		end := bytes.IndexByte(c.rest, '\n')
		if end < 0 {
			return len(p), nil
		}
		if err := c.line(c.rest[:end]); err != nil {
			return 0, err
		}
		c.rest = append([]byte(nil), c.rest[end+1:]...)
	}
}

func (c *criLines) line(line []byte) error {
	fields := bytes.SplitN(line, []byte(" "), 4)
	text, whole := line, true
	if len(fields) == 4 {
		if _, err := time.Parse(time.RFC3339Nano, string(fields[0])); err == nil {
			text, whole = fields[3], string(fields[2]) != "P"
		}
	}
	if whole {
		text = append(slices.Clone(text), '\n')
	}
	_, err := c.out.Write(text)
	return err
}

// flush gives a line that was cut short.
func (c *criLines) flush() error {
	if len(c.rest) == 0 {
		return nil
	}
	return c.line(c.rest)
}

// pods tells whether a request is about a pod's container.
func pods(namespace string) bool { return namespace == "k8s.io" }

// parseID drops what some clients add to the name: the container's short id.
func parseID(id string) string {
	parts := strings.Split(id, ":")
	if len(parts) == 3 {
		if _, err := strconv.ParseUint(parts[2], 16, 64); err == nil {
			return parts[0] + ":" + parts[1]
		}
	}
	return id
}
