package export

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"sync"
	"time"

	"github.com/ichor-os/ichor/node/log/spec"
)

// Bounds are the times of sending.
type Bounds struct {
	// Connect is how long an attempt may take.
	Connect time.Duration
	// Silence is how long the other side may confirm nothing.
	Silence time.Duration
	// First and Last are the shortest and longest pause between attempts.
	First, Last time.Duration
}

// DefaultBounds are those of a node.
var DefaultBounds = Bounds{Connect: 10 * time.Second, Silence: 30 * time.Second, First: 250 * time.Millisecond, Last: 30 * time.Second}

// batch bounds what is written at once, in bytes.
const batch = 64 << 10

// destination sends what is in its queue, in its own goroutine.
type destination struct {
	queue  *queue
	bounds Bounds
	// told is called after each change of the status; it must not wait.
	told func()
	end  context.CancelFunc
	done chan struct{}

	mu     sync.Mutex
	want   spec.DestinationSpec
	status spec.DestinationStatusSpec
	// unsure are entries that were written and not confirmed.
	unsure []written
}

// written is an entry and where its line ends in the stream.
type written struct {
	entry Entry
	end   int64
}

func (d *destination) set(state string, err error) {
	d.mu.Lock()
	d.status.State = state
	if err != nil {
		d.status.Problem = err.Error()
	} else if state == spec.StateConnected {
		d.status.Problem = ""
	}
	d.mu.Unlock()
	d.told()
}

func (d *destination) desired() spec.DestinationSpec {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.want
}

// report is the status with its counts.
func (d *destination) report() spec.DestinationStatusSpec {
	d.mu.Lock()
	defer d.mu.Unlock()
	out := d.status
	out.Endpoint, out.Content = d.want.Endpoint, d.want.Content
	out.Queued, out.Lost = d.queue.counts()
	out.Queued += uint64(len(d.unsure))
	return out
}

// run connects and sends until ctx ends, with growing pauses between failures.
func (d *destination) run(ctx context.Context) {
	defer close(d.done)
	pause := d.bounds.First
	d.set(spec.StateConnecting, nil)
	for ctx.Err() == nil {
		conn, err := connect(ctx, d.desired(), d.bounds)
		if err == nil {
			d.set(spec.StateConnected, nil)
			began := time.Now()
			err = d.pump(ctx, conn)
			if time.Since(began) > d.bounds.Last {
				pause = d.bounds.First
			}
		}
		if ctx.Err() != nil {
			return
		}
		d.set(spec.StateWaiting, err)
		// Nodes that lost the same server do not come back all at once.
		timer := time.NewTimer(pause/2 + rand.N(pause/2+1))
		select {
		case <-timer.C:
		case <-ctx.Done():
		}
		timer.Stop()
		pause = min(2*pause, d.bounds.Last)
	}
}

// pump sends until the connection or ctx ends. What was not confirmed then goes
// back into the queue: a line may come twice, but none is left out.
func (d *destination) pump(ctx context.Context, conn *link) (err error) {
	closed := make(chan error, 1)
	go func() {
		// A receiver has nothing to say; the end of the connection is all that
		// comes.
		_, err := io.Copy(io.Discard, conn)
		closed <- errors.Join(errors.New("the receiver closed the connection"), err)
	}()
	defer func() {
		d.settle(conn)
		conn.Close()
		<-closed
		d.mu.Lock()
		var again []Entry
		for _, w := range d.unsure {
			again = append(again, w.entry)
		}
		d.unsure = nil
		d.status.Sent -= uint64(len(again))
		d.mu.Unlock()
		d.queue.back(again)
	}()
	confirm := time.NewTicker(max(d.bounds.Silence/30, 10*time.Millisecond))
	defer confirm.Stop()
	for {
		entries, changed := d.queue.take(batch, func() Entry { return Entry{At: time.Now()} })
		if len(entries) > 0 {
			if err := d.write(conn, entries); err != nil {
				return err
			}
		}
		d.settle(conn)
		if len(entries) > 0 && ctx.Err() == nil {
			select {
			case err := <-closed:
				closed <- err
				return err
			default:
				continue
			}
		}
		select {
		case <-changed:
		case <-confirm.C:
		case err := <-closed:
			closed <- err
			return err
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// write sends entries, as one write on a stream or as a datagram each.
func (d *destination) write(conn *link, entries []Entry) error {
	tags := d.desired().Tags
	if err := conn.SetWriteDeadline(time.Now().Add(d.bounds.Silence)); err != nil {
		return fmt.Errorf("send: %w", err)
	}
	var text []byte
	d.mu.Lock()
	d.status.Sent += uint64(len(entries))
	for _, e := range entries {
		// Where it ends is known after the write; until then it is unsure.
		d.unsure = append(d.unsure, written{e, 1 << 62})
	}
	d.mu.Unlock()
	for _, e := range entries {
		line := e.encode(tags)
		if !conn.packet {
			text = append(text, line...)
			continue
		}
		if len(line) > 60<<10 {
			line = Entry{At: e.At, Service: e.Service, Text: "a line is too long for a datagram"}.encode(tags)
		}
		// Nobody listens at the moment: the datagram is gone, as others are.
		if _, err := conn.Write(line); err != nil && !errors.Is(err, errRefused) {
			return fmt.Errorf("send: %w", err)
		}
	}
	if !conn.packet {
		if _, err := conn.Write(text); err != nil {
			return fmt.Errorf("send: %w", err)
		}
	}
	end := conn.sent.written.Load()
	d.mu.Lock()
	for i := range entries {
		d.unsure[len(d.unsure)-1-i].end = end
	}
	d.mu.Unlock()
	return nil
}

// settle forgets what the other side has.
func (d *destination) settle(conn *link) {
	confirmed := conn.confirmed()
	d.mu.Lock()
	defer d.mu.Unlock()
	n := 0
	for n < len(d.unsure) && d.unsure[n].end <= confirmed {
		n++
	}
	if n > 0 {
		d.unsure = append([]written(nil), d.unsure[n:]...)
	}
}

// drained tells whether all is with the other side.
func (d *destination) drained() bool { return d.report().Queued == 0 }
