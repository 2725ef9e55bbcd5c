package architecture

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// link is an inline Markdown link; the group is where it leads.
var link = regexp.MustCompile(`\]\(([^)\s]+)\)`)

// code is text that Markdown shows as it is.
var code = regexp.MustCompile("(?s)```.*?```|`[^`\n]*`")

func TestDocs_LinksLeadSomewhere(t *testing.T) {
	root := filepath.Join("..", "..")
	list, err := exec.Command("git", "-C", root, "ls-files", "--cached", "--others", "--exclude-standard", "README.md", "docs/*.md").Output()
	if err != nil {
		t.Fatal(err)
	}
	pages := strings.Fields(string(list))
	if len(pages) == 0 {
		t.Fatal("found no page")
	}
	for _, page := range pages {
		text, err := os.ReadFile(filepath.Join(root, page))
		if os.IsNotExist(err) {
			continue // deleted, not yet committed
		}
		if err != nil {
			t.Fatal(err)
		}
		for _, found := range link.FindAllSubmatch(code.ReplaceAll(text, nil), -1) {
			target, _, _ := strings.Cut(string(found[1]), "#")
			if target == "" || strings.Contains(target, "://") {
				continue
			}
			if _, err := os.Stat(filepath.Join(root, filepath.Dir(page), target)); err != nil {
				t.Errorf("%s: link to %s, which is not there", page, target)
			}
		}
	}
}
