// Package service supervises what a node runs: programs and containers.
//
// A Service says what it needs first (its dependencies and conditions), how it
// is run (a Runner) and how its health is seen. A Supervisor runs each service
// in a goroutine of its own through the states that clients know, restarts it
// with a growing pause, and stops everything in the opposite order of its
// dependencies. It does not know what a process or a container is.
package service

import (
	"context"
	"time"
)

// State is where a service is in its life.
type State string

// The states, as clients know them.
const (
	Initialized State = "Initialized"
	Preparing   State = "Preparing"
	Waiting     State = "Waiting"
	Pre         State = "Pre"
	Running     State = "Running"
	Stopping    State = "Stopping"
	Finished    State = "Finished"
	Failed      State = "Failed"
	Skipped     State = "Skipped"
)

// Runner is one thing that can be run again and again.
type Runner interface {
	// Run runs until the thing ends or ctx is done; then it stops the thing,
	// politely first, and returns when it is gone. started is called once it
	// runs, with a word on what runs ("process 17").
	Run(ctx context.Context, started func(what string)) error
}

// Condition is something outside the services that a service waits for.
type Condition struct {
	// Name says what is waited for, "time synchronised".
	Name string
	// Wait returns when it holds or ctx is done.
	Wait func(ctx context.Context) error
}

// Restart says when a service that ended runs again.
type Restart int

const (
	// Always runs it again however it ended.
	Always Restart = iota
	// OnFailure runs it again only after an error.
	OnFailure
	// Never leaves it Finished or Failed.
	Never
)

// Health says how the health of a running service is seen.
type Health struct {
	// Check returns nil if the service is healthy.
	Check func(ctx context.Context) error
	// Delay before the first check, Interval between checks, and Timeout of
	// each; 0 means the default.
	Delay, Interval, Timeout time.Duration
	// Settle is the interval until the first success, so that what waits for
	// the service does not wait longer than it must; 0 means the default.
	Settle time.Duration
}

const (
	defaultInterval = 5 * time.Second
	defaultSettle   = 100 * time.Millisecond
	defaultTimeout  = 5 * time.Second
)

// Service is one thing to supervise.
type Service struct {
	// ID is the name that clients know.
	ID string
	// Needs are services that must be healthy (or, without a health check,
	// running) first, and that are stopped only after this one.
	Needs []string
	// Uses are services that are not waited for at the start, but are stopped
	// only after this one.
	Uses []string
	// Conditions must hold first, too; they are asked for again at each start.
	Conditions []Condition
	// Prepare runs before the conditions, Pre after them; nil for none.
	Prepare, Pre func(ctx context.Context) error
	// Runner runs it.
	Runner Runner
	// Health is nil where running is all there is to know.
	Health *Health
	// Restart is Always by default.
	Restart Restart
	// StopGrace bounds how long the Runner may take to stop; 0 means 30 s.
	StopGrace time.Duration
	// KeepsRunning refuses stop and restart by clients.
	KeepsRunning bool
}

// Event is a change of a service's state.
type Event struct {
	Time    time.Time
	State   State
	Message string
}

// HealthStatus is what the last health check found.
type HealthStatus struct {
	// Known is false until the first check.
	Known, Healthy bool
	Message        string
	Changed        time.Time
}

// Status is a snapshot of a service.
type Status struct {
	ID     string
	State  State
	Health HealthStatus
	// Events are the last changes, oldest first.
	Events []Event
}

// Ready reports whether what needs this service may start.
func (s Status) Ready() bool {
	return s.State == Running && s.Health.Known && s.Health.Healthy
}

// eventsKept bounds the events that a service remembers.
const eventsKept = 32
