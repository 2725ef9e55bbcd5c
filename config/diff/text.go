package diff

import (
	"fmt"
	"io"
	"strings"
)

// Write prints changes for people: a heading a document, below it a line or
// block a key.
func Write(w io.Writer, changes []Change) error {
	var b strings.Builder

	heading := ""

	for _, c := range changes {
		if c.Path == "" {
			fmt.Fprintf(&b, "%s: %s\n", c.Document, c.Operation)
			block(&b, "  - ", c.Old)
			block(&b, "  + ", c.New)

			heading = ""

			continue
		}

		if c.Document != heading {
			heading = c.Document
			b.WriteString(heading + "\n")
		}

		fmt.Fprintf(&b, "  %s: %s\n", c.Path, c.Operation)
		block(&b, "    - ", c.Old)
		block(&b, "    + ", c.New)
	}

	_, err := io.WriteString(w, b.String())

	return err
}

func block(b *strings.Builder, mark, text string) {
	if text == "" {
		return
	}

	for line := range strings.Lines(text) {
		b.WriteString(mark + strings.TrimSuffix(line, "\n") + "\n")
	}
}
