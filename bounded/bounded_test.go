package bounded_test

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"testing/fstest"

	"go.yaml.in/yaml/v3"

	"github.com/ichor-os/ichor/bounded"
)

func TestReadFile_StopsAtTheLimit(t *testing.T) {
	path := filepath.Join(t.TempDir(), "key")

	if err := os.WriteFile(path, []byte("text"), 0o600); err != nil {
		t.Fatal(err)
	}

	if text, err := bounded.ReadFile(path); err != nil || string(text) != "text" {
		t.Errorf("got %q, %v", text, err)
	}

	if _, err := bounded.ReadFile(path + "2"); !os.IsNotExist(err) {
		t.Errorf("absent: got %v", err)
	}

	var before, after runtime.MemStats

	runtime.ReadMemStats(&before)

	_, err := bounded.ReadFile("/dev/zero")

	runtime.ReadMemStats(&after)

	if err == nil || !strings.Contains(err.Error(), "too large: /dev/zero") {
		t.Errorf("endless file: got %v", err)
	}

	if used := after.TotalAlloc - before.TotalAlloc; used > 64<<20 {
		t.Errorf("endless file: took %d MiB", used>>20)
	}
}

func TestReadFS_StopsAtTheLimit(t *testing.T) {
	files := fstest.MapFS{"a": {Data: []byte("12345")}}

	if text, err := bounded.ReadFS(files, "a", 5); err != nil || string(text) != "12345" {
		t.Errorf("got %q, %v", text, err)
	}

	if _, err := bounded.ReadFS(files, "a", 4); err == nil {
		t.Error("too large: got no error")
	}
}

func TestYAML_RefusesMillionsOfValuesInAnyForm(t *testing.T) {
	const many = bounded.MaxMarks + 1

	for name, text := range map[string]string{
		"items between commas":    "[" + strings.Repeat("a,", many),
		"empty keys":              "[" + strings.Repeat("?,", many),
		"items on lines":          strings.Repeat("-\n", many),
		"items on lines of DOS":   strings.Repeat("-\r\n", many),
		"items after next lines":  strings.Repeat("-\u0085", many),
		"items after separators":  strings.Repeat("-\u2028", many),
		"keys":                    strings.Repeat("a: \n", many),
		"keys before tabs":        strings.Repeat("a:\tb\n", many),
		"lists":                   strings.Repeat("[]", many),
		"mappings":                strings.Repeat("{}", many),
		"after a quote in a word": "[a\n \"b" + strings.Repeat(",b", many),
		"UTF-16":                  "\xff\xfe[\x00" + strings.Repeat("a\x00,\x00", many),
	} {
		if err := bounded.YAML([]byte(text)); err == nil {
			t.Errorf("%s: got no error", name)
		}
	}

	for name, text := range map[string]string{
		"few values":       "[" + strings.Repeat("a,", many/2),
		"a long word":      strings.Repeat("a", 16<<20),
		"text of a key":    "|\n" + strings.Repeat(" MIIBjz-CCAT:Wg/Aw=\n", many),
		"an empty text":    "",
		"rules and header": strings.Repeat("--------\n", many/2),
	} {
		if err := bounded.YAML([]byte(text)); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// FuzzYAML shows that no text makes more values than its marks stand for.
func FuzzYAML(f *testing.F) {
	for _, seed := range []string{"a: [b, {c: d}]\n- - e\n", "? a\n: b\n", "[?,:,?a:b,[]]", "{a,b,\"c\":d}", "--- a\n---\n- *a", "[::a?b,?]"} {
		f.Add(seed)
	}

	f.Fuzz(func(t *testing.T, text string) {
		var n yaml.Node
		if err := yaml.Unmarshal([]byte(text), &n); err != nil {
			return
		}

		if values, marks := count(&n), bounded.Marks([]byte(text)); values > 3*marks+3 {
			t.Errorf("%q: %d values of %d marks", text, values, marks)
		}
	})
}

func count(n *yaml.Node) int {
	total := 1
	for _, below := range n.Content {
		total += count(below)
	}

	return total
}
