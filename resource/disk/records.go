package disk

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/ichor-os/ichor/resource/store"
)

// Records keeps the resources of some kinds in a folder. It has one user at a
// time.
type Records struct {
	folder *Folder
	types  map[string]*store.Type
	lines  map[store.Key][]byte // what is on disk
}

// OpenRecords opens a folder, see [Open], and reads its resources. Those of
// other kinds stay on disk as they are, for another version of the system.
func OpenRecords(dir string, types ...*store.Type) (f *Records, loaded []*store.Resource, notes []string, err error) {
	folder, body, notes, err := Open(dir)
	if err != nil {
		return nil, nil, notes, err
	}
	f = &Records{folder: folder, types: map[string]*store.Type{}, lines: map[store.Key][]byte{}}
	for _, t := range types {
		f.types[t.Name] = t
	}
	loaded, err = f.parse(body)
	return f, loaded, notes, err
}

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

func (f *Records) parse(body []byte) ([]*store.Resource, error) {
	var out []*store.Resource
	for line := range bytes.Lines(body) {
		var rec record
		if err := json.Unmarshal(line, &rec); err != nil {
			return nil, fmt.Errorf("read resource: %w", err)
		}
		k := store.Key{Type: rec.Type, Namespace: rec.Namespace, ID: rec.ID}
		f.lines[k] = bytes.Clone(line)
		typ := f.types[rec.Type]
		if typ == nil {
			continue // of another version of the system: kept on disk
		}
		phase, err := store.ParsePhase(rec.Phase)
		if err != nil {
			return nil, fmt.Errorf("read %s: %w", k, err)
		}
		spec, err := typ.Decode(store.Encoded{Proto: rec.Spec})
		if err != nil {
			return nil, fmt.Errorf("read %s: %w", k, err)
		}
		out = append(out, store.New(typ, store.Metadata{
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

// Save writes the folder anew if one of the changes is for it. When it returns
// nil they are on disk.
func (f *Records) Save(changes []store.Change) error {
	edits := map[store.Key][]byte{}
	for _, c := range changes {
		if f.types[c.Key.Type] == nil {
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
	next := maps.Clone(f.lines)
	for k, b := range edits {
		if next[k] = b; b == nil {
			delete(next, k)
		}
	}
	if err := f.folder.Write(body(next)); err != nil {
		return err
	}
	f.lines = next
	return nil
}

// body joins lines in the order of their keys.
func body(lines map[store.Key][]byte) []byte {
	keys := slices.SortedFunc(maps.Keys(lines), func(a, b store.Key) int { return strings.Compare(a.String(), b.String()) })
	var out bytes.Buffer
	for _, k := range keys {
		out.Write(lines[k])
	}
	return out.Bytes()
}
