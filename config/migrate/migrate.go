// Package migrate moves settings between the keys of the main document and the
// documents of their own that they have become, in either direction, so that a
// config fits an older or newer version. It shows what it moved, what it left
// where it was and why, and what the target version has no form for.
package migrate

import (
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/ichor-os/ichor/config/diff"
	"github.com/ichor-os/ichor/config/document"
	"github.com/ichor-os/ichor/config/documents/v1alpha1"
	"github.com/ichor-os/ichor/config/merge"
)

// Move is a setting that has a new place.
type Move struct {
	From string `json:"from"`
	To   string `json:"to"`
}

// Remark is a setting that was not moved, with the reason.
type Remark struct {
	Where  string `json:"where"`
	Reason string `json:"reason"`
}

// Result is what a migration gives.
type Result struct {
	Documents []document.Document `json:"-"`
	Moved     []Move              `json:"moved"`
	// Kept are settings that have a newer form, but stay in the older one.
	Kept []Remark `json:"kept,omitempty"`
	// Lost are settings that the target version has no form for. The documents still hold them.
	Lost []Remark `json:"lost,omitempty"`
	// Unsure are documents of kinds of which only is known that version 1.13 has them, where the target is older.
	Unsure []Remark `json:"unsure,omitempty"`
	// Different is what the way back does not restore as it was: in the end nothing is lost if it is empty.
	Different []diff.Change `json:"different,omitempty"`
}

// rule moves one setting.
type rule struct {
	// since is the minor version that introduced the document.
	since    int
	up, down func(*migration)
}

var rules = []rule{
	{12, hostnameUp, hostnameDown},
	{12, resolverUp, resolverDown},
	{12, hostsUp, hostsDown},
	{12, timeUp, timeDown},
	{12, linksUp, linksDown},
	{13, kubespanUp, kubespanDown},
	{12, mirrorsUp, mirrorsDown},
	{12, registriesUp, registriesDown},
	{13, environmentUp, environmentDown},
	{11, encryptionUp, encryptionDown},
	{14, sysctlsUp, sysctlsDown},
	{14, sysfsUp, sysfsDown},
	{14, udevUp, udevDown},
	{14, modulesUp, modulesDown},
}

// ParseVersion reads the minor version of "1.13", "v1.13" or "v1.13.9".
func ParseVersion(text string) (int, error) {
	parts := strings.Split(strings.TrimPrefix(text, "v"), ".")
	if len(parts) >= 2 && len(parts) <= 3 && parts[0] == "1" {
		if minor, err := strconv.Atoi(parts[1]); err == nil && minor >= 0 {
			return minor, nil
		}
	}

	return 0, fmt.Errorf("not a version: %q: write 1.13", text)
}

// To migrates documents to version 1.minor. The documents given are not changed.
func To(docs []document.Document, minor int) *Result {
	m := run(docs, minor)

	r := &Result{Documents: m.documents(), Moved: m.moved, Kept: m.kept, Lost: m.lost}
	r.Lost = append(r.Lost, tooNew(r.Documents, minor)...)

	r.Unsure = unsure(r, minor)

	// Going back over the whole way shows whether anything got lost.
	back := runRules(r.Documents, func(x rule) bool { return x.since > minor }, func(rule) bool { return true })
	there := runRules(docs, func(x rule) bool { return x.since > minor }, func(rule) bool { return true })
	r.Different = diff.Documents(there.documents(), back.documents())

	return r
}

// run moves every setting to the form that version 1.minor has for it.
func run(docs []document.Document, minor int) *migration {
	return runRules(docs,
		func(r rule) bool { return r.since <= minor },
		func(r rule) bool { return r.since > minor })
}

// runRules moves up where up says so, and down where down says so and up does not.
func runRules(docs []document.Document, up, down func(rule) bool) *migration {
	m := newMigration(docs)

	for _, r := range rules {
		switch {
		case up(r):
			r.up(m)
		case down(r):
			m.down(r)
		}
	}

	return m
}

// down moves a setting to its older form, unless going back up shows that the
// older form does not hold all of it: then nothing of it moves.
func (m *migration) down(r rule) {
	before, moves := newMigration(m.documents()), len(m.moved)

	r.down(m)

	if len(m.moved) == moves {
		return
	}

	was, is := newMigration(before.documents()), newMigration(m.documents())
	r.up(was)
	r.up(is)

	if changes := diff.Documents(was.documents(), is.documents()); len(changes) > 0 {
		m.main, m.other, m.moved = before.main, before.other, m.moved[:moves]

		m.lose(changes[0].Document, "%s has no older form", changes[0].Path)
	}
}

// tooNew lists the documents and keys that version 1.minor does not know. Kinds up to
// 1.13 are older than their mark says: rules tell for those.
func tooNew(docs []document.Document, minor int) []Remark {
	var lost []Remark

	for _, d := range docs {
		if since := d.Kind().Since; document.Newer(since, max(minor, 13)) {
			lost = append(lost, Remark{document.Title(d), fmt.Sprintf("this kind is known since %s only", since)})

			continue
		}

		document.LateKeys(d, minor, func(path, since string) {
			lost = append(lost, Remark{document.Title(d) + ": " + path, fmt.Sprintf("this key is known since %s only", since)})
		})
	}

	return lost
}

// unsure lists the documents that version 1.minor may not know: those that no
// rule for that version or a newer one has a say in.
func unsure(r *Result, minor int) []Remark {
	older := runRules(r.Documents, func(rule) bool { return false }, func(x rule) bool { return x.since <= minor })
	left := make(map[string]bool)

	for _, d := range older.other {
		left[document.Title(d)] = true
	}

	for _, lost := range slices.Concat(r.Lost, older.lost) {
		delete(left, lost.Where)
	}

	var found []Remark

	for _, d := range r.Documents {
		if title := document.Title(d); left[title] && document.Newer(d.Kind().Since, minor) {
			found = append(found, Remark{title, fmt.Sprintf("it is not known here whether version 1.%d has this kind", minor)})
		}
	}

	return found
}

// migration is a config on its way.
type migration struct {
	main  *v1alpha1.Config
	other []document.Document

	moved      []Move
	kept, lost []Remark
}

func newMigration(docs []document.Document) *migration {
	m := new(migration)

	for _, d := range docs {
		c := d.Kind().New()
		reflect.ValueOf(c).Elem().Set(merge.Clone(reflect.ValueOf(d).Elem()))

		if main, ok := c.(*v1alpha1.Config); ok {
			m.main = main
		} else {
			m.other = append(m.other, c)
		}
	}

	return m
}

func (m *migration) documents() []document.Document {
	if m.main == nil {
		return m.other
	}

	return append([]document.Document{m.main}, m.other...)
}

// machine returns the section, nil if there is none.
func (m *migration) machine() *v1alpha1.MachineConfig {
	if m.main == nil {
		return nil
	}

	return m.main.Machine
}

// network returns the section machine.network, nil if there is none.
func (m *migration) network() *v1alpha1.NetworkConfig {
	if m.machine() == nil {
		return nil
	}

	return m.main.Machine.Network
}

// needMachine returns the section machine for a setting of d to go to; without
// a main document there is no place, which is remarked.
func (m *migration) needMachine(d document.Document) *v1alpha1.MachineConfig {
	if m.machine() == nil {
		m.lost = append(m.lost, Remark{document.Title(d), "there is no main document to move it to"})

		return nil
	}

	return m.main.Machine
}

func (m *migration) needNetwork(d document.Document) *v1alpha1.NetworkConfig {
	machine := m.needMachine(d)
	if machine == nil {
		return nil
	}

	if machine.Network == nil {
		machine.Network = new(v1alpha1.NetworkConfig)
	}

	return machine.Network
}

// dropEmptyNetwork removes the section machine.network if moving left nothing in it.
func (m *migration) dropEmptyNetwork() {
	if n := m.network(); n != nil && document.IsZero(reflect.ValueOf(*n)) {
		m.main.Machine.Network = nil
	}
}

func (m *migration) add(d document.Document, from ...string) {
	m.other = append(m.other, d)
	for _, f := range from {
		m.moved = append(m.moved, Move{f, document.Title(d)})
	}
}

func (m *migration) move(d document.Document, to ...string) {
	for _, t := range to {
		m.moved = append(m.moved, Move{document.Title(d), t})
	}
}

func (m *migration) keep(where, format string, args ...any) {
	m.kept = append(m.kept, Remark{where, fmt.Sprintf(format, args...)})
}

func (m *migration) lose(where, format string, args ...any) {
	m.lost = append(m.lost, Remark{where, fmt.Sprintf(format, args...)})
}

func (m *migration) drop(d document.Document) {
	m.other = slices.DeleteFunc(m.other, func(x document.Document) bool { return x == d })
}

// same tells whether two documents are written the same.
func same(a, b document.Document) bool {
	return len(diff.Documents([]document.Document{a}, []document.Document{b})) == 0
}

// find returns the first document of a Go type.
func find[T document.Document](m *migration) (T, bool) {
	for _, d := range m.other {
		if t, ok := d.(T); ok {
			return t, true
		}
	}

	var none T

	return none, false
}

// all returns the documents of a Go type.
func all[T document.Document](m *migration) []T {
	var list []T

	for _, d := range m.other {
		if t, ok := d.(T); ok {
			list = append(list, t)
		}
	}

	return list
}
