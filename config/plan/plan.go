// Package plan says what a change of config takes before it is made: what
// applies live, which services restart, what needs a reboot, what may cut the
// node off from the network, and what has no effect yet.
package plan

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/ichor-os/ichor/config/diff"
	"github.com/ichor-os/ichor/config/document"
)

// Step is one change with what it takes.
type Step struct {
	diff.Change

	// Reboot, or Restart (names of services), or neither: live.
	Reboot  bool     `json:"reboot"`
	Restart []string `json:"restart,omitempty"`
	// Cut: the change may cut the node off from the network.
	Cut bool `json:"mayCutNetwork"`
	// NotInForce: nodes do not act on the key yet.
	NotInForce bool `json:"notInForce"`
}

// Plan is what a change of config takes.
type Plan struct {
	Steps []Step `json:"steps"`
}

// Of makes the plan for going from a to b.
func Of(a, b []document.Document) *Plan {
	p := new(Plan)

	for _, c := range diff.Documents(a, b) {
		p.Steps = append(p.Steps, step(c))
	}

	return p
}

func step(c diff.Change) Step {
	s := Step{Change: c, NotInForce: len(c.Fields) > 0}

	for _, f := range c.Fields {
		s.Cut = s.Cut || f.Cut

		if !f.Effect {
			continue // whatever it will take one day, today it takes nothing
		}

		s.NotInForce = false
		s.Reboot = s.Reboot || f.Change.Reboot

		for _, service := range f.Change.Restart {
			if !slices.Contains(s.Restart, service) {
				s.Restart = append(s.Restart, service)
			}
		}
	}

	slices.Sort(s.Restart)

	return s
}

// Empty tells whether nothing changes.
func (p *Plan) Empty() bool { return len(p.Steps) == 0 }

// NeedsReboot tells whether a change counts only after a reboot.
func (p *Plan) NeedsReboot() bool {
	return slices.ContainsFunc(p.Steps, func(s Step) bool { return s.Reboot })
}

// MayCut tells whether a change may cut the node off from the network.
func (p *Plan) MayCut() bool {
	return slices.ContainsFunc(p.Steps, func(s Step) bool { return s.Cut })
}

// Restarts are the services that restart, sorted.
func (p *Plan) Restarts() []string {
	var all []string

	for _, s := range p.Steps {
		all = append(all, s.Restart...)
	}

	slices.Sort(all)

	return slices.Compact(all)
}

// Write prints the plan for people.
func (p *Plan) Write(w io.Writer) error {
	var b strings.Builder

	if p.Empty() {
		b.WriteString("nothing changes\n")
	}

	for _, group := range []struct {
		title string
		has   func(Step) bool
	}{
		{"needs a reboot", func(s Step) bool { return s.Reboot }},
		{"restarts services", func(s Step) bool { return !s.Reboot && len(s.Restart) > 0 }},
		{"applies live", func(s Step) bool { return !s.Reboot && len(s.Restart) == 0 && !s.NotInForce }},
		{"has no effect yet", func(s Step) bool { return s.NotInForce && !s.Reboot && len(s.Restart) == 0 }},
	} {
		title := group.title + ":\n"

		for _, s := range p.Steps {
			if group.has(s) {
				b.WriteString(title + "  " + s.line() + "\n")

				title = ""
			}
		}
	}

	if p.MayCut() {
		b.WriteString("may cut the node off from the network: apply confirms that the node can still be reached, and reverts otherwise\n")
	}

	_, err := io.WriteString(w, b.String())

	return err
}

func (s Step) line() string {
	where := s.Document
	if s.Path != "" {
		where += ": " + s.Path
	}

	var notes []string

	if len(s.Restart) > 0 {
		notes = append(notes, "restarts "+strings.Join(s.Restart, ", "))
	}

	if s.Cut {
		notes = append(notes, "may cut the network")
	}

	if s.NotInForce {
		notes = append(notes, "not in force yet")
	}

	line := fmt.Sprintf("%s: %s", where, s.Operation)
	if len(notes) > 0 {
		line += " (" + strings.Join(notes, "; ") + ")"
	}

	return line
}
