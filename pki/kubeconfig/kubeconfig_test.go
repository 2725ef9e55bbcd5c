package kubeconfig_test

import (
	"bytes"
	"log/slog"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.yaml.in/yaml/v3"

	"github.com/ichor-os/ichor/pki"
	"github.com/ichor-os/ichor/pki/kubeconfig"
)

func admin(t *testing.T, cluster, server string) *kubeconfig.Config {
	t.Helper()
	config, err := kubeconfig.NewAdmin(kubeconfig.Admin{
		Cluster: cluster, Server: server, CA: []byte("ca"), Client: pki.Pair{Crt: []byte("crt"), Key: []byte("key")},
	})
	if err != nil {
		t.Fatal(err)
	}
	return config
}

func encode(t *testing.T, config *kubeconfig.Config) string {
	t.Helper()
	text, err := config.Encode()
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func parse(t *testing.T, text string) *kubeconfig.Config {
	t.Helper()
	config, err := kubeconfig.Parse([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return config
}

func TestNewAdmin_NamesUserAndContextAfterTheCluster(t *testing.T) {
	var got map[string]any
	if err := yaml.Unmarshal([]byte(encode(t, admin(t, "orchard", "https://10.0.0.1:6443"))), &got); err != nil {
		t.Fatal(err)
	}
	want := map[string]any{
		"apiVersion": "v1", "kind": "Config", "current-context": "admin@orchard",
		"clusters": []any{map[string]any{"name": "orchard", "cluster": map[string]any{
			"server": "https://10.0.0.1:6443", "certificate-authority-data": "Y2E=",
		}}},
		"users": []any{map[string]any{"name": "admin@orchard", "user": map[string]any{
			"client-certificate-data": "Y3J0", "client-key-data": "a2V5",
		}}},
		"contexts": []any{map[string]any{"name": "admin@orchard", "context": map[string]any{
			"cluster": "orchard", "user": "admin@orchard", "namespace": "default",
		}}},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

const mine = `apiVersion: v1
kind: Config
preferences: {}
clusters:
  # my lab
  - name: lab
    cluster:
      server: https://lab
      tls-server-name: x
contexts: []
users: null
current-context: lab
`

func TestMerge_KeepsWhatItDoesNotKnow(t *testing.T) {
	config := parse(t, mine)
	if got := config.Merge(admin(t, "orchard", "https://a"), kubeconfig.Overwrite); got != "admin@orchard" {
		t.Errorf("current context %q", got)
	}
	text := encode(t, config)
	for _, want := range []string{"# my lab", "tls-server-name: x", "preferences: {}", "current-context: admin@orchard"} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is gone from:\n%s", want, text)
		}
	}
	if diff := cmp.Diff([]string{"lab", "orchard"}, config.Names("clusters")); diff != "" {
		t.Errorf("clusters (-want +got):\n%s", diff)
	}
	parse(t, text)
}

func TestMerge_SameEntriesTwiceChangesNothing(t *testing.T) {
	config := parse(t, mine)
	config.Merge(admin(t, "orchard", "https://a"), kubeconfig.KeepBoth)
	once := encode(t, config)
	config.Merge(admin(t, "orchard", "https://a"), kubeconfig.KeepBoth)
	if diff := cmp.Diff(once, encode(t, config)); diff != "" {
		t.Errorf("(-once +twice):\n%s", diff)
	}
}

func TestMerge_KeepBothRenamesAndRedirects(t *testing.T) {
	config := admin(t, "orchard", "https://old")
	if got := config.Merge(admin(t, "orchard", "https://new"), kubeconfig.KeepBoth); got != "admin@orchard-1" {
		t.Errorf("current context %q, want admin@orchard-1", got)
	}
	text := encode(t, config)
	if !strings.Contains(text, "cluster: orchard-1") || !strings.Contains(text, "https://old") || !strings.Contains(text, "https://new") {
		t.Errorf("the new context does not point to the new cluster, or the old one is gone:\n%s", text)
	}
}

func TestMerge_OverwriteReplaces(t *testing.T) {
	config := admin(t, "orchard", "https://old")
	config.Merge(admin(t, "orchard", "https://new"), kubeconfig.Overwrite)
	if text := encode(t, config); strings.Contains(text, "https://old") {
		t.Errorf("the old entry is still there:\n%s", text)
	}
}

func TestRenameContext(t *testing.T) {
	config := admin(t, "orchard", "https://a")
	if err := config.RenameContext("admin@orchard", "orchard"); err != nil {
		t.Fatal(err)
	}
	if config.CurrentContext() != "orchard" || !cmp.Equal(config.Names("contexts"), []string{"orchard"}) {
		t.Errorf("current %q of %v", config.CurrentContext(), config.Names("contexts"))
	}
	if err := config.RenameContext("gone", "a"); err == nil {
		t.Error("renaming a missing context succeeded")
	}
}

func TestParse_RefusesWhatIsNoKubeconfig(t *testing.T) {
	for _, text := range []string{"[]", "kind: Pod", "clusters: {}", "users: [{user: {}}]", "users: [a]", "clusters: [&a {name: a}, *a]", "\t"} {
		if _, err := kubeconfig.Parse([]byte(text)); err == nil {
			t.Errorf("%q was accepted", text)
		}
	}
	parse(t, "")
	parse(t, "# only a comment\n")
}

func TestConfig_IsRedactedInLogs(t *testing.T) {
	var log bytes.Buffer
	slog.New(slog.NewTextHandler(&log, nil)).Info("made", "kubeconfig", admin(t, "orchard", "https://a"))
	if strings.Contains(log.String(), "a2V5") || !strings.Contains(log.String(), "admin@orchard") {
		t.Errorf("got %s", log.String())
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(mine))
	f.Add([]byte("users: [{name: a, name: b}]\n"))
	f.Add([]byte("contexts: [{name: [1]}]\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		config, err := kubeconfig.Parse(text)
		if err != nil {
			return
		}
		other, err := kubeconfig.NewAdmin(kubeconfig.Admin{Cluster: "c", Server: "https://c"})
		if err != nil {
			t.Fatal(err)
		}
		config.Merge(other, kubeconfig.KeepBoth)
		other.Merge(config, kubeconfig.KeepBoth)
	})
}
