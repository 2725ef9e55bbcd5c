package settings_test

import (
	"context"
	"errors"
	"log/slog"
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/ichor-os/ichor/node/apid/settings"
	"github.com/ichor-os/ichor/pki"
)

func sample(mode settings.Mode) *settings.API {
	pair := pki.Pair{Crt: []byte("certificate"), Key: []byte("key")}

	return &settings.API{
		Mode: mode, CA: []byte("authority"), Server: pair, Client: pair,
		Self: []string{"10.5.0.2", "rack4-n1"}, Members: map[string]string{"rack4-n2": "10.5.0.3"},
		Allowed: []netip.Prefix{netip.MustParsePrefix("10.5.0.0/24")},
	}
}

func TestSave_LoadReturnsTheSame(t *testing.T) {
	path := filepath.Join(t.TempDir(), "apid.json")
	want := sample(settings.ControlPlane)

	if err := settings.Save(path, want, os.Geteuid()); err != nil {
		t.Fatal(err)
	}

	got, err := settings.Load[settings.API](path)
	if err != nil {
		t.Fatal(err)
	}

	// Pairs hide their keys from formatting, so they are compared by hand.
	if string(got.Server.Key) != "key" || string(got.Client.Crt) != "certificate" {
		t.Errorf("pairs changed: %v %v", got.Server, got.Client)
	}

	if diff := cmp.Diff(want, got, cmp.Comparer(func(a, b netip.Prefix) bool { return a == b })); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}

	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}

	if info.Mode().Perm() != 0o600 {
		t.Errorf("mode %s, want 0600", info.Mode())
	}
}

func TestSave_BelongsToTheReader(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("needs root to give a file away")
	}

	path := filepath.Join(t.TempDir(), "apid.json")

	if err := settings.Save(path, sample(settings.Worker), 4321); err != nil {
		t.Fatal(err)
	}

	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}

	if uid := ownerOf(info); uid != 4321 {
		t.Errorf("owner %d, want 4321", uid)
	}
}

func TestSave_RefusedSettingsLeaveTheFileAlone(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "apid.json")

	if err := settings.Save(path, sample(settings.Worker), os.Geteuid()); err != nil {
		t.Fatal(err)
	}

	bad := sample("standby")

	if err := settings.Save(path, bad, os.Geteuid()); err == nil || !strings.Contains(err.Error(), "standby") {
		t.Errorf("unknown mode: got %v", err)
	}

	if got, err := settings.Load[settings.API](path); err != nil || got.Mode != settings.Worker {
		t.Errorf("the file changed: %v, %v", got, err)
	}

	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}

	if len(entries) != 1 {
		t.Errorf("left behind: %v", entries)
	}
}

func TestValidate_NamesWhatIsMissing(t *testing.T) {
	for name, change := range map[string]func(*settings.API){
		"no ca":                 func(a *settings.API) { a.CA = nil },
		"no client certificate": func(a *settings.API) { a.Client = pki.Pair{} },
		"no server certificate": func(a *settings.API) { a.Server.Key = nil },
	} {
		s := sample(settings.ControlPlane)
		change(s)

		if err := s.Validate(); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("want %q, got %v", name, err)
		}
	}

	maintenance := &settings.API{Mode: settings.Maintenance, Server: sample(settings.Worker).Server}
	if err := maintenance.Validate(); err != nil {
		t.Errorf("maintenance: %v", err)
	}
}

// What is followed appears late, is replaced, damaged, and refused; the good
// versions come through, in order, the others do not.
func TestFollow_DeliversGoodVersions(t *testing.T) {
	path := filepath.Join(t.TempDir(), "apid.json")
	seen := make(chan settings.Mode, 8)

	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)

	go func() {
		done <- settings.Follow(ctx, path, slog.New(slog.DiscardHandler), func(s *settings.API) error {
			seen <- s.Mode

			if s.Mode == settings.Worker {
				return errors.New("not this one")
			}

			return nil
		})
	}()

	next := func(want settings.Mode) {
		t.Helper()

		for {
			select {
			case got := <-seen:
				if got == want {
					return
				}
			case <-time.After(20 * time.Second):
				t.Fatalf("settings of mode %s did not come", want)
			}
		}
	}

	for _, mode := range []settings.Mode{settings.Maintenance, settings.Worker} {
		if err := settings.Save(path, sample(mode), os.Geteuid()); err != nil {
			t.Fatal(err)
		}

		next(mode)
	}

	if err := os.WriteFile(path, []byte(`{"mode": "worker", "extra": 1}`), 0o600); err != nil {
		t.Fatal(err)
	}

	if err := settings.Save(path, sample(settings.ControlPlane), os.Geteuid()); err != nil {
		t.Fatal(err)
	}

	next(settings.ControlPlane)
	cancel()

	if err := <-done; err != nil {
		t.Error(err)
	}
}
