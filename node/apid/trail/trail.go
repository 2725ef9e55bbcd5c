// Package trail takes records of calls from apid to machined, which keeps them.
//
// A Recorder gathers them, so that a call that only reads costs no call of its
// own: what it holds goes out several times a second, and at once when somebody
// waits for a record to be on disk. Neither machined nor its disk can stop apid:
// what finds no room is counted, waiting has a bound. Summary says what a request
// asks for, without its secrets.
package trail

import (
	"context"
	"crypto/rand"
	"log/slog"
	"sync"
	"time"

	"google.golang.org/protobuf/proto"

	ichorpb "github.com/ichor-os/ichor/api/ichor"
)

const (
	// gather is how long a record waits for others.
	gather = 250 * time.Millisecond
	// retry is the pause after a request that failed.
	retry = time.Second
	// bound is how long one request may take.
	bound = 10 * time.Second
	// patience is how long a caller's answer waits for its record to be on
	// disk.
	patience = 2 * time.Second
	// room bounds what a Recorder holds, in bytes of records.
	room = 2 << 20
	// farewell bounds the last request.
	farewell = time.Second
)

// Send takes a request to machined.
type Send func(context.Context, *ichorpb.AuditIntakeRequest) error

// A Recorder gathers records and sends them. Make it with New.
type Recorder struct {
	send    Send
	log     *slog.Logger
	session string
	kick    chan struct{}

	mu      sync.Mutex
	records []*ichorpb.AuditRecord
	size    int
	lost    uint64
	waiters []chan struct{}
	batch   uint64
	failed  *ichorpb.AuditIntakeRequest // sent again as it was
	owed    []chan struct{}             // who waits for failed
}

// New returns a Recorder that sends nothing before Start.
func New(send Send, log *slog.Logger) *Recorder {
	return &Recorder{send: send, log: log, session: rand.Text(), kick: make(chan struct{}, 1)}
}

// Add adds a record, which goes out soon, or at once.
func (r *Recorder) Add(record *ichorpb.AuditRecord, atOnce bool) {
	r.mu.Lock()
	r.put(record)
	r.mu.Unlock()

	if atOnce {
		r.wake()
	}
}

func (r *Recorder) put(record *ichorpb.AuditRecord) bool {
	size := proto.Size(record)
	if r.size+size > room {
		r.lost++

		return false
	}

	r.records, r.size = append(r.records, record), r.size+size

	return true
}

func (r *Recorder) wake() {
	select {
	case r.kick <- struct{}{}:
	default:
	}
}

// AddDurable adds a record and waits until machined has put it on disk, or for
// as long as an answer may be kept back.
func (r *Recorder) AddDurable(record *ichorpb.AuditRecord) {
	done := make(chan struct{})

	r.mu.Lock()
	if !r.put(record) {
		r.mu.Unlock()

		return
	}

	r.waiters = append(r.waiters, done)
	r.mu.Unlock()
	r.wake()

	timer := time.NewTimer(patience)
	defer timer.Stop()

	select {
	case <-done:
	case <-timer.C:
	}
}

// Start sends records until the returned function is called, which sends the
// last.
func (r *Recorder) Start() (stop func()) {
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})

	go func() {
		defer close(done)
		r.run(ctx)
	}()

	return func() {
		cancel()
		<-done
	}
}

func (r *Recorder) run(ctx context.Context) {
	ticker := time.NewTicker(gather)
	defer ticker.Stop()

	complained := false

	for {
		select {
		case <-ctx.Done():
			last, cancel := context.WithTimeout(context.Background(), farewell)
			defer cancel()

			if err := r.flush(last); err != nil {
				r.log.Error("audit records are lost", "error", err)
			}

			return
		case <-r.kick:
		case <-ticker.C:
		}

		sending, cancel := context.WithTimeout(ctx, bound)
		err := r.flush(sending)

		cancel()

		if err != nil && !complained && ctx.Err() == nil {
			r.log.Warn("audit records wait for machined", "error", err)
		}

		complained = err != nil

		if err != nil {
			select {
			case <-time.After(retry):
			case <-ctx.Done():
			}
		}
	}
}

// flush sends what is there. What fails is sent again as the same batch, so that
// machined takes it once.
func (r *Recorder) flush(ctx context.Context) error {
	r.mu.Lock()
	request, waiters := r.failed, r.owed

	if request == nil {
		if len(r.records) == 0 && r.lost == 0 {
			r.mu.Unlock()

			return nil
		}

		r.batch++
		request, waiters = &ichorpb.AuditIntakeRequest{
			Records: r.records, Lost: r.lost, Sync: len(r.waiters) > 0, Session: r.session, Batch: r.batch,
		}, r.waiters
		r.records, r.size, r.lost, r.waiters = nil, 0, 0, nil
	}
	r.mu.Unlock()

	err := r.send(ctx, request)

	r.mu.Lock()
	defer r.mu.Unlock()

	if err != nil {
		r.failed, r.owed = request, waiters

		return err
	}

	again := r.failed != nil && len(r.records) > 0
	r.failed, r.owed = nil, nil

	for _, waiter := range waiters {
		close(waiter)
	}

	if again {
		r.wake()
	}

	return nil
}
