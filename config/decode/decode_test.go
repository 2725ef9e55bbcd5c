package decode_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ichor-os/ichor/config/decode"
)

func faultsOf(t *testing.T, text string) []string {
	t.Helper()

	_, err := decode.Decode([]byte(text), options())

	var many decode.Errors
	if errors.As(err, &many) {
		var lines []string
		for _, f := range many {
			lines = append(lines, f.Error())
		}

		return lines
	}

	if err != nil {
		return []string{err.Error()}
	}

	return nil
}

func TestDecode_SaysWhereAndWhatInstead(t *testing.T) {
	for name, c := range map[string]struct {
		text string
		want []string
	}{
		"unknown key with a near one": {
			"machine:\n  type: worker\n  network:\n    hostnam: a\n",
			[]string{`error decoding document /v1alpha1 (line 1): c.yaml:4:5: machine.network.hostnam: unknown key (did you mean "hostname"?)`},
		},
		"case of apiVersion": {
			"apiversion: v1alpha1\nkind: LinkConfig\nname: a\n",
			[]string{`error decoding document /LinkConfig/a (line 1): c.yaml:1:1: missing apiVersion (did you mean "apiVersion" instead of "apiversion"?)`},
		},
		"misspelled kind": {
			"apiVersion: v1alpha1\nkind: LinkConfg\nname: a\n",
			[]string{`error decoding document v1alpha1/LinkConfg/a (line 1): c.yaml:1:1: "LinkConfg" "v1alpha1": not registered (did you mean "LinkConfig"?)`},
		},
		"all faults of all documents at once": {
			"machine:\n  type: [a]\n  certSANs: x\n---\napiVersion: v1alpha1\nkind: LinkConfig\nname: a\nmtu: many\nup: 3\n",
			[]string{
				`error decoding document /v1alpha1 (line 1): c.yaml:2:9: machine.type: expected text, got a list`,
				`error decoding document /v1alpha1 (line 1): c.yaml:3:13: machine.certSANs: expected a list, got "x"`,
				`error decoding document v1alpha1/LinkConfig/a (line 5): c.yaml:8:6: mtu: expected a whole number without quotes, got "many"`,
				`error decoding document v1alpha1/LinkConfig/a (line 5): c.yaml:9:5: up: expected true or false, got "3"`,
			},
		},
		"key twice": {
			"machine:\n  type: worker\n  type: worker\n",
			[]string{`error decoding document /v1alpha1 (line 1): c.yaml:3:3: machine.type: key stands twice (join the two)`},
		},
		"scalar document": {"a\n", []string{`c.yaml:1:1: expected a YAML document at line 1: got "a" instead of a mapping of keys to values`}},
		"nothing":         {"# only\n---\n", []string{decode.ErrNotFound.Error()}},
		"anchor of an earlier document": {
			"machine: {type: &t worker}\n---\napiVersion: v1alpha1\nkind: LinkConfig\nname: *t\n",
			[]string{`error decoding document v1alpha1/LinkConfig/worker (line 3): c.yaml:5:7: name: unknown anchor: t (anchors count only within their document)`},
		},
	} {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(c.want, faultsOf(t, c.text)); diff != "" {
				t.Errorf("faults (-want +got):\n%s", diff)
			}
		})
	}
}

func TestSuggest(t *testing.T) {
	known := []string{"hostname", "nameservers", "interfaces", "mtu"}

	for word, want := range map[string]string{
		"Hostname": "hostname", "hostnmae": "hostname", "nameserver": "nameservers", "mut": "mtu", "kernel": "", "x": "",
	} {
		if got := decode.Suggest(word, known); got != want {
			t.Errorf("%s: got %q, want %q", word, got, want)
		}
	}
}

func FuzzDecode(f *testing.F) {
	seed(f)

	f.Fuzz(func(t *testing.T, data []byte) {
		parsed, err := decode.Decode(data, options())
		if err == nil && len(parsed) == 0 {
			t.Error("no documents and no error")
		}

		if err != nil && strings.TrimSpace(err.Error()) == "" {
			t.Error("an error that says nothing")
		}
	})
}
