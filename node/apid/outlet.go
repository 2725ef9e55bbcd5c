package apid

import (
	"sync"
	"sync/atomic"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// outlet is the way of answers to a caller. It notices when the caller has
// stopped reading.
type outlet struct {
	stream  grpc.ServerStream
	limit   time.Duration
	consent consent
	opened  time.Time

	mu sync.Mutex
	// sending is the time since opened when the present send began, 0 between
	// sends.
	sending atomic.Int64
}

// consent tells whether a call may go on, and what to wait for until it should
// be asked again.
type consent func() (changed <-chan struct{}, err error)

func newOutlet(stream grpc.ServerStream, limit time.Duration, may consent) *outlet {
	return &outlet{stream: stream, limit: limit, consent: may, opened: time.Now()}
}

// send sends one message, after those that others are sending.
func (o *outlet) send(f *frame) error {
	o.mu.Lock()
	defer o.mu.Unlock()

	o.sending.Store(int64(max(time.Since(o.opened), 1)))
	defer o.sending.Store(0)

	return o.stream.SendMsg(f)
}

// watch runs carry in a goroutine of pumps and returns its error, or returns
// early if the caller has not read for too long, or may not read any more. The
// call ends then, and with it carry.
func (o *outlet) watch(pumps *sync.WaitGroup, carry func() error) error {
	done := make(chan error, 1)

	pumps.Go(func() { done <- carry() })

	ticker := time.NewTicker(o.limit / 4)
	defer ticker.Stop()

	for {
		changed, err := o.consent()
		if err != nil {
			return err
		}

		select {
		case err := <-done:
			return err
		case <-changed:
		case <-ticker.C:
			began := time.Duration(o.sending.Load())
			if began != 0 && time.Since(o.opened)-began > o.limit {
				return status.Errorf(codes.ResourceExhausted, "the caller has not read for %s", o.limit)
			}
		}
	}
}
