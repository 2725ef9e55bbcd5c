package document_test

import (
	"bytes"
	"strings"
	"testing"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"

	"github.com/ichor-os/ichor/config/document"
)

func emit(t *testing.T, n *yaml.Node) string {
	t.Helper()

	var b bytes.Buffer

	e := yaml.NewEncoder(&b)
	e.SetIndent(4)

	top := &yaml.Node{Kind: yaml.MappingNode, Content: []*yaml.Node{
		document.Text("a"), {Kind: yaml.SequenceNode, Content: []*yaml.Node{
			{Kind: yaml.MappingNode, Content: []*yaml.Node{document.Text("k"), n}},
		}},
	}}
	if err := e.Encode(top); err != nil {
		t.Fatal(err)
	}

	return b.String()
}

func TestText_IsQuotedOnlyWhereItMustBe(t *testing.T) {
	for text, want := range map[string]string{
		"plain": "plain", "a b": "a b", "": `""`, "true": `"true"`, "yes": `"yes"`, "n": `"n"`, "off": `"off"`, "null": `"null"`, "~": `"~"`,
		"1": `"1"`, "1.5": `"1.5"`, "0x1F": `"0x1F"`, "0o7": `"0o7"`, "0777": `"0777"`, "08": `"08"`, "1_0": `"1_0"`, "1e3": `"1e3"`,
		"12:30": `"12:30"`, "02:09:09": `"02:09:09"`, "02:aa:09": "02:aa:09", "2026-01-02": `"2026-01-02"`, "::": "'::'", ": a": "': a'",
		"a: b": "'a: b'", "a #b": "'a #b'", "#a": "'#a'", "=": "=", "<": "<", "<<": `"<<"`, "--": "--", "---": "'---'", "?": "'?'", ":a": ":a", "a,b": "a,b",
		"- a": "'- a'", "!a": "'!a'", "*a": "'*a'", "&a": "'&a'", "%a": "'%a'", "@a": "'@a'", " a": "' a'", "a ": "'a '", "{": "'{'", "é": "é",
		"\U0001F600": `"\U0001F600"`, "a\tb": `"a\tb"`, "inf": "inf", ".inf": `".inf"`,
		"a\n": "|\n        a", "a\nb": "|-\n        a\n        b", "a\n\n": "|+\n        a\n",
	} {
		got := strings.TrimSuffix(strings.TrimPrefix(emit(t, document.Text(text)), "a:\n    - k: "), "\n")
		if got != want {
			t.Errorf("%q: got %s, want %s", text, got, want)
		}
	}
}

func FuzzText(f *testing.F) {
	for _, s := range []string{"", "a", " a\nb", "\na", "a\n\n", "a \nb", "\ta\nb", "a\tb\nc", "12:30", "---\na", "a\r\nb", "é\n\U0001F600", "...", "a:\n b", "# a\n"} {
		f.Add(s)
	}

	f.Fuzz(func(t *testing.T, s string) {
		if !utf8.ValidString(s) {
			t.Skip()
		}

		var back struct {
			A []struct {
				K string
			}
		}

		text := emit(t, document.Text(s))
		if err := yaml.Unmarshal([]byte(text), &back); err != nil {
			t.Fatalf("%q: %v\n%s", s, err, text)
		}

		if len(back.A) != 1 || back.A[0].K != s {
			t.Fatalf("got %q, want %q\n%s", back.A, s, text)
		}
	})
}
