package store

import "reflect"

// Pristine keeps copies of specs, to find out who changes what is immutable.
// It is for tests. The zero value is ready for use.
type Pristine struct{ copies map[*Resource]any }

// maxPristine bounds how many copies of what has been replaced are kept, for
// runs that still read it.
const maxPristine = 4096

// Remember keeps a copy of a spec that became visible.
func (p *Pristine) Remember(c *Change) {
	if p.copies == nil {
		p.copies = map[*Resource]any{}
	}
	if c.New != nil && c.New.Spec != nil {
		p.copies[c.New] = c.New.typ.Clone(c.New.Spec)
	}
	if c.Old != nil && len(p.copies) > maxPristine {
		delete(p.copies, c.Old)
	}
}

// Repair says whether somebody has changed the spec of r, and puts it right.
func (p *Pristine) Repair(r *Resource) bool {
	good, ok := p.copies[r]
	if !ok || r.typ.Equal(r.Spec, good) {
		return false
	}
	reflect.ValueOf(r.Spec).Elem().Set(reflect.ValueOf(r.typ.Clone(good)).Elem())
	return true
}
