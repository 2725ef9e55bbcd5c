package resource

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/ichor-os/ichor/resource/disk"
	"github.com/ichor-os/ichor/resource/store"
)

// folder holds the persistent kinds of one folder. It changes only under the
// commit lock.
type folder struct {
	name  string
	dir   string
	disk  *disk.Folder
	kinds map[string]*Definition
	lines map[Key][]byte // what is on disk
}

// Persist makes a block that keeps kinds in a folder, in all their namespaces.
// A change is on disk before anybody sees it, and all changes of one commit
// are there together or not at all; when the disk refuses, so does the commit.
//
// Adding the block reads the folder. What is already in the store, because it
// was put before the disk was there, stays and is written. A damaged copy is
// reported and the one before it taken; without a good copy Add fails.
func Persist(name, dir string, kinds ...AnyKind) Block {
	f := &folder{name: name, dir: dir, kinds: map[string]*Definition{}, lines: map[Key][]byte{}}
	for _, k := range kinds {
		f.kinds[k.Definition().Type] = k.Definition()
	}
	return f
}

// Name gives the block's name.
func (f *folder) Name() string { return f.name }

// record is a resource on disk: one line of JSON. The spec is kept in its
// protobuf form, because field numbers do not change.
type record struct {
	Type        string            `json:"type"`
	Namespace   string            `json:"namespace"`
	ID          string            `json:"id"`
	Version     uint64            `json:"version"`
	Phase       string            `json:"phase"`
	Owner       string            `json:"owner,omitempty"`
	Created     time.Time         `json:"created"`
	Updated     time.Time         `json:"updated"`
	Finalizers  []string          `json:"finalizers,omitempty"`
	Labels      map[string]string `json:"labels,omitempty"`
	Annotations map[string]string `json:"annotations,omitempty"`
	Spec        []byte            `json:"spec"`
}

func (f *folder) attach(e *Engine) error {
	d, body, notes, err := disk.Open(f.dir)
	for _, n := range notes {
		e.say(f.name, "disk", n, "")
	}
	if err != nil {
		return err
	}
	f.disk = d
	loaded, err := f.parse(body)
	if err != nil {
		return err
	}
	return e.store.Commit(nil, func(tx *store.Tx) error {
		e.mu.Lock()
		defer e.mu.Unlock()
		for _, r := range loaded {
			if tx.Get(r.Key) != nil {
				continue
			}
			tx.Load(r.WithFinalizers(slices.DeleteFunc(slices.Clone(r.Finalizers), e.ofThisLife)))
			e.orphan(r.Key, r.Owner)
		}
		var present []store.Change
		for r := range e.store.Snapshot().All() {
			if f.kinds[r.Key.Type] != nil {
				present = append(present, store.Change{Key: r.Key, New: r})
			}
		}
		var folders []*folder
		if old := e.disk.Load(); old != nil {
			folders = slices.Clone(*old)
		}
		folders = append(folders, f)
		if err := f.save(present); err != nil {
			return err
		}
		e.disk.Store(&folders)
		return nil
	})
}

// ofThisLife says whether a finalizer protected what is gone with the process
// that set it: the outputs of a reconciler. Those of mirrors and jobs protect
// what lives outside. Engine.mu is held.
func (e *Engine) ofThisLife(finalizer string) bool {
	name, _, _ := strings.Cut(finalizer, "[")
	switch b := e.names[name].(type) {
	case *reconciler:
		return true
	case *keyed:
		return !b.effect
	}
	return false
}

// orphan notes a resource that its owner has not put in this life yet.
func (e *Engine) orphan(k Key, owner string) {
	if owner == "" {
		return
	}
	if e.orphans[owner] == nil {
		e.orphans[owner] = map[Key]struct{}{}
	}
	e.orphans[owner][k] = struct{}{}
}

func (f *folder) parse(body []byte) ([]*store.Resource, error) {
	var out []*store.Resource
	for line := range bytes.Lines(body) {
		var rec record
		if err := json.Unmarshal(line, &rec); err != nil {
			return nil, fmt.Errorf("read resource: %w", err)
		}
		k := Key{Type: rec.Type, Namespace: rec.Namespace, ID: rec.ID}
		f.lines[k] = bytes.Clone(line)
		def := f.kinds[rec.Type]
		if def == nil {
			continue // of another version of the system: kept on disk
		}
		phase, err := store.ParsePhase(rec.Phase)
		if err != nil {
			return nil, fmt.Errorf("read %s: %w", k, err)
		}
		spec, err := def.store.Decode(store.Encoded{Proto: rec.Spec})
		if err != nil {
			return nil, fmt.Errorf("read %s: %w", k, err)
		}
		out = append(out, store.New(def.store, Metadata{
			Key: k, Version: store.Version(rec.Version), Phase: phase, Owner: rec.Owner,
			Created: rec.Created, Updated: rec.Updated, Finalizers: rec.Finalizers,
			Labels: rec.Labels, Annotations: rec.Annotations,
		}, spec))
	}
	return out, nil
}

func line(r *store.Resource) ([]byte, error) {
	enc, err := r.Encode()
	if err != nil {
		return nil, err
	}
	b, err := json.Marshal(record{
		Type: r.Key.Type, Namespace: r.Namespace, ID: r.ID, Version: uint64(r.Version),
		Phase: r.Phase.String(), Owner: r.Owner, Created: r.Created, Updated: r.Updated,
		Finalizers: r.Finalizers, Labels: r.Labels, Annotations: r.Annotations, Spec: enc.Proto,
	})
	return append(b, '\n'), err
}

// durable writes changes of persistent kinds before they are published. It
// runs under the commit lock.
func (e *Engine) durable(changes []store.Change) error {
	folders := e.disk.Load()
	if folders == nil {
		return nil
	}
	for _, f := range *folders {
		if err := f.save(changes); err != nil {
			return err
		}
	}
	return nil
}

// save writes the folder anew if one of the changes is for it.
func (f *folder) save(changes []store.Change) error {
	edits := map[Key][]byte{}
	for _, c := range changes {
		if f.kinds[c.Key.Type] == nil {
			continue
		}
		edits[c.Key] = nil
		if c.New == nil {
			continue
		}
		b, err := line(c.New)
		if err != nil {
			return fmt.Errorf("persist %s: %w", c.Key, err)
		}
		if bytes.Equal(b, f.lines[c.Key]) {
			delete(edits, c.Key)
			continue
		}
		edits[c.Key] = b
	}
	if len(edits) == 0 {
		return nil
	}
	next := make(map[Key][]byte, len(f.lines)+len(edits))
	for k, b := range f.lines {
		next[k] = b
	}
	for k, b := range edits {
		if next[k] = b; b == nil {
			delete(next, k)
		}
	}
	keys := make([]Key, 0, len(next))
	for k := range next {
		keys = append(keys, k)
	}
	slices.SortFunc(keys, func(a, b Key) int { return strings.Compare(a.String(), b.String()) })
	var body bytes.Buffer
	for _, k := range keys {
		body.Write(next[k])
	}
	if err := f.disk.Write(body.Bytes()); err != nil {
		return err
	}
	f.lines = next
	return nil
}
