package schema

import (
	"fmt"
	"slices"
	"strings"

	"github.com/ichor-os/ichor/config/document"
)

// Index is the page that lists all kinds, in Markdown.
func Index(kinds []*document.Kind) string {
	var b strings.Builder

	b.WriteString("# Machine config\n\nA config is a YAML stream: one main document, and any number of others, each of a kind. These pages, `schema.json` and `not-in-force.txt` are generated from the types (`go generate ./config`).\n\n")
	b.WriteString("| kind | since | meaning |\n| --- | --- | --- |\n")

	sorted := slices.Clone(kinds)
	slices.SortStableFunc(sorted, func(x, y *document.Kind) int {
		switch {
		case x.IsMain() != y.IsMain():
			if x.IsMain() {
				return -1
			}

			return 1
		}

		return strings.Compare(x.String(), y.String())
	})

	for _, k := range sorted {
		title := k.String()
		if k.IsMain() {
			title = "the main document"
		}

		fmt.Fprintf(&b, "| [%s](%s.md) | %s | %s |\n", title, strings.ToLower(k.Kind), k.Since, k.Doc)
	}

	return b.String()
}
