package etcfile

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// binds is a Mounter that writes down its targets.
type binds struct {
	targets []string
	err     error
}

func (b *binds) Mount(_, target, _ string, _ uintptr, _ string) error {
	b.targets = append(b.targets, target)
	return b.err
}

func (b *binds) Unmount(target string, _ int) error {
	b.targets = append(b.targets, "not "+target)
	return b.err
}

func TestWrite_BindsOnceAndChangesInPlace(t *testing.T) {
	mounter := &binds{}
	f := &Folder{Etc: "/etc", Store: t.TempDir(), Mounter: mounter}
	for _, content := range []string{"one\n", "two, longer\n", "3\n"} {
		if err := f.Write("hosts", content, 0o644); err != nil {
			t.Fatal(err)
		}
		got, err := os.ReadFile(filepath.Join(f.Store, "hosts"))
		if err != nil || string(got) != content {
			t.Errorf("content = %q, %v; want %q", got, err, content)
		}
	}
	if len(mounter.targets) != 1 || mounter.targets[0] != "/etc/hosts" {
		t.Errorf("binds = %v, want /etc/hosts once", mounter.targets)
	}
}

func TestBind_NamesAMissingPlaceholder(t *testing.T) {
	f := &Folder{Etc: "/etc", Store: t.TempDir(), Mounter: &binds{err: os.ErrNotExist}}
	if _, err := f.Bind("cri/conf.d"); !errors.Is(err, os.ErrNotExist) || !strings.Contains(err.Error(), "/etc/cri/conf.d") {
		t.Errorf("error = %v, want one that names the placeholder", err)
	}
}
