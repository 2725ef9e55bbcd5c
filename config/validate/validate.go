// Package validate checks whole configs: each document by its own rules, the
// documents against each other, and – as advice – by what this project knows
// beyond the rules that all clients of the format share.
package validate

import (
	"slices"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"

	"github.com/ichor-os/ichor/config/decode"
	"github.com/ichor-os/ichor/config/document"
)

// Options say how strict to be.
type Options struct {
	// Strict makes warnings of the main document errors.
	Strict bool
	// AdviceIsError makes advice errors.
	AdviceIsError bool
	// File is the name of the text, for positions.
	File string
	// Now is the time that lifetimes are checked against; zero is the present.
	Now time.Time
}

// Report is what validation found. Within each list the main document stands
// first, then the others in the order of the file, then rules across documents.
type Report struct {
	Errors   []*document.Finding `json:"errors"`
	Warnings []*document.Finding `json:"warnings"`
	Advice   []*document.Finding `json:"advice"`
	// Notices name the keys in use that nodes do not act on yet.
	Notices []*document.Finding `json:"notices"`
	// CompleteForBoot: there is a main document, so a machine can start with this config.
	CompleteForBoot bool `json:"completeForBoot"`
}

// Valid tells whether there is no error.
func (r *Report) Valid() bool { return len(r.Errors) == 0 }

// Err is the errors as one error, nil if there are none.
func (r *Report) Err() error {
	if r.Valid() {
		return nil
	}

	return &Failure{Findings: r.Errors}
}

// Failure is the error of an invalid config.
type Failure struct{ Findings []*document.Finding }

// Error lists every fault, one a line.
func (f *Failure) Error() string {
	lines := make([]string, len(f.Findings))
	for i, x := range f.Findings {
		lines[i] = "  * " + x.String()
	}

	return "config is not valid:\n" + strings.Join(lines, "\n")
}

// Run validates documents for a mode.
func Run(parsed []decode.Parsed, mode document.Mode, o Options) *Report {
	if o.Now.IsZero() {
		o.Now = time.Now()
	}

	v := document.NewValidation(mode, o.Now)
	docs := make([]document.Document, len(parsed))

	for i, p := range parsed {
		docs[i] = p.Document
	}

	ordered := mainFirst(docs)
	for _, d := range ordered {
		d.Validate(v.For(d))
	}

	for _, d := range ordered {
		if c, ok := d.(document.CrossValidator); ok {
			c.ValidateWith(v.For(d), docs)
		}
	}

	advise(v, ordered)

	return report(v.Findings(), parsed, o)
}

func mainFirst(docs []document.Document) []document.Document {
	ordered := slices.Clone(docs)
	slices.SortStableFunc(ordered, func(a, b document.Document) int {
		switch {
		case a.Kind().IsMain() == b.Kind().IsMain():
			return 0
		case a.Kind().IsMain():
			return -1
		}

		return 1
	})

	return ordered
}

func report(findings []*document.Finding, parsed []decode.Parsed, o Options) *Report {
	r := &Report{Errors: []*document.Finding{}, Warnings: []*document.Finding{}, Advice: []*document.Finding{}, Notices: []*document.Finding{}} // lists in JSON, even if empty
	nodes := make(map[string]*yaml.Node, len(parsed))

	for _, p := range parsed {
		nodes[document.Title(p.Document)] = p.Node
		r.CompleteForBoot = r.CompleteForBoot || p.Document.Kind().IsMain()
	}

	for _, f := range findings {
		if n := Locate(nodes[f.Document], f.Path); n != nil {
			f.File, f.Line, f.Column = o.File, n.Line, n.Column
		}

		switch {
		case f.Severity == document.Error,
			f.Severity == document.Warning && o.Strict && f.Document == "v1alpha1.Config",
			f.Severity == document.Advice && o.AdviceIsError:
			r.Errors = append(r.Errors, f)
		case f.Severity == document.Warning:
			r.Warnings = append(r.Warnings, f)
		case f.Severity == document.Notice:
			r.Notices = append(r.Notices, f)
		default:
			r.Advice = append(r.Advice, f)
		}
	}

	return r
}

// Locate finds the key that a path names in a document's source, or the
// nearest one above it; nil without a source.
func Locate(n *yaml.Node, path string) *yaml.Node {
	if n == nil {
		return nil
	}

	found := n

	for path != "" {
		n = document.Resolve(n)

		switch n.Kind {
		case yaml.MappingNode:
			key, value, rest := longestKey(n, path)
			if key == nil {
				return found
			}

			found, n, path = key, value, rest
		case yaml.SequenceNode:
			i, rest, ok := index(path)
			if !ok || i >= len(n.Content) {
				return found
			}

			found, n, path = n.Content[i], n.Content[i], rest
		default:
			return found
		}
	}

	return found
}

// longestKey finds the key that path starts with; keys may hold dots.
func longestKey(n *yaml.Node, path string) (key, value *yaml.Node, rest string) {
	for i := 0; i+1 < len(n.Content); i += 2 {
		k := n.Content[i]

		after, ok := strings.CutPrefix(path, k.Value)
		if !ok || k.Value == "" || after != "" && after[0] != '.' && after[0] != '[' {
			continue
		}

		if key == nil || len(k.Value) > len(key.Value) {
			key, value, rest = k, n.Content[i+1], strings.TrimPrefix(after, ".")
		}
	}

	return key, value, rest
}

func index(path string) (i int, rest string, ok bool) {
	digits, after, ok := strings.Cut(strings.TrimPrefix(path, "["), "]")
	if !ok || path[0] != '[' || digits == "" || len(digits) > 6 {
		return 0, "", false
	}

	for _, c := range digits {
		if c < '0' || c > '9' {
			return 0, "", false
		}

		i = i*10 + int(c-'0')
	}

	return i, strings.TrimPrefix(after, "."), true
}
