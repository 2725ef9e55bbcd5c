package log

import (
	"bytes"
	"context"
	"io"
	"sync"
)

// Log is the output of one source. It is safe for many writers and readers.
type Log struct {
	id      string
	mu      sync.Mutex
	ring    []byte
	end     int64 // bytes ever written
	changed chan struct{}
	file    *file
	tap     Tap
	partial []byte // of a line whose end has not come, for tap
}

// maxLine bounds a line that a Tap gets, in bytes; a longer one is cut in pieces.
const maxLine = 16 << 10

func (l *Log) setTap(tap Tap) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.tap, l.partial = tap, nil
	if tap != nil {
		l.feed(l.read(l.tail(TailAll), l.end))
	}
}

// feed gives tap the lines in p.
func (l *Log) feed(p []byte) {
	for len(p) > 0 {
		end := bytes.IndexByte(p, '\n')
		if end < 0 && len(l.partial)+len(p) < maxLine {
			l.partial = append(l.partial, p...)
			return
		}
		piece, rest := p, []byte(nil)
		if end >= 0 {
			piece, rest = p[:end], p[end+1:]
		}
		if room := maxLine - len(l.partial); len(piece) > room {
			piece, rest = p[:room], p[room:]
		}
		l.tap(l.id, append(l.partial, piece...))
		l.partial, p = l.partial[:0], rest
	}
}

// ID is the name of the log.
func (l *Log) ID() string { return l.id }

// Write adds p. It never fails and never waits for a reader.
func (l *Log) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.file != nil {
		l.file.write(p)
	}
	l.append(p)
	if l.tap != nil {
		l.feed(p)
	}
	close(l.changed)
	l.changed = make(chan struct{})
	return len(p), nil
}

// append keeps the last RingSize bytes; a byte at offset o (counted from the
// first byte ever written) is at index o modulo RingSize.
func (l *Log) append(p []byte) {
	if len(p) > RingSize {
		l.end += int64(len(p) - RingSize)
		p = p[len(p)-RingSize:]
	}
	for len(p) > 0 {
		at := int(l.end % RingSize)
		room := p[:min(len(p), RingSize-at)]
		if at == len(l.ring) {
			l.ring = append(l.ring, room...)
		} else {
			// Overwriting may reach the end of a ring that has not grown to
			// its bound after an oversized write.
			for len(l.ring) < at+len(room) {
				l.ring = append(l.ring, 0)
			}
			copy(l.ring[at:], room)
		}
		l.end += int64(len(room))
		p = p[len(room):]
	}
}

func (l *Log) persist(f *file) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.file != nil {
		l.file.close()
	}
	l.file = f
	if f != nil {
		f.write(l.read(l.start(), l.end))
	}
}

// start is the offset of the oldest byte that is kept.
func (l *Log) start() int64 { return max(0, l.end-RingSize) }

// read copies the bytes from offset from up to to; both must be kept.
func (l *Log) read(from, to int64) []byte {
	out := make([]byte, 0, to-from)
	for from < to {
		at := from % RingSize
		n := min(to-from, RingSize-at)
		out = append(out, l.ring[at:at+n]...)
		from += n
	}
	return out
}

// TailAll makes a Reader start with the oldest line that is kept.
const TailAll = -1

// Reader reads whole lines from the log. tail is the number of last lines to
// start with, or TailAll. With follow, Read blocks for more until ctx is done
// (then it ends with io.EOF); without, it ends where the log ends now.
func (l *Log) Reader(ctx context.Context, tail int, follow bool) io.Reader {
	l.mu.Lock()
	defer l.mu.Unlock()
	return &reader{log: l, ctx: ctx, at: l.tail(tail), end: l.end, follow: follow}
}

// tail is the offset at which the last n lines begin.
func (l *Log) tail(n int) int64 {
	kept := l.read(l.start(), l.end)
	skipped := 0
	if l.start() > 0 {
		// The oldest line may have lost its beginning.
		if i := bytes.IndexByte(kept, '\n'); i >= 0 {
			skipped = i + 1
		}
	}
	if n < 0 {
		return l.start() + int64(skipped)
	}
	at := len(kept)
	if at > 0 && kept[at-1] == '\n' {
		at--
	}
	for ; n > 0; n-- {
		at = bytes.LastIndexByte(kept[:max(at, 0)], '\n')
		if at < 0 {
			return l.start() + int64(skipped)
		}
	}
	if at == len(kept) {
		return l.end
	}
	return l.start() + int64(max(at+1, skipped))
}

type reader struct {
	log    *Log
	ctx    context.Context
	at     int64
	end    int64
	follow bool
}

// Read implements io.Reader.
func (r *reader) Read(p []byte) (int, error) {
	for {
		r.log.mu.Lock()
		if start := r.log.start(); r.at < start {
			r.at = min(r.log.tail(TailAll), r.log.end)
		}
		end := r.log.end
		if !r.follow {
			end = min(end, r.end)
		}
		n := copy(p, r.log.read(r.at, min(end, r.at+int64(len(p)))))
		changed := r.log.changed
		r.log.mu.Unlock()
		r.at += int64(n)
		if n > 0 || len(p) == 0 {
			return n, nil
		}
		if !r.follow {
			return 0, io.EOF
		}
		select {
		case <-changed:
		case <-r.ctx.Done():
			return 0, io.EOF
		}
	}
}
