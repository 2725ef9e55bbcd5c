package bundle

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestPrune_RemovesOldBuildsOfTheSameProgramThatNobodyUses(t *testing.T) {
	s := store{dir: t.TempDir()}
	now := time.Now()
	put := func(key, name, arch string, unused time.Duration) {
		t.Helper()
		partial, err := s.begin(key)
		if err != nil {
			t.Fatal(err)
		}
		write(t, filepath.Join(partial.dir, name), "program")
		if _, err := partial.commit(Artifact{Name: name, Key: key, Arch: arch}, name); err != nil {
			t.Fatal(err)
		}
		setAge(t, filepath.Join(s.path(key), entryFile), now, unused)
	}
	put("newest", "etcd", "amd64", 0)
	put("yesterday", "etcd", "amd64", 24*time.Hour)
	put("old", "etcd", "amd64", 72*time.Hour)
	put("old-but-asked-for", "etcd", "amd64", 72*time.Hour)
	put("old-being-built", "etcd", "amd64", 72*time.Hour)
	put("old-arm64", "etcd", "arm64", 72*time.Hour)
	put("old-other", "runc", "amd64", 72*time.Hour)
	for key, age := range map[string]time.Duration{"aborted-now": 0, "aborted-long-ago": 72 * time.Hour} {
		partial, err := s.begin(key)
		if err != nil {
			t.Fatal(err)
		}
		setAge(t, partial.dir, now, age)
	}
	s.touch("old-but-asked-for", now)
	unlock, err := s.lock(t.Context(), "old-being-built")
	if err != nil {
		t.Fatal(err)
	}
	defer unlock()

	if err := s.prune(Artifact{Name: "etcd", Key: "newest", Arch: "amd64"}, now); err != nil {
		t.Fatal(err)
	}
	entries, err := os.ReadDir(s.dir)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, entry := range entries {
		got = append(got, entry.Name())
	}
	want := []string{"aborted-now.partial", "locks", "newest", "old-arm64", "old-being-built", "old-but-asked-for", "old-other", "yesterday"}
	slices.Sort(got)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("cache after prune (-want +got):\n%s", diff)
	}
}

func setAge(t *testing.T, path string, now time.Time, age time.Duration) {
	t.Helper()
	if err := os.Chtimes(path, now.Add(-age), now.Add(-age)); err != nil {
		t.Fatal(err)
	}
}
