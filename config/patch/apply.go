package patch

import (
	"reflect"

	"github.com/ichor-os/ichor/config/decode"
	"github.com/ichor-os/ichor/config/document"
	"github.com/ichor-os/ichor/config/encode"
	"github.com/ichor-os/ichor/config/merge"
)

// Text applies patches to the text of a config, one after the other, and gives
// the text of the result. Without patches that is the text itself. A
// strategic patch decodes the text strictly and writes it canonically; a JSON
// patch works on the text as it stands.
func Text(base []byte, file string, o decode.Options, patches ...*Patch) ([]byte, error) {
	var docs []decode.Parsed // not nil while the current state is decoded

	text := base
	o.File = file

	for _, p := range patches {
		var err error

		if p.IsJSON() {
			if text, err = written(text, docs); err != nil {
				return nil, err
			}

			docs = nil

			if text, err = p.applyJSON(text, file); err != nil {
				return nil, err
			}

			continue
		}

		if docs == nil {
			if docs, err = decode.Decode(text, o); err != nil {
				return nil, err
			}
		}

		if docs, err = p.apply(docs, o); err != nil {
			return nil, err
		}

		if len(docs) == 0 {
			return nil, errNothingLeft
		}
	}

	return written(text, docs)
}

func written(text []byte, docs []decode.Parsed) ([]byte, error) {
	if docs == nil {
		return text, nil
	}

	return encode.Encode(ordered(docs)...)
}

// ordered puts the main document first.
func ordered(docs []decode.Parsed) []document.Document {
	list := make([]document.Document, 0, len(docs))

	for _, mainFirst := range []bool{true, false} {
		for _, d := range docs {
			if d.Document.Kind().IsMain() == mainFirst {
				list = append(list, d.Document)
			}
		}
	}

	return list
}

// Documents applies patches to decoded documents, which are left as they are.
func Documents(base []decode.Parsed, o decode.Options, patches ...*Patch) ([]decode.Parsed, error) {
	docs := make([]decode.Parsed, len(base))
	for i, d := range base {
		docs[i] = decode.Parsed{Document: copyOf(d.Document)}
	}

	for _, p := range patches {
		var err error

		if p.IsEmpty() {
			continue
		}

		if p.IsJSON() {
			docs, err = p.jsonOnDocuments(docs, o)
		} else {
			docs, err = p.apply(docs, o)
		}

		if err != nil {
			return nil, err
		}

		if len(docs) == 0 {
			return nil, errNothingLeft
		}
	}

	return docs, nil
}

func (p *Patch) jsonOnDocuments(docs []decode.Parsed, o decode.Options) ([]decode.Parsed, error) {
	text, err := encode.Encode(ordered(docs)...)
	if err != nil {
		return nil, err
	}

	if text, err = p.applyJSON(text, ""); err != nil {
		return nil, err
	}

	return decode.Decode(text, o)
}

func copyOf(d document.Document) document.Document {
	c := d.Kind().New()
	reflect.ValueOf(c).Elem().Set(merge.Clone(reflect.ValueOf(d).Elem()))

	return c
}
