package document

import (
	"fmt"
	"strings"
	"time"
)

// Mode is the sort of machine that a config is checked for.
type Mode int

// Modes.
const (
	Metal Mode = iota
	Cloud
	Container
)

// String is the mode's word on the command line.
func (m Mode) String() string { return [...]string{"metal", "cloud", "container"}[m] }

// ParseMode reads a mode's word; words are case-sensitive.
func ParseMode(s string) (Mode, error) {
	for _, m := range []Mode{Metal, Cloud, Container} {
		if m.String() == s {
			return m, nil
		}
	}

	return 0, fmt.Errorf("unknown mode: %q: expected metal, cloud or container", s)
}

// Severity orders findings.
type Severity int

// Severities. Only errors make a config invalid; advice never changes a
// verdict, and a notice says what nodes do not act on yet.
const (
	Error Severity = iota
	Warning
	Advice
	Notice
)

// String is the word for the severity.
func (s Severity) String() string { return [...]string{"error", "warning", "advice", "notice"}[s] }

// MarshalText is the word for the severity, for JSON and YAML.
func (s Severity) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// Finding is one thing that validation has to say.
type Finding struct {
	Severity Severity `json:"severity"`
	// Document is the Title of the document, Path the key path in it: "machine.kubelet.nodeIP.validSubnets[1]".
	Document string `json:"document"`
	Path     string `json:"path,omitempty"`
	Message  string `json:"message"`
	// Remedy says what to write instead.
	Remedy string `json:"remedy,omitempty"`
	// File, Line and Column are filled in by whoever kept the source; 0 means unknown.
	File   string `json:"file,omitempty"`
	Line   int    `json:"line,omitempty"`
	Column int    `json:"column,omitempty"`
}

// Fix adds a remedy: what to do instead, as a phrase.
func (f *Finding) Fix(format string, args ...any) *Finding {
	f.Remedy = fmt.Sprintf(format, args...)

	return f
}

// String is the finding on one line.
func (f *Finding) String() string {
	var b strings.Builder

	b.WriteString(f.Document)

	if f.Path != "" {
		b.WriteString(": " + f.Path)
	}

	b.WriteString(": " + f.Message)

	if f.Remedy != "" {
		b.WriteString(" (" + f.Remedy + ")")
	}

	if f.Line > 0 {
		if f.File != "" {
			fmt.Fprintf(&b, " [%s:%d:%d]", f.File, f.Line, f.Column)
		} else {
			fmt.Fprintf(&b, " [line %d:%d]", f.Line, f.Column)
		}
	}

	return b.String()
}

// Validation collects findings about one config.
type Validation struct {
	// Mode is the sort of machine that is checked for.
	Mode Mode
	// Now is the time that lifetimes are checked against.
	Now time.Time

	document string
	prefix   string
	findings *[]*Finding
}

// NewValidation makes an empty collector.
func NewValidation(mode Mode, now time.Time) *Validation {
	return &Validation{Mode: mode, Now: now, findings: new([]*Finding)}
}

// For returns a collector of the same findings whose findings are about d.
func (v *Validation) For(d Document) *Validation {
	w := *v
	w.document, w.prefix = Title(d), ""

	return &w
}

// At returns a collector of the same findings whose paths are below path.
func (v *Validation) At(path string) *Validation {
	w := *v
	w.prefix = Join(v.prefix, path)

	return &w
}

// Item returns a collector for item i of the list at path.
func (v *Validation) Item(path string, i int) *Validation {
	return v.At(fmt.Sprintf("%s[%d]", path, i))
}

// Errorf reports a fault that makes the config invalid; path is the key (may be "").
func (v *Validation) Errorf(path, format string, args ...any) *Finding {
	return v.add(Error, path, fmt.Sprintf(format, args...))
}

// Warnf reports what is accepted but likely wrong.
func (v *Validation) Warnf(path, format string, args ...any) *Finding {
	return v.add(Warning, path, fmt.Sprintf(format, args...))
}

// Noticef reports a key that is right, but that nodes do not act on yet.
func (v *Validation) Noticef(path, format string, args ...any) *Finding {
	return v.add(Notice, path, fmt.Sprintf(format, args...))
}

// Advisef reports what this project knows beyond the rules that all clients share.
func (v *Validation) Advisef(path, format string, args ...any) *Finding {
	return v.add(Advice, path, fmt.Sprintf(format, args...))
}

func (v *Validation) add(s Severity, path, message string) *Finding {
	f := &Finding{Severity: s, Document: v.document, Path: Join(v.prefix, path), Message: message}
	*v.findings = append(*v.findings, f)

	return f
}

// Findings returns what was collected so far, in the order it was reported.
func (v *Validation) Findings() []*Finding { return *v.findings }

// Join joins two key paths.
func Join(a, b string) string {
	switch {
	case a == "":
		return b
	case b == "":
		return a
	case b[0] == '[':
		return a + b
	}

	return a + "." + b
}
