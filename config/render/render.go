// Package render makes one config a node from a folder of layers: what is the
// same for all nodes is written once, and each layer says only what differs.
//
//	render.yaml         the index: nodes, their layers, variables
//	base.yaml, base/*   for all nodes
//	role/NAME.yaml      for nodes of a role
//	region/NAME.yaml    for nodes in a region
//	hardware/NAME.yaml  for nodes of a make
//	node/NAME.yaml      for one node, if it is there
//
// Layers are strategic patches, laid over each other in this order. In their
// values ${name} stands for a variable of the index, ${node} for the node's
// name, ${env:NAME} for an environment variable and ${file:PATH} for the
// content of a file; $${ is a plain ${. Whatever cannot be resolved is an
// error. Values are put into parsed YAML, so that no value can change the
// structure of a config.
package render

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"slices"
	"time"

	"go.yaml.in/yaml/v3"

	"github.com/ichor-os/ichor/bounded"
	"github.com/ichor-os/ichor/config/decode"
	"github.com/ichor-os/ichor/config/document"
	"github.com/ichor-os/ichor/config/documents"
	"github.com/ichor-os/ichor/config/encode"
	"github.com/ichor-os/ichor/config/patch"
	"github.com/ichor-os/ichor/config/validate"
)

// IndexFile is the name of the index.
const IndexFile = "render.yaml"

// Source is where values come from that are not in the folder.
type Source struct {
	// Env looks up an environment variable.
	Env func(name string) (string, bool)
	// File reads a file by its absolute path; relative ones are read from the folder.
	File func(path string) ([]byte, error)
}

// Folder is a folder of layers.
type Folder struct {
	files  fs.FS
	index  *Index
	source Source
}

// Rendered is the config of one node.
type Rendered struct {
	Node   string
	Text   []byte
	Report *validate.Report
}

// Load reads the index of a folder.
func Load(files fs.FS, source Source) (*Folder, error) {
	data, err := bounded.ReadFS(files, IndexFile, decode.MaxSize)
	if err != nil {
		return nil, fmt.Errorf("index of layers cannot be read: %w", err)
	}

	lookup := func(apiVersion, kind string) *document.Kind {
		if apiVersion == IndexKind.APIVersion && kind == IndexKind.Kind {
			return IndexKind
		}

		return nil
	}

	parsed, err := decode.Decode(data, decode.Options{File: IndexFile, Lookup: lookup, Known: func() []*document.Kind { return []*document.Kind{IndexKind} }})
	if err != nil {
		return nil, err
	}

	index, ok := parsed[0].Document.(*Index)
	if !ok {
		return nil, fmt.Errorf("index of layers is not of kind %s: %s", IndexKind.Kind, IndexFile)
	}

	if r := validate.Run(parsed, document.Metal, validate.Options{File: IndexFile}); !r.Valid() {
		return nil, r.Err()
	}

	return &Folder{files: files, index: index, source: source}, nil
}

// Nodes are the names of all nodes, sorted.
func (f *Folder) Nodes() []string { return slices.Sorted(maps.Keys(f.index.Nodes)) }

// All renders every node. The error joins those of all nodes that could not be
// rendered, or whose config is not valid.
func (f *Folder) All(now time.Time) ([]Rendered, error) {
	var (
		all    []Rendered
		faults []error
	)

	for _, name := range f.Nodes() {
		r, err := f.Render(name, now)
		if err == nil {
			err = r.Report.Err()
		}

		if err != nil {
			faults = append(faults, fmt.Errorf("node %s: %w", name, err))

			continue
		}

		all = append(all, *r)
	}

	return all, errors.Join(faults...)
}

// Render renders one node and validates the result.
func (f *Folder) Render(name string, now time.Time) (*Rendered, error) {
	node, ok := f.index.Nodes[name]
	if !ok {
		return nil, fmt.Errorf("no such node: %s", name)
	}

	if node == nil {
		node = new(Node)
	}

	layers, err := f.layers(name, node)
	if err != nil {
		return nil, err
	}

	values := &values{folder: f, node: node, name: name}
	options := decode.Options{Lookup: documents.Lookup, Known: documents.Kinds}

	var parsed []decode.Parsed

	for _, layer := range layers {
		if parsed, err = f.lay(parsed, layer, values, options); err != nil {
			return nil, err
		}
	}

	return finish(name, node, parsed, now)
}

func finish(name string, node *Node, parsed []decode.Parsed, now time.Time) (*Rendered, error) {
	if len(parsed) == 0 {
		return nil, decode.ErrNotFound
	}

	mode := document.Metal

	if node.Mode != "" {
		var err error
		if mode, err = document.ParseMode(node.Mode); err != nil {
			return nil, err
		}
	}

	slices.SortStableFunc(parsed, func(a, b decode.Parsed) int {
		switch {
		case a.Document.Kind().IsMain() == b.Document.Kind().IsMain():
			return 0
		case a.Document.Kind().IsMain():
			return -1
		}

		return 1
	})

	docs := make([]document.Document, len(parsed))
	for i := range parsed {
		docs[i] = parsed[i].Document
		parsed[i].Node = nil // places in layers mean nothing in the result
	}

	text, err := encode.Encode(docs...)
	if err != nil {
		return nil, err
	}

	return &Rendered{Node: name, Text: text, Report: validate.Run(parsed, mode, validate.Options{Now: now})}, nil
}

// layers lists the files for a node, in the order they are laid.
func (f *Folder) layers(name string, node *Node) ([]string, error) {
	var files []string

	if f.has("base.yaml") {
		files = append(files, "base.yaml")
	}

	entries, err := fs.ReadDir(f.files, "base")
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("layer cannot be read: base: %w", err)
	}

	for _, e := range entries {
		if !e.IsDir() && path.Ext(e.Name()) == ".yaml" {
			files = append(files, path.Join("base", e.Name()))
		}
	}

	for _, layer := range []struct{ kind, name string }{{"role", node.Role}, {"region", node.Region}, {"hardware", node.Hardware}} {
		if layer.name == "" {
			continue
		}

		file := path.Join(layer.kind, layer.name+".yaml")
		if !fs.ValidPath(file) || !f.has(file) {
			return nil, fmt.Errorf("layer is not there: %s", file)
		}

		files = append(files, file)
	}

	if file := path.Join("node", name+".yaml"); fs.ValidPath(file) && f.has(file) {
		files = append(files, file)
	}

	if len(files) == 0 {
		return nil, errors.New("there are no layers: write base.yaml")
	}

	return files, nil
}

func (f *Folder) has(file string) bool {
	info, err := fs.Stat(f.files, file)

	return err == nil && info.Mode().IsRegular()
}

// lay puts values into a layer and lays it over what is there.
func (f *Folder) lay(parsed []decode.Parsed, file string, values *values, o decode.Options) ([]decode.Parsed, error) {
	data, err := bounded.ReadFS(f.files, file, decode.MaxSize)
	if err != nil {
		return nil, fmt.Errorf("layer cannot be read: %w", err)
	}

	nodes, err := decode.Split(data, file)
	if err != nil {
		return nil, err
	}

	var faults []error
	for _, n := range nodes {
		faults = append(faults, fill(n, file, values, make(map[*yaml.Node]bool))...)
	}

	if len(faults) > 0 {
		return nil, errors.Join(faults...)
	}

	o.File = file

	p, err := patch.Strategic(nodes, file, o)
	if err != nil {
		return nil, err
	}

	return patch.Documents(parsed, o, p)
}
