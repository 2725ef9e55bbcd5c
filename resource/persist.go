package resource

import (
	"slices"
	"strings"

	"github.com/ichor-os/ichor/resource/disk"
	"github.com/ichor-os/ichor/resource/store"
)

// folder is the block of the persistent kinds of one folder.
type folder struct {
	name    string
	dir     string
	types   []*store.Type
	records *disk.Records
}

// Persist makes a block that keeps kinds in a folder, in all their namespaces.
// A change is on disk before anybody sees it, and all changes of one commit
// are there together or not at all; when the disk refuses, so does the commit.
//
// Adding the block reads the folder. What is already in the store, because it
// was put before the disk was there, stays and is written. A damaged copy is
// reported and the one before it taken; without a good copy Add fails.
func Persist(name, dir string, kinds ...AnyKind) Block {
	f := &folder{name: name, dir: dir}
	for _, k := range kinds {
		f.types = append(f.types, k.Definition().store)
	}
	return f
}

// Name gives the block's name.
func (f *folder) Name() string { return f.name }

func (f *folder) attach(e *Engine) error {
	records, loaded, notes, err := disk.OpenRecords(f.dir, f.types...)
	for _, n := range notes {
		e.say(f.name, "disk", n, "")
	}
	if err != nil {
		return err
	}
	f.records = records
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
			present = append(present, store.Change{Key: r.Key, New: r})
		}
		if err := records.Save(present); err != nil {
			return err
		}
		var folders []*folder
		if old := e.disk.Load(); old != nil {
			folders = slices.Clone(*old)
		}
		folders = append(folders, f)
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

// durable writes changes of persistent kinds before they are published. It
// runs under the commit lock.
func (e *Engine) durable(changes []store.Change) error {
	folders := e.disk.Load()
	if folders == nil {
		return nil
	}
	for _, f := range *folders {
		if err := f.records.Save(changes); err != nil {
			return err
		}
	}
	return nil
}
