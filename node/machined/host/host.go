// Package host wires what the services of a node get from the machine that the
// config makes: their environment, and the order in which they start after it.
package host

import (
	"context"
	"log/slog"
	"time"

	"github.com/ichor-os/ichor/node/diagnostic"
	"github.com/ichor-os/ichor/node/service"
	"github.com/ichor-os/ichor/node/service/process"
	servicespec "github.com/ichor-os/ichor/node/service/spec"
	clock "github.com/ichor-os/ichor/node/time"
	"github.com/ichor-os/ichor/resource"
)

// Host is the machine as services see it. Make it with New.
type Host struct {
	// Environment is what services start with.
	Environment service.Environment
	// Reports are what the engine says is wrong.
	Reports diagnostic.Reports
	// Time lets wait for a clock that is in step.
	Time *clock.Waiter
}

// New makes a Host.
func New() *Host { return &Host{Time: clock.NewWaiter()} }

// Engine makes the node's engine, whose findings become diagnostics.
func (h *Host) Engine(log *slog.Logger) *resource.Engine {
	engine := resource.New(resource.Options{Diagnose: func(d resource.Diagnostic) {
		log.Warn("engine", "name", d.Name, "kind", d.Kind, "message", d.Message)
		h.Reports.Engine(d)
	}})
	h.Reports.Watch(engine)
	return engine
}

// containerd is the one program that talks to the outside for a node, through a
// proxy where there is one.
const containerd = "containerd"

// settleBound is how long services wait for what the config makes of the machine.
const settleBound = 5 * time.Second

// Start puts a config in force by inForce, and waits until the machine is as it
// says, so that services start with it. One that runs with another environment, as
// it can when the first config comes, starts anew.
func (h *Host) Start(ctx context.Context, inForce func(context.Context) error, engine *resource.Engine, services *service.Supervisor) error {
	if err := inForce(ctx); err != nil {
		return err
	}
	bounded, cancel := context.WithTimeout(ctx, settleBound)
	defer cancel()
	if err := engine.Settled(bounded); err != nil {
		slog.Warn("machine is not yet as its config says, services start all the same", "error", err)
	}
	if !h.Environment.Outdated(containerd) {
		return nil
	}
	if err := services.Stop(ctx, containerd); err != nil {
		return err
	}
	return services.Start(containerd)
}

// Container adds the environment to a container that starts now.
func (h *Host) Container(c servicespec.Container) servicespec.Container {
	c.Env = append(c.Env, h.Environment.For(c.ID)...)
	return c
}

// Program has a program start with the environment.
func (h *Host) Program(id string, p *service.Program) {
	fixed := p.Spec
	p.Spec = func() (process.Spec, error) {
		spec, err := fixed()
		spec.Env = append(append([]string{}, spec.Env...), h.Environment.For(id)...)
		return spec, err
	}
}
