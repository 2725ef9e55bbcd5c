// Package config is machine configs as a whole: reading, checking, writing,
// patching and comparing them. The rooms below it each do one of these
// things; what most code needs is here.
package config

//go:generate go run ./schema/reference ../docs/reference/config

import (
	"slices"

	"github.com/ichor-os/ichor/config/decode"
	"github.com/ichor-os/ichor/config/document"
	"github.com/ichor-os/ichor/config/documents"
	"github.com/ichor-os/ichor/config/documents/v1alpha1"
	"github.com/ichor-os/ichor/config/encode"
	"github.com/ichor-os/ichor/config/validate"
)

// Config is a decoded config: one document or more.
type Config struct {
	parsed []decode.Parsed
	file   string
}

// Option changes how a config is read.
type Option func(*decode.Options)

// File names the text for error messages.
func File(name string) Option {
	return func(o *decode.Options) { o.File = name }
}

func options(opts []Option) decode.Options {
	o := decode.Options{Lookup: documents.Lookup, Known: documents.Kinds}
	for _, apply := range opts {
		apply(&o)
	}

	return o
}

// Parse reads a config strictly. It does not validate: see Validate.
func Parse(data []byte, opts ...Option) (*Config, error) {
	o := options(opts)

	parsed, err := decode.Decode(data, o)
	if err != nil {
		return nil, err
	}

	return &Config{parsed: parsed, file: o.File}, nil
}

// New makes a config of documents.
func New(docs ...document.Document) (*Config, error) {
	c := new(Config)
	for _, d := range docs {
		c.parsed = append(c.parsed, decode.Parsed{Document: d})
	}

	if faults := decode.Clashes(c.parsed, ""); len(faults) > 0 {
		return nil, faults
	}

	return c, nil
}

// Documents returns the documents: the main one first, the others in the
// order of the text.
func (c *Config) Documents() []document.Document {
	docs := make([]document.Document, 0, len(c.parsed))

	for _, wantMain := range []bool{true, false} {
		for _, p := range c.parsed {
			if p.Document.Kind().IsMain() == wantMain {
				docs = append(docs, p.Document)
			}
		}
	}

	return docs
}

// Main returns the main document, nil if there is none.
func (c *Config) Main() *v1alpha1.Config {
	for _, p := range c.parsed {
		if m, ok := p.Document.(*v1alpha1.Config); ok {
			return m
		}
	}

	return nil
}

// Find returns the document of a kind and name, nil if there is none.
func (c *Config) Find(kind, name string) document.Document {
	i := slices.IndexFunc(c.parsed, func(p decode.Parsed) bool {
		return p.Document.Kind().Kind == kind && p.Document.Name() == name
	})
	if i < 0 {
		return nil
	}

	return c.parsed[i].Document
}

// Encode writes the config in its canonical form, without comments.
func (c *Config) Encode() ([]byte, error) { return encode.Encode(c.Documents()...) }

// Modes of validation.
const (
	Metal     = document.Metal
	Cloud     = document.Cloud
	Container = document.Container
)

// Validate checks the config for a mode.
func (c *Config) Validate(mode document.Mode, o validate.Options) *validate.Report {
	if o.File == "" {
		o.File = c.file
	}

	return validate.Run(c.parsed, mode, o)
}
