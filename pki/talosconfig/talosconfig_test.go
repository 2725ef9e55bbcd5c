package talosconfig_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ichor-os/ichor/pki/talosconfig"
)

func parse(t *testing.T, text string) *talosconfig.Config {
	t.Helper()
	config, err := talosconfig.Parse([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return config
}

func TestMerge_RenamesWhatIsTaken(t *testing.T) {
	tests := []struct {
		name, base, other string
		names             []string
		current           string
		renames           []talosconfig.Rename
	}{
		{
			"no clash", "context: a\ncontexts: {a: {}}", "context: b\ncontexts: {b: {}}",
			[]string{"a", "b"}, "b", nil,
		},
		{
			"clash", "context: a\ncontexts: {a: {}}", "context: a\ncontexts: {a: {}}",
			[]string{"a", "a-1"}, "a-1", []talosconfig.Rename{{From: "a", To: "a-1"}},
		},
		{
			"second clash", "context: a\ncontexts: {a: {}, a-1: {}}", "context: a\ncontexts: {a: {}}",
			[]string{"a", "a-1", "a-2"}, "a-2", []talosconfig.Rename{{From: "a", To: "a-2"}},
		},
		{
			"free name wanted by another", "context: a\ncontexts: {a: {}}", "context: a-1\ncontexts: {a: {}, a-1: {}}",
			[]string{"a", "a-1", "a-2"}, "a-1", []talosconfig.Rename{{From: "a", To: "a-2"}},
		},
		{
			"no current context", "context: a\ncontexts: {a: {}}", "context: ''\ncontexts: {b: {}}",
			[]string{"a", "b"}, "a", nil,
		},
		{"empty", "context: a\ncontexts: {a: {}}", "{}", []string{"a"}, "a", nil},
		{"into empty", "{}", "context: b\ncontexts: {b: null}", []string{"b"}, "b", nil},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			base := parse(t, test.base)
			renames := base.Merge(parse(t, test.other))
			if diff := cmp.Diff(test.renames, renames); diff != "" {
				t.Errorf("renames (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(test.names, base.Names()); diff != "" {
				t.Errorf("contexts (-want +got):\n%s", diff)
			}
			if base.Context != test.current {
				t.Errorf("current context %q, want %q", base.Context, test.current)
			}
		})
	}
}

func TestMatch(t *testing.T) {
	config := parse(t, "contexts: {prod-a: {}, prod-b: {}, lab: {}, '[odd': {}}")
	tests := []struct {
		pattern string
		want    []string
	}{
		{"lab", []string{"lab"}}, {"prod-*", []string{"prod-a", "prod-b"}}, {"prod-?", []string{"prod-a", "prod-b"}},
		{"gone", nil}, {"[", nil},
	}
	for _, test := range tests {
		got, err := config.Match(test.pattern)
		if diff := cmp.Diff(test.want, got); diff != "" || (err == nil) != (test.want != nil) {
			t.Errorf("%q: error %v (-want +got):\n%s", test.pattern, err, diff)
		}
	}
}

func TestOpen_MakesAMissingFileForItsOwnerOnly(t *testing.T) {
	path := filepath.Join(t.TempDir(), "new", "config")
	file, err := talosconfig.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	if len(file.Contexts) != 0 {
		t.Errorf("contexts %v in a new file", file.Names())
	}
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	if info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v, want 0600", info.Mode())
	}
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := string(content), "context: \"\"\ncontexts: {}\n"; got != want {
		t.Errorf("content %q, want %q", got, want)
	}
}

func TestParse_EmptyFileIsEOF(t *testing.T) {
	for _, text := range []string{"", "# nothing\n"} {
		if _, err := talosconfig.Parse([]byte(text)); !errors.Is(err, io.EOF) {
			t.Errorf("%q: got %v, want EOF", text, err)
		}
	}
}

func TestParse_NeverShowsKeysInErrors(t *testing.T) {
	_, err := talosconfig.Parse([]byte("contexts: {a: {key: [hunter2], endpoints: hunter2}}\n"))
	if err == nil || strings.Contains(err.Error(), "hunter2") {
		t.Errorf("got %v, want an error without the value", err)
	}
}

func TestContext_IsRedactedInLogs(t *testing.T) {
	config := parse(t, "contexts: {a: {key: aHVudGVyMg==}}")
	var log bytes.Buffer
	slog.New(slog.NewTextHandler(&log, nil)).Info("opened", "context", config.Contexts["a"])
	text := log.String() + fmt.Sprintf("%v %+v %#v", config.Contexts["a"], config, config.Contexts)
	if strings.Contains(text, "aHVudGVyMg==") {
		t.Errorf("the key shows: %s", text)
	}
}

func TestDefaultPath_PrefersFlagThenEnvironmentThenHome(t *testing.T) {
	for _, test := range []struct {
		flag string
		env  map[string]string
		want string
	}{
		{"f", map[string]string{"TALOSCONFIG": "e", "HOME": "/h"}, "f"},
		{"", map[string]string{"TALOSCONFIG": "e", "HOME": "/h"}, "e"},
		{"", map[string]string{"HOME": "/h"}, "/h/.talos/config"},
		{"", nil, ""},
	} {
		got, err := talosconfig.DefaultPath(test.flag, func(name string) string { return test.env[name] })
		if got != test.want || (err == nil) != (test.want != "") {
			t.Errorf("%+v: got %q, %v", test, got, err)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte("context: a\ncontexts:\n    a:\n        endpoints: [10.0.0.1]\n        auth:\n            siderov1:\n                identity: u@v.test\n"))
	f.Add([]byte("contexts: {a: null, b: {endpoints: null, nodes: [null]}}\n"))
	f.Add([]byte("a: &a\n  <<: *a\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		config, err := talosconfig.Parse(text)
		if err != nil {
			return
		}
		encoded, err := config.Encode()
		if err != nil {
			t.Fatal(err)
		}
		again, err := talosconfig.Parse(encoded)
		if err != nil {
			t.Fatalf("%v in own output %q", err, encoded)
		}
		twice, err := again.Encode()
		if err != nil || !bytes.Equal(encoded, twice) {
			t.Errorf("not stable: %q then %q (%v)", encoded, twice, err)
		}
		again.Merge(config)
		for _, context := range again.Contexts {
			_, _, _ = context.Credentials()
		}
	})
}

func TestEdit_LosesNoChangeOfOthers(t *testing.T) {
	path := filepath.Join(t.TempDir(), "talos", "config")
	const writers = 16
	var group sync.WaitGroup
	for i := range writers {
		group.Go(func() {
			err := talosconfig.Edit(path, func(file *talosconfig.File) error {
				file.Set(fmt.Sprint("c", i), &talosconfig.Context{})
				return nil
			})
			if err != nil {
				t.Error(err)
			}
		})
	}
	group.Wait()
	file, err := talosconfig.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	if got := len(file.Names()); got != writers {
		t.Errorf("%d contexts were added, %d are there: %v", writers, got, file.Names())
	}
}
