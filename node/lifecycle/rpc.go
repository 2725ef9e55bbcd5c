package lifecycle

import (
	"context"
	"crypto/rand"
	"log/slog"

	machinepb "github.com/ichor-os/ichor/api/machine"
)

// Ends is where requests to end the machine meet; the first one counts.
type Ends struct {
	log  *slog.Logger
	ends chan End
}

// NewEnds makes an Ends.
func NewEnds(log *slog.Logger) *Ends { return &Ends{log: log, ends: make(chan End, 1)} }

// Request asks for the machine's end. It never waits.
func (e *Ends) Request(end End) {
	select {
	case e.ends <- end:
	default:
		e.log.Info("machine ends already", "ignored", end.String())
	}
}

// Requested gives the end that was asked for.
func (e *Ends) Requested() <-chan End { return e.ends }

// RPC serves the methods of MachineService about the machine's life.
type RPC struct{ Ends *Ends }

// actor gives a request an id that its events carry.
func actor() string { return rand.Text() }

// Reboot implements MachineService.
func (r RPC) Reboot(context.Context, *machinepb.RebootRequest) (*machinepb.RebootResponse, error) {
	r.Ends.Request(Reboot)
	return &machinepb.RebootResponse{Messages: []*machinepb.Reboot{{ActorId: actor()}}}, nil
}

// Shutdown implements MachineService.
func (r RPC) Shutdown(context.Context, *machinepb.ShutdownRequest) (*machinepb.ShutdownResponse, error) {
	r.Ends.Request(PowerOff)
	return &machinepb.ShutdownResponse{Messages: []*machinepb.Shutdown{{ActorId: actor()}}}, nil
}
