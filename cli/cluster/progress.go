//go:build linux

package cluster

import (
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/ichor-os/ichor/localcluster"
)

// progress writes what happens: a line per step, or, on a terminal, a line per
// node that is written again.
type progress struct {
	out      io.Writer
	terminal bool

	mu    sync.Mutex
	nodes []string
	steps map[string]localcluster.Event
	drawn int
}

func newProgress(out io.Writer) *progress {
	return &progress{out: out, terminal: isTerminal(out), steps: map[string]localcluster.Event{}}
}

// isTerminal reports whether somebody looks at the output as it comes.
func isTerminal(out io.Writer) bool {
	file, ok := out.(*os.File)
	if !ok || os.Getenv("TERM") == "dumb" {
		return false
	}
	info, err := file.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0 && file.Name() != os.DevNull
}

func (p *progress) tell(event localcluster.Event) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.terminal {
		fmt.Fprintln(p.out, line(event))
		return
	}
	if _, known := p.steps[event.Node]; !known {
		p.nodes = append(p.nodes, event.Node)
	}
	p.steps[event.Node] = event
	p.draw()
}

func line(event localcluster.Event) string {
	node := event.Node
	if node == "" {
		node = "cluster"
	}
	return fmt.Sprintf("%7s  %-32s %s", event.Since.Round(100*time.Millisecond), node, event.Step)
}

func (p *progress) draw() {
	var text strings.Builder
	if p.drawn > 0 {
		fmt.Fprintf(&text, "\x1b[%dA", p.drawn)
	}
	for _, node := range p.nodes {
		text.WriteString("\x1b[2K" + line(p.steps[node]) + "\n")
	}
	p.drawn = len(p.nodes)
	_, _ = io.WriteString(p.out, text.String())
}

// end leaves what is on the terminal where it is.
func (p *progress) end() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.drawn = 0
}
