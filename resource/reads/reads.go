// Package reads holds what a run of a reconciler read, and says which changes
// it would see.
package reads

import (
	"maps"
	"slices"

	"github.com/ichor-os/ichor/resource/store"
)

// List names a kind in a namespace.
type List struct{ Type, Namespace string }

// Of gives the list that a resource is in.
func Of(k store.Key) List { return List{k.Type, k.Namespace} }

// Set is what a run read. The zero value is empty and ready for use.
type Set struct {
	// Keys are resources that were asked for, whether they were there or not.
	Keys map[store.Key]struct{}
	// Lists are the queries that were asked.
	Lists map[List][]store.Query
	// Waits are keys whose end is waited for.
	Waits map[store.Key]struct{}
}

// AddKey adds a resource.
func (s *Set) AddKey(k store.Key) {
	if s.Keys == nil {
		s.Keys = map[store.Key]struct{}{}
	}
	s.Keys[k] = struct{}{}
}

// AddWait adds a key whose end is waited for.
func (s *Set) AddWait(k store.Key) {
	if s.Waits == nil {
		s.Waits = map[store.Key]struct{}{}
	}
	s.Waits[k] = struct{}{}
}

// AddList adds a query. One for all makes the others superfluous.
func (s *Set) AddList(l List, q store.Query) {
	if s.Lists == nil {
		s.Lists = map[List][]store.Query{}
	}
	have := s.Lists[l]
	switch {
	case slices.ContainsFunc(have, func(o store.Query) bool { return o.Empty() }):
	case q.Empty():
		s.Lists[l] = []store.Query{q}
	default:
		s.Lists[l] = append(slices.Clone(have), q)
	}
}

// Merge adds what o has.
func (s *Set) Merge(o Set) {
	for k := range o.Keys {
		s.AddKey(k)
	}
	for k := range o.Waits {
		s.AddWait(k)
	}
	for l, queries := range o.Lists {
		for _, q := range queries {
			s.AddList(l, q)
		}
	}
}

// Types gives the kinds that the set is about.
func (s *Set) Types() map[string]struct{} {
	types := map[string]struct{}{}
	for k := range s.Keys {
		types[k.Type] = struct{}{}
	}
	for k := range s.Waits {
		types[k.Type] = struct{}{}
	}
	for l := range s.Lists {
		types[l.Type] = struct{}{}
	}
	return types
}

// Touches says whether the set has anything of a kind in a namespace.
func (s *Set) Touches(l List) bool {
	if _, ok := s.Lists[l]; ok {
		return true
	}
	for k := range s.Keys {
		if Of(k) == l {
			return true
		}
	}
	return false
}

// Sees says whether a run with these reads would see the change.
func (s *Set) Sees(c *store.Change) bool {
	if _, ok := s.Waits[c.Key]; ok && c.New == nil {
		return true
	}
	was, is := Visible(c.Old), Visible(c.New)
	if !Differs(was, is) {
		return false
	}
	if _, ok := s.Keys[c.Key]; ok {
		return true
	}
	return Selects(s.Lists[Of(c.Key)], was, is)
}

// Selects says whether one of the queries matches before or after a change.
func Selects(queries []store.Query, was, is *store.Resource) bool {
	for i := range queries {
		if queries[i].Empty() || queries[i].Match(was) || queries[i].Match(is) {
			return true
		}
	}
	return false
}

// Visible gives the resource as readers see it: nil unless it is running.
func Visible(r *store.Resource) *store.Resource {
	if r == nil || r.Phase != store.Running {
		return nil
	}
	return r
}

// Differs says whether readers can tell the two apart. Finalizers are not for
// them.
func Differs(was, is *store.Resource) bool {
	if was == nil || is == nil {
		return was != is
	}
	return was.Spec != is.Spec || !maps.Equal(was.Labels, is.Labels) || !maps.Equal(was.Annotations, is.Annotations)
}
