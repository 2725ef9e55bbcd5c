package output_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ichor-os/ichor/cli/output"
)

func TestWriteTable_AlignsColumnsWithoutTrailingBlanks(t *testing.T) {
	var text strings.Builder
	err := output.WriteTable(&text, []string{"CURRENT", "NAME", "NODES"}, [][]string{{"*", "älpha", "10.0.0.2"}, {"", "b", ""}})
	if err != nil {
		t.Fatal(err)
	}
	want := "CURRENT   NAME    NODES\n*         älpha   10.0.0.2\n          b\n"
	if diff := cmp.Diff(want, text.String()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestWrite(t *testing.T) {
	value := struct {
		Z []string `json:"zed"`
		A string   `json:"a"`
		B []int    `json:"b"`
		N string   `json:"n"`
		E string   `json:"e"`
	}{[]string{"<x>"}, "1", []int{}, "two\nlines\n", ""}
	for format, want := range map[output.Format]string{
		output.JSON: "{\n    \"zed\": [\n        \"<x>\"\n    ],\n    \"a\": \"1\",\n    \"b\": [],\n    \"n\": \"two\\nlines\\n\",\n    \"e\": \"\"\n}\n",
		output.YAML: "zed:\n    - <x>\na: \"1\"\nb: []\nn: |\n    two\n    lines\ne: \"\"\n",
	} {
		var text strings.Builder
		if err := output.Write(&text, format, value); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, text.String()); diff != "" {
			t.Errorf("%s (-want +got):\n%s", format, diff)
		}
	}
}

func TestParse_NamesTheFormatsOnError(t *testing.T) {
	if _, err := output.Parse("xml", output.JSON, output.YAML); err == nil || !strings.Contains(err.Error(), "[json yaml]") {
		t.Errorf("got %v, want an error that names json and yaml", err)
	}
}
