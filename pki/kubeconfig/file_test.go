package kubeconfig

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestDefaultPath_PrefersGivenThenTheFirstOfTheList(t *testing.T) {
	for _, test := range []struct {
		given string
		env   map[string]string
		want  string
	}{
		{"here", map[string]string{"KUBECONFIG": "/a"}, "here"},
		{"", map[string]string{"KUBECONFIG": ":/a:/b"}, "/a"},
		{"", map[string]string{"HOME": "/home/x"}, "/home/x/.kube/config"},
	} {
		got, err := DefaultPath(test.given, func(name string) string { return test.env[name] })
		if err != nil || got != test.want {
			t.Errorf("DefaultPath(%q) with %v = %q, %v; want %q", test.given, test.env, got, err, test.want)
		}
	}
	if _, err := DefaultPath("", func(string) string { return "" }); err == nil {
		t.Error("no error without HOME")
	}
}

func TestRemoveServer_KeepsWhatOthersUse(t *testing.T) {
	path := filepath.Join(t.TempDir(), "new", "config")
	file, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	for cluster, server := range map[string]string{"one": "https://127.0.0.1:6443", "two": "https://127.0.0.2:6443"} {
		admin, err := NewAdmin(Admin{Cluster: cluster, Server: server})
		if err != nil {
			t.Fatal(err)
		}
		file.Merge(admin, Overwrite)
	}
	shared, err := Parse([]byte("contexts: [{name: borrowed, context: {cluster: two, user: admin@one}}]"))
	if err != nil {
		t.Fatal(err)
	}
	file.Merge(shared, Overwrite)
	if err := file.Save(); err != nil {
		t.Fatal(err)
	}
	if file, err = Open(path); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"admin@one"}, file.RemoveServer("https://127.0.0.1:6443")); diff != "" {
		t.Errorf("removed contexts (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"two"}, file.Names("clusters")); diff != "" {
		t.Errorf("clusters left (-want +got):\n%s", diff)
	}
	if got := len(file.Names("users")); got != 2 {
		t.Errorf("%d users left, want 2: one is borrowed", got)
	}
	if info, err := os.Stat(path); err != nil || info.Mode() != 0o600 {
		t.Errorf("mode of a new file = %v, %v; want 0600", info.Mode(), err)
	}
}

func TestKnown_TellsTheSameClusterFromAnotherOfItsName(t *testing.T) {
	admin := func(server, authority string) *Config {
		config, err := NewAdmin(Admin{Cluster: "c", Server: server, CA: []byte(authority)})
		if err != nil {
			t.Fatal(err)
		}
		return config
	}
	own := admin("https://127.0.0.1:6443", "one")
	for authority, want := range map[string]string{"one": "https://127.0.0.1:6443", "two": ""} {
		if got := own.Known(admin("https://10.0.0.1:6443", authority)); got != want {
			t.Errorf("authority %s: known at %q, want %q", authority, got, want)
		}
	}
	own.SetServer("https://10.0.0.3:6443")
	if got := own.Server(); got != "https://10.0.0.3:6443" {
		t.Errorf("server = %s", got)
	}
}
