package lifecycle

import (
	"context"
	"crypto/rand"
	"log/slog"
	"sync"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"

	machinepb "github.com/ichor-os/ichor/api/machine"
)

// Ends is where requests to end the machine meet; the first one counts.
type Ends struct {
	// Publish takes the events of the machine's end; nil for none.
	Publish Publish

	log  *slog.Logger
	ends chan End

	mu    sync.Mutex
	begun bool
	actor string
	name  string
}

// NewEnds makes an Ends.
func NewEnds(log *slog.Logger) *Ends { return &Ends{log: log, ends: make(chan End, 1)} }

// Request asks for the machine's end. It never waits.
func (e *Ends) Request(end End) {
	name := "reboot"
	if end == PowerOff {
		name = "shutdown"
	}
	e.begin(end, name, "")
}

// begin is Request for a caller, under the name of what was asked for. It
// reports whether the request counts.
func (e *Ends) begin(end End, name, actor string) bool {
	e.mu.Lock()
	first := !e.begun
	if first {
		e.begun, e.actor, e.name = true, actor, name
	}
	e.mu.Unlock()
	if !first {
		e.log.Info("machine ends already", "ignored", name)
		return false
	}
	e.log.Info("machine ends", "sequence", name, "actor", actor)
	e.publish(&machinepb.SequenceEvent{Sequence: name, Action: machinepb.SequenceEvent_START})
	// Said now, while somebody can still hear it.
	e.publish(&machinepb.RestartEvent{Cmd: end.command()})
	e.ends <- end
	return true
}

func (e *Ends) publish(event proto.Message) {
	e.mu.Lock()
	actor := e.actor
	e.mu.Unlock()
	if e.Publish != nil {
		e.Publish(actor, event)
	}
}

// Phase runs a part of the machine's end and tells of it.
func (e *Ends) Phase(name string, fn func()) {
	e.publish(&machinepb.PhaseEvent{Phase: name, Action: machinepb.PhaseEvent_START})
	e.publish(&machinepb.TaskEvent{Task: name, Action: machinepb.TaskEvent_START})
	fn()
	e.publish(&machinepb.TaskEvent{Task: name, Action: machinepb.TaskEvent_STOP})
	e.publish(&machinepb.PhaseEvent{Phase: name, Action: machinepb.PhaseEvent_STOP})
}

// Sequence is the name of the end under way, or "".
func (e *Ends) Sequence() string {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.name
}

// Requested gives the end that was asked for.
func (e *Ends) Requested() <-chan End { return e.ends }

// RPC serves the methods of MachineService about the machine's life.
type RPC struct {
	Ends *Ends
	// Wipes keeps what a reset wipes.
	Wipes Wipes
	// Leave takes this node out of its cluster, with its member of etcd; on a node
	// in none it does nothing.
	Leave func(context.Context) error
}

// actor gives a request an id that its events carry.
func actor() string { return rand.Text() }

// errEnds is the answer to a request that came second.
func (r RPC) errEnds() error {
	return status.Errorf(codes.FailedPrecondition, "the machine ends already: a %s is under way", r.Ends.Sequence())
}

// Reboot implements MachineService.
func (r RPC) Reboot(context.Context, *machinepb.RebootRequest) (*machinepb.RebootResponse, error) {
	id := actor()
	if !r.Ends.begin(Reboot, "reboot", id) {
		return nil, r.errEnds()
	}
	return &machinepb.RebootResponse{Messages: []*machinepb.Reboot{{ActorId: id}}}, nil
}

// Shutdown implements MachineService.
func (r RPC) Shutdown(context.Context, *machinepb.ShutdownRequest) (*machinepb.ShutdownResponse, error) {
	id := actor()
	if !r.Ends.begin(PowerOff, "shutdown", id) {
		return nil, r.errEnds()
	}
	return &machinepb.ShutdownResponse{Messages: []*machinepb.Shutdown{{ActorId: id}}}, nil
}
