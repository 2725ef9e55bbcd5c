// Package trace tells how a run came about and where it is: the chain of
// commits that led to it, and the stack of the goroutine that it is in.
package trace

import (
	"runtime"
	"strings"
)

// Chain is a commit and the commits that caused it, newest first. It begins
// with something from outside the reconcilers, which is a nil chain. Chains are
// immutable but for what they forget.
type Chain[T comparable] struct {
	by     T
	parent *Chain[T]
	depth  int
}

// memory is how many links of a chain are kept. A chain that has come twice as
// far comes from a loop, whatever the loop's length.
const memory = 512

// Then gives the chain of a commit by by, which ran because of c.
func (c *Chain[T]) Then(by T) *Chain[T] {
	next := &Chain[T]{by: by, parent: c, depth: c.Depth() + 1}
	if next.depth%memory != 0 {
		return next
	}
	last := next
	for n := 1; n < memory && last.parent != nil; n++ {
		last = last.parent
	}
	last.parent = nil
	return next
}

// Depth is the number of commits that led here.
func (c *Chain[T]) Depth() int {
	if c == nil {
		return 0
	}
	return c.depth
}

// Loops says whether another run of by would be one of a loop: it is in the
// chain limit times, or the chain is too long to be anything else.
func (c *Chain[T]) Loops(by T, limit int) bool {
	n := 0
	for l := c; l != nil; l = l.parent {
		if l.by == by {
			n++
		}
	}
	return n >= limit || (n > 0 && c.depth >= 2*memory)
}

// Round names who is in the chain from its newest link to the one before by.
func (c *Chain[T]) Round(by T, name func(T) string) []string {
	var out []string
	for ; c != nil; c = c.parent {
		out = append(out, name(c.by))
		if c.by == by && len(out) > 1 {
			break
		}
	}
	return out
}

// Goroutine names the caller's goroutine for [Stack].
func Goroutine() string {
	var buf [64]byte
	fields := strings.Fields(string(buf[:runtime.Stack(buf[:], false)]))
	if len(fields) < 2 {
		return ""
	}
	return "goroutine " + fields[1] + " "
}

// Stack gives the stack of a goroutine, or nothing when it has ended.
func Stack(goroutine string) string {
	buf := make([]byte, 1<<20)
	all := string(buf[:runtime.Stack(buf, true)])
	for g := range strings.SplitSeq(all, "\n\n") {
		if goroutine != "" && strings.HasPrefix(g, goroutine) {
			return g
		}
	}
	return ""
}
