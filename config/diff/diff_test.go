package diff_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ichor-os/ichor/config/decode"
	"github.com/ichor-os/ichor/config/diff"
	"github.com/ichor-os/ichor/config/document"
	"github.com/ichor-os/ichor/config/documents"
)

func docs(t *testing.T, text string) []document.Document {
	t.Helper()

	parsed, err := decode.Decode([]byte(text), decode.Options{Lookup: documents.Lookup})
	if err != nil {
		t.Fatal(err)
	}

	var list []document.Document
	for _, p := range parsed {
		list = append(list, p.Document)
	}

	return list
}

func TestDocuments(t *testing.T) {
	for name, c := range map[string]struct {
		a, b string
		want string
	}{
		"nothing": {"machine: {type: worker, certSANs: []}", "machine:\n  certSANs: []\n  type: 'worker'\n", ""},
		"scalar": {
			"machine: {type: worker}", "machine: {type: controlplane}",
			"v1alpha1.Config\n  machine.type: changed\n    - worker\n    + controlplane\n",
		},
		"secret": {
			"machine: {token: one}", "machine: {token: two}",
			"v1alpha1.Config\n  machine.token: changed\n    - '[redacted]'\n    + '[redacted]'\n",
		},
		"section comes": {
			"machine: {type: worker}", "machine: {type: worker, kubelet: {image: i}}",
			"v1alpha1.Config\n  machine.kubelet.image: added\n    + i\n",
		},
		"empty section comes": {
			"machine: {type: worker}", "machine: {type: worker, kubelet: {}}",
			"v1alpha1.Config\n  machine.kubelet: added\n    + {}\n",
		},
		"map": {
			"machine: {sysctls: {a: 1, b: 2}}", "machine: {sysctls: {b: 3, c: 4}}",
			"v1alpha1.Config\n  machine.sysctls.a: removed\n    - \"1\"\n  machine.sysctls.b: changed\n    - \"2\"\n    + \"3\"\n  machine.sysctls.c: added\n    + \"4\"\n",
		},
		"item by its name": {
			"machine: {network: {interfaces: [{interface: a, mtu: 1}, {interface: b}]}}", "machine: {network: {interfaces: [{interface: b}, {interface: a, mtu: 2}]}}",
			"v1alpha1.Config\n  machine.network.interfaces[interface=a].mtu: changed\n    - 1\n    + 2\n",
		},
		"order alone": {
			"machine: {kernel: {modules: [{name: a}, {name: b}]}}", "machine: {kernel: {modules: [{name: b}, {name: a}]}}",
			"v1alpha1.Config\n  machine.kernel.modules: changed\n    - - name: a\n    - - name: b\n    + - name: b\n    + - name: a\n",
		},
		"document goes": {
			"machine: {type: worker}\n---\napiVersion: v1alpha1\nkind: LinkConfig\nname: a\n", "machine: {type: worker}",
			"LinkConfig/a: removed\n  - apiVersion: v1alpha1\n  - kind: LinkConfig\n  - name: a\n",
		},
		"free-form": {
			"machine: {kubelet: {extraConfig: {a: {x: 1}, b: 1}}}", "machine: {kubelet: {extraConfig: {a: {x: 2}, b: 1}}}",
			"v1alpha1.Config\n  machine.kubelet.extraConfig.a: changed\n    - x: 1\n    + x: 2\n",
		},
	} {
		t.Run(name, func(t *testing.T) {
			var b strings.Builder
			if err := diff.Write(&b, diff.Documents(docs(t, c.a), docs(t, c.b))); err != nil {
				t.Fatal(err)
			}

			if d := cmp.Diff(c.want, b.String()); d != "" {
				t.Errorf("(-want +got):\n%s", d)
			}
		})
	}
}

func TestDocuments_ShowNoSecretThatANameOrTextTells(t *testing.T) {
	const was, is = "hunter2", "hunter3"

	for name, base := range map[string]string{
		"flag":               "machine: {kubelet: {extraArgs: {token: X}}}",
		"flag given twice":   "machine: {kubelet: {extraArgs: {service-account-private-key: [X, b]}}}",
		"free-form":          "machine: {kubelet: {extraConfig: {apiToken: X}}}",
		"deep in free-form":  "machine: {kubelet: {extraConfig: {a: {password: X}}}}",
		"label":              "machine: {nodeAnnotations: {my-secret: X}}",
		"Kubernetes secret":  "cluster: {inlineManifests: [{name: a, contents: \"apiVersion: v1\\nkind: Secret\\ndata:\\n  a: X\\n\"}]}",
		"secret in JSON":     "cluster: {inlineManifests: [{name: a, contents: '{\"kind\": \"Secret\", \"data\": {\"a\": \"X\"}}'}]}",
		"variable in a text": "cluster: {inlineManifests: [{name: a, contents: \"kind: ConfigMap\\ndata:\\n  db_password: X\\n\"}]}",
		"user of a URL":      "machine: {env: {https_proxy: 'http://u:X@proxy:3128'}}",
	} {
		t.Run(name, func(t *testing.T) {
			before, after := strings.ReplaceAll(base, "X", was), strings.ReplaceAll(base, "X", is)

			for _, pair := range [][2]string{{before, after}, {"machine: {type: worker}", after}, {before, "machine: {type: worker}"}} {
				changes := diff.Documents(docs(t, pair[0]), docs(t, pair[1]))

				var b strings.Builder
				if err := diff.Write(&b, changes); err != nil {
					t.Fatal(err)
				}

				if len(changes) == 0 || strings.Contains(b.String(), "hunter") {
					t.Errorf("from %s to %s:\n%s", pair[0], pair[1], b.String())
				}
			}
		})
	}
}
