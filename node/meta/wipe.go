package meta

import "errors"

// resetWipes holds what a reset under way has still to wipe. Clients cannot
// reach it, as its number is not theirs.
const resetWipes Key = 0

// Wipes keeps what a reset has to wipe.
type Wipes struct{ Store *Store }

// Pending gives what is kept, or nil.
func (w Wipes) Pending() []byte {
	value, ok := w.Store.Get(resetWipes)
	if !ok {
		return nil
	}
	return value
}

// Keep keeps it.
func (w Wipes) Keep(value []byte) error { return w.Store.Set(resetWipes, value) }

// Done forgets it, and with all every other value.
func (w Wipes) Done(all bool) error {
	if all {
		return w.Store.change(func(values map[Key][]byte) error {
			clear(values)
			return nil
		})
	}
	if err := w.Store.Delete(resetWipes); err != nil && !errors.Is(err, ErrNoKey) {
		return err
	}
	return nil
}
