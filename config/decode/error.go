package decode

import (
	"fmt"
	"slices"
	"strings"
)

// Error is one fault in a config's text.
type Error struct {
	// File is the name the text came with, may be empty.
	File string `json:"file,omitempty"`
	// Document is apiVersion/kind/name of the document, DocumentLine the first line of its content.
	Document     string `json:"document,omitempty"`
	DocumentLine int    `json:"documentLine,omitempty"`
	// Line and Column count from 1; 0 means that the fault has no place of its own.
	Line   int `json:"line,omitempty"`
	Column int `json:"column,omitempty"`
	// Path is the key path in the document.
	Path    string `json:"path,omitempty"`
	Message string `json:"message"`
	// Remedy is what to write instead, where that can be guessed.
	Remedy string `json:"remedy,omitempty"`
}

// Error is the fault on one line.
func (e *Error) Error() string {
	var b strings.Builder

	if e.Document != "" {
		fmt.Fprintf(&b, "error decoding document %s (line %d): ", e.Document, e.DocumentLine)
	}

	b.WriteString(e.detail())

	return b.String()
}

func (e *Error) detail() string {
	var b strings.Builder

	if e.File != "" {
		b.WriteString(e.File + ":")
	}

	switch {
	case e.Line > 0 && e.File != "":
		fmt.Fprintf(&b, "%d:%d: ", e.Line, e.Column)
	case e.Line > 0:
		fmt.Fprintf(&b, "line %d:%d: ", e.Line, e.Column)
	case e.File != "":
		b.WriteString(" ")
	}

	if e.Path != "" {
		b.WriteString(e.Path + ": ")
	}

	b.WriteString(e.Message)

	if e.Remedy != "" {
		b.WriteString(" (" + e.Remedy + ")")
	}

	return b.String()
}

// Errors are all the faults of one text, in the order of the text.
type Errors []*Error

// Error lists the faults, one a line, under a heading a document.
func (es Errors) Error() string {
	if len(es) == 1 {
		return es[0].Error()
	}

	var b strings.Builder

	heading := ""

	for i, e := range es {
		if i > 0 {
			b.WriteString("\n")
		}

		if e.Document == "" {
			heading = ""

			b.WriteString(e.Error())

			continue
		}

		if h := fmt.Sprintf("error decoding document %s (line %d):", e.Document, e.DocumentLine); h != heading {
			heading = h

			b.WriteString(h + "\n")
		}

		b.WriteString("  " + e.detail())
	}

	return b.String()
}

// Suggest returns the known word that a misspelled one most likely stands
// for, "" if none is near.
func Suggest(word string, known []string) string {
	best, bestDistance := "", 1+len(word)/3

	for _, k := range known {
		if strings.EqualFold(k, word) {
			return k
		}

		if d := distance(word, k, bestDistance); d < bestDistance || d == bestDistance && best == "" {
			best, bestDistance = k, d
		}
	}

	return best
}

// distance is the number of single-letter edits and swaps between two words,
// or something above limit.
func distance(a, b string, limit int) int {
	if d := len(a) - len(b); d > limit || -d > limit {
		return limit + 1
	}

	older, previous := make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range previous {
		previous[j] = j
	}

	for i := 1; i <= len(a); i++ {
		row := make([]int, len(b)+1)
		row[0] = i

		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}

			row[j] = min(previous[j]+1, row[j-1]+1, previous[j-1]+cost)

			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], older[j-2]+1)
			}
		}

		if slices.Min(row) > limit {
			return limit + 1
		}

		older, previous = previous, row
	}

	return previous[len(b)]
}
