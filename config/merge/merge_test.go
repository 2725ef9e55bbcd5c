package merge_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ichor-os/ichor/config/decode"
	"github.com/ichor-os/ichor/config/document"
	"github.com/ichor-os/ichor/config/documents"
	"github.com/ichor-os/ichor/config/encode"
	"github.com/ichor-os/ichor/config/merge"
)

func parse(t *testing.T, text string) []decode.Parsed {
	t.Helper()

	docs, err := decode.Decode([]byte(text), decode.Options{Lookup: documents.Lookup})
	if err != nil {
		t.Fatal(err)
	}

	return docs
}

func written(t *testing.T, docs []decode.Parsed) string {
	t.Helper()

	list := make([]document.Document, len(docs))
	for i, d := range docs {
		list[i] = d.Document
	}

	text, err := encode.Encode(list...)
	if err != nil {
		t.Fatal(err)
	}

	return string(text)
}

func TestDocuments_FreeForm(t *testing.T) {
	for name, c := range map[string]struct{ base, patch, want string }{
		"deep":              {"{a: {x: 1}}", "{a: {y: 2}}", "{a: {x: 1, y: 2}}"},
		"false replaces":    {"{a: true}", "{a: false}", "{a: false}"},
		"0 does not":        {"{a: 3}", "{a: 0}", "{a: 3}"},
		"nor does no text":  {"{a: b}", "{a: \"\"}", "{a: b}"},
		"nor null":          {"{a: b}", "{a: null}", "{a: b}"},
		"value over null":   {"{a: null}", "{a: b}", "{a: b}"},
		"lists add":         {"{a: [x]}", "{a: [x, y]}", "{a: [x, y]}"},
		"equal numbers":     {"{a: 1e3}", "{a: 1000}", "{a: 1e3}"},
		"large numbers":     {"{a: 9007199254740993}", "{a: 9007199254740992}", "{a: 9007199254740992}"},
		"text over number":  {"{a: 1}", "{a: b}", ""},
		"fraction over int": {"{a: 1}", "{a: 1.5}", ""},
		"list over mapping": {"{a: {}}", "{a: [1]}", ""},
	} {
		t.Run(name, func(t *testing.T) {
			config := func(free string) string { return "machine: {kubelet: {extraConfig: " + free + "}}" }

			got, err := merge.Documents(parse(t, config(c.base)), parse(t, config(c.patch)))
			if c.want == "" {
				if err == nil || !strings.Contains(err.Error(), "machine.kubelet.extraConfig.a") {
					t.Errorf("got %v, want an error that names the key", err)
				}

				return
			}

			if err != nil {
				t.Fatal(err)
			}

			if d := cmp.Diff(written(t, parse(t, config(c.want))), written(t, got)); d != "" {
				t.Errorf("(-want +got):\n%s", d)
			}
		})
	}
}

func TestDocuments_ShareNothingWithThePatch(t *testing.T) {
	patch := parse(t, "machine: {sysctls: {a: b}, kubelet: {extraConfig: {x: {y: [1]}}}, network: {interfaces: [{interface: e, addresses: [10.0.0.1/8]}]}}\n---\napiVersion: v1alpha1\nkind: LinkConfig\nname: a\naddresses: [{address: 10.0.0.1/8}]\n")
	before := written(t, patch)

	result, err := merge.Documents(parse(t, "machine: {type: worker}"), patch)
	if err != nil {
		t.Fatal(err)
	}

	more := parse(t, "machine: {sysctls: {c: d}, kubelet: {extraConfig: {x: {y: [2], z: 1}}}, network: {interfaces: [{interface: e, addresses: [10.0.0.2/8], mtu: 3}]}}\n---\napiVersion: v1alpha1\nkind: LinkConfig\nname: a\nmtu: 9000\n")
	if _, err := merge.Documents(result, more); err != nil {
		t.Fatal(err)
	}

	if d := cmp.Diff(before, written(t, patch)); d != "" {
		t.Errorf("merging into the result changed the patch:\n%s", d)
	}
}

func TestDocuments_RefusesNamesThatClash(t *testing.T) {
	_, err := merge.Documents(
		parse(t, "apiVersion: v1alpha1\nkind: LinkConfig\nname: a\n"),
		parse(t, "apiVersion: v1alpha1\nkind: BridgeConfig\nname: a\n"))
	if err == nil || !strings.Contains(err.Error(), "LinkConfig/a") {
		t.Errorf("got %v, want an error that names both", err)
	}
}
