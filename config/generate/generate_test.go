package generate_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/ichor-os/ichor/config"
	"github.com/ichor-os/ichor/config/document"
	"github.com/ichor-os/ichor/config/generate"
	"github.com/ichor-os/ichor/config/validate"
	"github.com/ichor-os/ichor/pki"
	"github.com/ichor-os/ichor/pki/secrets"
)

func newSecrets(t *testing.T) *secrets.Bundle {
	t.Helper()
	bundle, err := secrets.Generate(secrets.Options{ServiceAccountKey: pki.ECDSAP256})
	if err != nil {
		t.Fatal(err)
	}
	return bundle
}

func contract(t *testing.T, text string) generate.Contract {
	t.Helper()
	parsed, err := generate.ParseContract(text)
	if err != nil {
		t.Fatal(err)
	}
	return parsed
}

func encode(t *testing.T, c *config.Config) string {
	t.Helper()
	text, err := c.Encode()
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func TestMachineConfig_IsValidForEveryContractRoleAndMode(t *testing.T) {
	bundle := newSecrets(t)
	for minor := range 16 {
		options := generate.NewOptions("orchard", "https://10.5.0.10:6443", bundle)
		options.Contract = contract(t, fmt.Sprintf("v1.%d", minor))
		for _, role := range []generate.Role{generate.ControlPlane, generate.Worker} {
			made, err := generate.MachineConfig(role, options)
			if err != nil {
				t.Fatal(err)
			}
			modes := []document.Mode{config.Metal, config.Cloud}
			if minor >= 8 {
				modes = append(modes, config.Container) // which needs the host's name server
			}
			for _, mode := range modes {
				report := made.Validate(mode, validate.Options{Strict: true})
				if err := report.Err(); err != nil {
					t.Errorf("1.%d %s, %s: %v", minor, role, mode, err)
				}
				for _, warning := range report.Warnings {
					t.Errorf("1.%d %s, %s: warning: %v", minor, role, mode, warning)
				}
				if options.Contract == generate.CurrentContract {
					for _, advice := range report.Advice {
						t.Errorf("default config of a %s, %s: advice: %v", role, mode, advice)
					}
				}
			}
			text := encode(t, made)
			again, err := config.Parse([]byte(text))
			if err != nil {
				t.Fatalf("1.%d %s: %v", minor, role, err)
			}
			if diff := cmp.Diff(text, encode(t, again)); diff != "" {
				t.Errorf("1.%d %s: not canonical (-first +second):\n%s", minor, role, diff)
			}
		}
	}
}

func TestMachineConfig_FutureContractIsTheCurrentOne(t *testing.T) {
	options := generate.NewOptions("orchard", "https://10.5.0.10:6443", newSecrets(t))
	current, err := generate.MachineConfig(generate.ControlPlane, options)
	if err != nil {
		t.Fatal(err)
	}
	options.Contract = contract(t, "v2.0")
	future, err := generate.MachineConfig(generate.ControlPlane, options)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(encode(t, current), encode(t, future)); diff != "" {
		t.Errorf("(-current +future):\n%s", diff)
	}
}

func TestMachineConfig_WorkerHoldsNoKeyOfTheControlPlane(t *testing.T) {
	bundle := newSecrets(t)
	options := generate.NewOptions("orchard", "https://10.5.0.10:6443", bundle)
	made, err := generate.MachineConfig(generate.Worker, options)
	if err != nil {
		t.Fatal(err)
	}
	text := encode(t, made)
	controlPlane, err := generate.MachineConfig(generate.ControlPlane, options)
	if err != nil {
		t.Fatal(err)
	}
	for _, pair := range []pki.Pair{bundle.Certs.OS, bundle.Certs.K8s, bundle.Certs.Etcd, bundle.Certs.K8sAggregator, {Key: bundle.Certs.K8sServiceAccount.Key}} {
		written, err := pair.MarshalYAML()
		if err != nil {
			t.Fatal(err)
		}
		key := strings.Fields(fmt.Sprintf("%+v", written))
		value := strings.TrimSuffix(strings.TrimPrefix(key[len(key)-1], "Key:"), "}")
		if len(value) < 100 || strings.Contains(text, value) {
			t.Errorf("a worker's config holds a key (or the test looks for the wrong one: %d bytes)", len(value))
		}
		if !strings.Contains(encode(t, controlPlane), value) {
			t.Error("a control plane's config lacks a key")
		}
	}
	if strings.Contains(text, bundle.Secrets.SecretboxEncryptionSecret) {
		t.Error("a worker's config holds the encryption secret")
	}
}

func TestParseContract(t *testing.T) {
	for text, want := range map[string]string{
		"": "v1.13", "1.12": "v1.12", "v1.12": "v1.12", "v1.10.3": "v1.10", "1.9.0-alpha.1": "v1.9", "v1.7.0+x": "v1.7",
	} {
		got, err := generate.ParseContract(text)
		if err != nil || got.String() != want {
			t.Errorf("%q: got %v, %v, want %s", text, got, err, want)
		}
	}
	for _, text := range []string{"latest", "v", "1", "v1.x", "vv1.2", "1.2.3.4", "1.99999999999999999999"} {
		if got, err := generate.ParseContract(text); err == nil {
			t.Errorf("%q: got %v, want an error", text, got)
		}
	}
}

func TestCheckEndpoint(t *testing.T) {
	for _, endpoint := range []string{"https://10.0.0.1:6443", "https://10.0.0.1", "https://[2001:db8::1]:6443", "https://lb.test:443/x"} {
		if err := generate.CheckEndpoint(endpoint); err != nil {
			t.Errorf("%q: %v", endpoint, err)
		}
	}
	for endpoint, want := range map[string]string{
		"http://10.0.0.1:6443": `try: "https://10.0.0.1:6443"`, "10.0.0.1:6443": `try: "https://10.0.0.1:6443"`,
		"lb.test": `try: "https://lb.test"`, "https://": "no host", "https://:6443": "no host", "https://a b": "invalid",
		"": "https://",
	} {
		if err := generate.CheckEndpoint(endpoint); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: got %v, want an error with %s", endpoint, err, want)
		}
	}
}

func TestParseMirrors_CollectsEndpointsOfARegistry(t *testing.T) {
	got, err := generate.ParseMirrors([]string{"b=http://1", "a=http://2", "b=http://3?x=y"})
	want := []generate.Mirror{{Registry: "b", Endpoints: []string{"http://1", "http://3?x=y"}}, {Registry: "a", Endpoints: []string{"http://2"}}}
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
	for _, spec := range []string{"a", "=b", "a=", ""} {
		if _, err := generate.ParseMirrors([]string{spec}); err == nil {
			t.Errorf("%q was accepted", spec)
		}
	}
}

func TestSecretsFromConfig_GivesBackTheBundle(t *testing.T) {
	bundle := newSecrets(t)
	options := generate.NewOptions("orchard", "https://10.5.0.10:6443", bundle)
	controlPlane, err := generate.MachineConfig(generate.ControlPlane, options)
	if err != nil {
		t.Fatal(err)
	}
	got, err := generate.SecretsFromConfig(controlPlane)
	if err != nil {
		t.Fatal(err)
	}
	if !cmp.Equal(bundle, got) {
		t.Error("the secrets changed on their way through the config")
	}
	worker, err := generate.MachineConfig(generate.Worker, options)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := generate.SecretsFromConfig(worker); err == nil || !strings.Contains(err.Error(), "worker") {
		t.Errorf("a worker's config gave %v, want an error", err)
	}
}

func TestS07_ClientConfigInventsNoEndpoint(t *testing.T) {
	options := generate.NewOptions("orchard", "https://127.0.0.1:6443", newSecrets(t))
	client, err := generate.ClientConfig(options, time.Time{})
	if err != nil {
		t.Fatal(err)
	}
	text, err := client.Encode()
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(text), "endpoints: []\n") || strings.Contains(string(text), "127.0.0.1") {
		t.Errorf("the client config names endpoints %v", client.Contexts["orchard"].Endpoints)
	}
}

func TestEncode_CommentsChangeNothing(t *testing.T) {
	bundle := newSecrets(t)
	for minor := range 14 {
		for _, role := range []generate.Role{generate.ControlPlane, generate.Worker} {
			options := generate.NewOptions("orchard", "https://10.5.0.10:6443", bundle)
			options.Contract = contract(t, fmt.Sprintf("v1.%d", minor))
			options.Mirrors = []generate.Mirror{{Registry: "docker.io", Endpoints: []string{"http://10.5.0.1:5000"}}}
			made, err := generate.MachineConfig(role, options)
			if err != nil {
				t.Fatal(err)
			}
			want := encode(t, made)
			for _, comments := range []generate.Comments{{}, {Docs: true}, {Examples: true}, {Docs: true, Examples: true}} {
				text, err := generate.Encode(made, comments)
				if err != nil {
					t.Fatal(err)
				}
				again, err := config.Parse(text)
				if err != nil {
					t.Fatalf("1.%d %s %+v: %v", minor, role, comments, err)
				}
				if diff := cmp.Diff(want, encode(t, again)); diff != "" {
					t.Errorf("1.%d %s %+v (-want +got):\n%s", minor, role, comments, diff)
				}
				if commented := strings.Contains(string(text), "#"); commented != (comments != generate.Comments{}) {
					t.Errorf("1.%d %s %+v: has comments: %v", minor, role, comments, commented)
				}
			}
		}
	}
}
