package store

import (
	"regexp"
	"slices"
	"strconv"
)

// Op compares a label with the values of a term.
type Op uint8

// The operations, with their numbers on the wire.
const (
	Exists Op = iota
	Equal
	NotExists
	In
	Less
	LessOrEqual
	LessNumeric
	LessOrEqualNumeric
)

// Term is one condition on a resource's labels.
type Term struct {
	Key    string
	Op     Op
	Values []string
	Invert bool
}

// LabelQuery matches when all of its terms do.
type LabelQuery []Term

// Query selects resources. The zero query selects all.
type Query struct {
	// Labels match when one of the queries does, or when there is none.
	Labels []LabelQuery
	// ID matches when it is nil or finds something in the id.
	ID *regexp.Regexp
}

// Empty says whether the query selects everything.
func (q *Query) Empty() bool { return len(q.Labels) == 0 && q.ID == nil }

// Match says whether r is selected. Nil never is.
func (q *Query) Match(r *Resource) bool {
	if r == nil {
		return false
	}
	if q.ID != nil && !q.ID.MatchString(r.ID) {
		return false
	}
	if len(q.Labels) == 0 {
		return true
	}
	return slices.ContainsFunc(q.Labels, func(l LabelQuery) bool { return l.match(r.Labels) })
}

func (l LabelQuery) match(labels map[string]string) bool {
	for _, t := range l {
		if t.match(labels) == t.Invert {
			return false
		}
	}
	return true
}

func (t *Term) match(labels map[string]string) bool {
	have, ok := labels[t.Key]
	if t.Op == NotExists {
		return !ok
	}
	if !ok {
		return false
	}
	if t.Op == Exists {
		return true
	}
	if t.Op == In {
		return slices.Contains(t.Values, have)
	}
	if len(t.Values) != 1 {
		return false
	}
	want := t.Values[0]
	switch t.Op {
	case Equal:
		return have == want
	case Less:
		return have < want
	case LessOrEqual:
		return have <= want
	}
	a, errA := strconv.ParseFloat(have, 64)
	b, errB := strconv.ParseFloat(want, 64)
	if errA != nil || errB != nil {
		return false
	}
	return a < b || (t.Op == LessOrEqualNumeric && a == b)
}
