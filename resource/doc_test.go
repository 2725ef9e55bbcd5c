package resource_test

import (
	"os"
	"strings"
	"testing"
)

// The code on the page about the engine is the code of the example.
func TestDocs_ShowCodeThatCompiles(t *testing.T) {
	page, err := os.ReadFile("../docs/explanation/engine.md")
	if err != nil {
		t.Fatal(err)
	}
	code, err := os.ReadFile("example_test.go")
	if err != nil {
		t.Fatal(err)
	}
	blocks := strings.Split(string(page), "```go\n")[1:]
	if len(blocks) == 0 {
		t.Fatal("the page shows no code")
	}
	for _, b := range blocks {
		b, _, _ = strings.Cut(b, "```")
		if !strings.Contains(string(code), b) {
			t.Errorf("not in example_test.go:\n%s", b)
		}
	}
}
