package patch_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ichor-os/ichor/config/patch"
)

func apply(t *testing.T, base string, patches ...string) (string, error) {
	t.Helper()

	var list []*patch.Patch

	for _, text := range patches {
		p, err := patch.Parse([]byte(text), "patch", options())
		if err != nil {
			return "", err
		}

		list = append(list, p)
	}

	out, err := patch.Text([]byte(base), "base.yaml", options(), list...)

	return string(out), err
}

func TestText_WithoutPatchesIsTheSameBytes(t *testing.T) {
	base := "# words\nmachine:   {type: worker}\n"

	if got, err := apply(t, base); err != nil || got != base {
		t.Errorf("got %q, %v", got, err)
	}
}

func TestText_EmptyPatchesChangeNothing(t *testing.T) {
	base := "machine:\n  type: worker\n---\napiVersion: v1alpha1\nkind: LinkConfig\nname: a\n"

	for _, p := range []string{"", "# words\n", "---\n", "[]"} {
		if got, err := apply(t, base, p); err != nil || got != base {
			t.Errorf("%q: got %q, %v", p, got, err)
		}
	}
}

func TestReplaceDirective(t *testing.T) {
	for name, c := range map[string]struct{ base, patch, want string }{
		"list": {
			"machine: {certSANs: [a, b]}", "machine: {certSANs: [{$patch: replace}, c]}",
			"    certSANs:\n        - c\n",
		},
		"map": {
			"machine: {sysctls: {a: 1, b: 2}}", "machine: {sysctls: {$patch: replace, c: 3}}",
			"    sysctls:\n        c: \"3\"\n",
		},
		"section": {
			"machine: {kubelet: {image: i, registerWithFQDN: true}}", "machine: {kubelet: {$patch: replace, image: j}}",
			"    kubelet:\n        image: j\n",
		},
		"absent section": {
			"machine: {type: worker}", "machine: {kubelet: {$patch: replace, image: j}}",
			"    kubelet:\n        image: j\n",
		},
		"list of sections": {
			"machine: {network: {interfaces: [{interface: eth0, dhcp: true}]}}",
			"machine: {network: {interfaces: [{$patch: replace}, {interface: eth0, mtu: 9000}]}}",
			"        interfaces:\n            - interface: eth0\n              mtu: 9000\n",
		},
	} {
		t.Run(name, func(t *testing.T) {
			once, err := apply(t, c.base, c.patch)
			if err != nil || !strings.Contains(once, c.want) {
				t.Fatalf("got %v\n%s\nwant\n%s", err, once, c.want)
			}

			twice, err := apply(t, c.base, c.patch, c.patch)
			if diff := cmp.Diff(once, twice); err != nil || diff != "" {
				t.Errorf("the second time changed something: %v\n%s", err, diff)
			}
		})
	}
}

func TestDirectives_ThatMakeNoSenseAreErrors(t *testing.T) {
	for patch, want := range map[string]string{
		"machine: {sysctls: {$patch: remove}}":                                      "use delete or replace",
		"machine: {certSANs: [{$patch: delete}]}":                                   "named by one of its keys",
		"machine: {$patch: delete, wings: {}}\n---\nmachine: {type: worker}":        "",
		"$patch: delete\nmachine: {}":                                               "missing apiVersion",
		"apiVersion: v1alpha1\nkind: LinkConfig\nname: zz\n$patch: delete":          "not there",
		"apiVersion: v1alpha1\nkind: NoConfig\nname: zz\n$patch: delete":            "not registered",
		"machine: {network: {interfaces: [{interface: a, mtu: {$patch: delete}}]}}": "inside a list item",
	} {
		_, err := apply(t, "machine: {type: worker}", patch)
		if want == "" {
			continue
		}

		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want %q", patch, err, want)
		}
	}
}

func TestJSONPatch_OnOneOfSeveralDocuments(t *testing.T) {
	base := "machine:\n  type: worker\n---\napiVersion: v1alpha1\nkind: LinkConfig\nname: a\nmtu: 1400\n---\napiVersion: v1alpha1\nkind: LinkConfig\nname: b\n"

	got, err := apply(t, base, `[
		{"op":"replace","path":"/mtu","value":9000,"document":"LinkConfig/a"},
		{"op":"add","path":"/machine/token","value":"t","document":"v1alpha1"}]`)
	if err != nil {
		t.Fatal(err)
	}

	want := "machine:\n  token: t\n  type: worker\n---\napiVersion: v1alpha1\nkind: LinkConfig\nmtu: 9000\nname: a\n---\napiVersion: v1alpha1\nkind: LinkConfig\nname: b\n"
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}

	for patch, want := range map[string]string{
		`[{"op":"add","path":"/mtu","value":1}]`:                           "choose one",
		`[{"op":"add","path":"/mtu","value":1,"document":"LinkConfig"}]`:   "ambiguous",
		`[{"op":"add","path":"/mtu","value":1,"document":"LinkConfig/z"}]`: "not there",
	} {
		if _, err := apply(t, base, patch); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want %q", patch, err, want)
		}
	}
}

func TestKeepComments(t *testing.T) {
	base := `# the first node
machine:
    type: worker # for now
    # names
    certSANs:
        # by hand
        - a
        - b # second
    kubelet:
        image: i
---
# uplink
apiVersion: v1alpha1
kind: LinkConfig
name: a # lan
mtu: 1400
`
	result, err := apply(t, base, "machine: {type: controlplane, certSANs: [c], kubelet: {$patch: delete}}")
	if err != nil {
		t.Fatal(err)
	}

	got, err := patch.KeepComments([]byte(base), []byte(result))
	if err != nil {
		t.Fatal(err)
	}

	for _, want := range []string{"# the first node", "type: controlplane # for now", "# names\n    certSANs:", "# by hand\n        - a", "- b # second", "- c", "# uplink", "name: a # lan"} {
		if !strings.Contains(string(got), want) {
			t.Errorf("%q is not in:\n%s", want, got)
		}
	}

	if _, err := apply(t, string(got), "machine: {token: t}"); err != nil {
		t.Errorf("result does not decode: %v", err)
	}
}

func TestJSONPatch_RefusesWhatIsNoPointer(t *testing.T) {
	for _, op := range []string{
		`{"op":"add","path":"machine/x","value":1}`, `{"op":"remove","path":"debug"}`,
		`{"op":"move","from":"debug","path":"/x"}`, `{"op":"add","path":"/a~2b","value":1}`, `{"op":"add","path":"/a~","value":1}`,
	} {
		if _, err := patch.Parse([]byte("["+op+"]"), "p", options()); err == nil {
			t.Errorf("%s: accepted", op)
		}
	}
}
