package validate_test

import (
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ichor-os/ichor/config/decode"
	"github.com/ichor-os/ichor/config/document"
	"github.com/ichor-os/ichor/config/documents"
	"github.com/ichor-os/ichor/config/validate"
)

const vectors = "../../test/vectors"

// now lies within the lifetime of the certificates of the vectors.
var now = time.Date(2027, 3, 1, 12, 0, 0, 0, time.UTC)

func report(t *testing.T, text string, o validate.Options) *validate.Report {
	t.Helper()

	parsed, err := decode.Decode([]byte(text), decode.Options{Lookup: documents.Lookup})
	if err != nil {
		t.Fatal(err)
	}

	o.Now = now

	return validate.Run(parsed, document.Metal, o)
}

func file(t *testing.T, path string) string {
	t.Helper()

	data, err := os.ReadFile(vectors + "/" + path)
	if err != nil {
		t.Fatal(err)
	}

	return string(data)
}

func TestRun_DefaultConfigGivesNoWarningAndNoAdvice(t *testing.T) {
	for _, path := range []string{"gen/c-default/expected/controlplane.yaml", "gen/c-default/expected/worker.yaml"} {
		r := report(t, file(t, path), validate.Options{})

		for _, f := range append(append(r.Errors, r.Warnings...), r.Advice...) {
			t.Errorf("%s: %s: %s", path, f.Severity, f)
		}
	}
}

func TestRun_Advice(t *testing.T) {
	base := file(t, "gen/c-default/expected/controlplane.yaml")

	for name, c := range map[string]struct{ old, new, want string }{
		"pods overlap services":  {"- 10.96.0.0/12", "- 10.244.128.0/20", "overlaps"},
		"endpoint in pods":       {"https://10.5.0.10:6443", "https://10.244.0.10:6443", "endpoint lies in the subnet of pods"},
		"bits beyond the length": {"- 10.244.0.0/16", "- 10.244.7.0/16", "write 10.244.0.0/16"},
		"two of one family":      {"- 10.244.0.0/16", "- 10.244.0.0/16\n            - 10.245.0.0/16", "of each IP version"},
		"no subnet":              {"- 10.244.0.0/16", "- lan", "not a subnet"},
		"port":                   {"port: 7445", "port: 74450", "out of range"},
		"http":                   {"https://10.5.0.10:6443", "http://10.5.0.10:6443", "not https"},
		"image":                  {"registry.k8s.io/kube-proxy:v1.36.3", "registry.k8s.io/Kube Proxy", "not an image reference"},
		"old Kubernetes":         {"kube-scheduler:v1.36.3", "kube-scheduler:v1.29.1", "1.29 is not supported"},
		"future Kubernetes":      {"kubelet:v1.36.3", "kubelet:v9.9.9", "not a supported version of Kubernetes: v9.9.9"},
		"no version":             {"kubelet:v1.36.3", "kubelet:latest", "not a supported version of Kubernetes: latest"},
		"name in certificates":   {"    certSANs: []\n    kubelet", "    certSANs: [10.0.0.1, '*.a.b', 'a b']\n    kubelet", "neither an address nor a host name"},
		"newer kubelet":          {"kubelet:v1.36.3", "kubelet:v1.37.2-fat", "kubelet 1.37 does not go with API server 1.36"},
		"dashes":                 {"kube-apiserver:v1.36.3", "kube-apiserver:v1.36.3\n        extraArgs: {--v: 3}", "without leading dashes"},
		"unknown flag":           {"kube-apiserver:v1.36.3", "kube-apiserver:v1.36.3\n        extraArgs: {request-timeouts: 3s}", "did you mean request-timeout?"},
		"key of another":         {"    etcd:\n        ca:", "    etcd:\n        ca: {crt: " + between(t, base, "aggregatorCA:\n        crt: ") + ", key: " + between(t, base, "aggregatorCA:\n        crt: ") + "}\n        x:", "does not belong"},
	} {
		t.Run(name, func(t *testing.T) {
			if !strings.Contains(base, c.old) {
				t.Fatalf("base has no %q", c.old)
			}

			text := strings.Replace(base, c.old, c.new, 1)
			if name == "key of another" {
				text = text[:strings.Index(text, "        x:")]
			}

			r := report(t, text, validate.Options{})
			if !r.Valid() {
				t.Errorf("advice changed the verdict: %v", r.Err())
			}

			if !mentions(r.Advice, c.want) {
				t.Errorf("no advice says %q: %v", c.want, r.Advice)
			}

			if strict := report(t, text, validate.Options{AdviceIsError: true}); strict.Valid() || len(strict.Advice) > 0 {
				t.Error("advice is no error although it was asked to be one")
			}
		})
	}
}

// between is the word after a mark.
func between(t *testing.T, text, mark string) string {
	t.Helper()

	_, after, ok := strings.Cut(text, mark)
	if !ok {
		t.Fatalf("no %q", mark)
	}

	word, _, _ := strings.Cut(after, "\n")

	return word
}

func mentions(findings []*document.Finding, want string) bool {
	for _, f := range findings {
		if strings.Contains(f.String(), want) {
			return true
		}
	}

	return false
}

func TestRun_NamesEveryKeyThatIsNotInForce(t *testing.T) {
	r := report(t, "machine:\n  type: worker\n  kernel:\n    modules:\n      - name: zfs\n", validate.Options{File: "m.yaml"})

	for _, f := range r.Notices {
		if f.Path == "machine.kernel" && f.Line == 3 && f.File == "m.yaml" && strings.Contains(f.Message, "not in force") {
			return
		}
	}

	if document.SchemaOf(documents.Kinds()[0].New()).Field("machine").Type.Field("kernel").Effect {
		t.Skip("the key is in force now: take another one for this test")
	}

	t.Errorf("got %v", r.Notices)
}

func TestRun_StrictMakesWarningsOfTheMainDocumentErrors(t *testing.T) {
	text := file(t, "decode/a-main-type-empty/input.yaml")

	if r := report(t, text, validate.Options{}); !r.Valid() || len(r.Warnings) == 0 {
		t.Errorf("got %v, %v", r.Err(), r.Warnings)
	}

	if r := report(t, text, validate.Options{Strict: true}); r.Valid() {
		t.Error("strict: got no error")
	}
}

func TestRun_FindsThePlaceOfAKeyWithDots(t *testing.T) {
	text := "machine:\n  type: worker\n  nodeLabels:\n    a.b/c.d: '-'\n"

	for _, f := range report(t, text, validate.Options{}).Errors {
		if f.Path == "machine.nodeLabels.a.b/c.d" {
			if f.Line != 4 {
				t.Errorf("line: got %d, want 4", f.Line)
			}

			return
		}
	}

	t.Error("no error about the label")
}

func TestFlags_EveryProgramHasAList(t *testing.T) {
	base := file(t, "gen/c-default/expected/controlplane.yaml")

	for old, program := range map[string]string{
		"kubelet:v1.36.3": "kubelet", "kube-apiserver:v1.36.3": "kube-apiserver", "kube-controller-manager:v1.36.3": "kube-controller-manager",
		"kube-proxy:v1.36.3": "kube-proxy", "kube-scheduler:v1.36.3": "kube-scheduler",
	} {
		for arguments, want := range map[string]bool{"v: 3": false, "feature-gates: A=true": false, "no-such-flag: 1": true} {
			text := strings.Replace(base, old, old+"\n        extraArgs: {"+arguments+"}", 1)
			if got := mentions(report(t, text, validate.Options{}).Advice, program+" of this version"); got != want {
				t.Errorf("%s: %s: advice: got %v, want %v", program, arguments, got, want)
			}
		}
	}
}

func TestMinorOf_TellsAPortFromATag(t *testing.T) {
	// Through the advice: a kubelet from a registry with a port, with a variant in its tag.
	base := file(t, "gen/c-default/expected/controlplane.yaml")

	for image, want := range map[string]string{
		"registry.example.com:5000/kubelet:v1.36.1-fat": "",
		"registry.example.com:5000/kubelet":             "",
		"registry.example.com:5000/kubelet:v1.30.2-fat": "1.30 is not supported",
		"[fd00::1]:5000/kubelet:v1.30.2":                "1.30 is not supported",
	} {
		text := strings.Replace(base, "ghcr.io/siderolabs/kubelet:v1.36.3", `"`+image+`"`, 1)

		r := report(t, text, validate.Options{})
		if want == "" && len(r.Advice) > 0 || want != "" && !mentions(r.Advice, want) {
			t.Errorf("%s: advice %v, want %q", image, r.Advice, want)
		}
	}
}

func TestReport_NamesKeysNotInForceALineADocument(t *testing.T) {
	r := validate.Report{Notices: []*document.Finding{
		{Document: "v1alpha1.Config", Path: "machine.kernel", Message: "not in force yet"},
		{Document: "v1alpha1.Config", Path: "cluster.id", Message: "not in force yet"},
		{Document: "HostnameConfig", Path: "auto", Message: "not in force yet"},
	}}
	want := []string{"v1alpha1.Config: not in force yet: machine.kernel, cluster.id", "HostnameConfig: not in force yet: auto"}

	if got := r.NotInForce(); !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}
