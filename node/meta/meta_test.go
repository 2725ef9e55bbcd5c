package meta

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	machinepb "github.com/ichor-os/ichor/api/machine"
	"github.com/ichor-os/ichor/node/lifecycle/spec"
	"github.com/ichor-os/ichor/resource"
)

func open(t *testing.T, path string) *Store {
	t.Helper()
	s, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func set(t *testing.T, s *Store, key Key, value string) {
	t.Helper()
	if err := s.Set(key, []byte(value)); err != nil {
		t.Fatal(err)
	}
}

func TestStore_KeepsValues(t *testing.T) {
	path := filepath.Join(t.TempDir(), "meta")
	s := open(t, path)
	set(t, s, NetworkConfig, "first")
	set(t, s, NetworkConfig, "addresses: []")
	set(t, s, 0x0c, "")
	set(t, s, 0x0d, "gone")
	if err := s.Delete(0x0d); err != nil {
		t.Fatal(err)
	}
	want := map[Key][]byte{NetworkConfig: []byte("addresses: []"), 0x0c: nil}
	for name, store := range map[string]*Store{"written": s, "read again": open(t, path)} {
		got := store.All()
		if len(got) != 2 || !bytes.Equal(got[NetworkConfig], want[NetworkConfig]) || len(got[0x0c]) != 0 {
			t.Errorf("%s: values = %q, want %q", name, got, want)
		}
	}
	if err := s.Delete(0x0d); !errors.Is(err, ErrNoKey) {
		t.Errorf("second delete = %v, want ErrNoKey", err)
	}
}

// A crash may cut a write at any byte, or leave any of it undone: then the
// values are those before or after, and the store goes on.
func TestStore_SurvivesACutWrite(t *testing.T) {
	path := filepath.Join(t.TempDir(), "meta")
	s := open(t, path)
	set(t, s, 0x0c, "old")
	set(t, s, 0x0d, "both")
	before, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	set(t, s, 0x0c, "new")
	after, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	before = append(before, make([]byte, max(0, len(after)-len(before)))...)
	for cut := range len(after) + 1 {
		if cut > 0 && cut < len(after) && after[cut-1] == before[cut-1] {
			continue // the same as the cut before
		}
		mixed := bytes.Clone(before)
		copy(mixed[:cut], after[:cut])
		if err := os.WriteFile(path, mixed, 0o600); err != nil {
			t.Fatal(err)
		}
		again := open(t, path)
		if got, _ := again.Get(0x0c); string(got) != "old" && string(got) != "new" {
			t.Fatalf("cut at %d: value = %q, want old or new", cut, got)
		}
		if got, _ := again.Get(0x0d); string(got) != "both" {
			t.Fatalf("cut at %d: the other value is %q", cut, got)
		}
		set(t, again, 0x0c, "next")
		if got, _ := open(t, path).Get(0x0c); string(got) != "next" {
			t.Fatalf("cut at %d: value after it = %q", cut, got)
		}
	}
}

func TestOpen_RefusesWhatIsNotMETA(t *testing.T) {
	path := filepath.Join(t.TempDir(), "meta")
	if err := os.WriteFile(path, []byte("somebody's letters"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(path); err == nil {
		t.Error("a file with other content is opened")
	}
	if err := os.WriteFile(path, make([]byte, Size), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(path); err != nil {
		t.Errorf("a blank partition: %v", err)
	}
}

func FuzzDecode(f *testing.F) {
	text, err := encode(7, map[Key][]byte{1: []byte("a"), 2: nil})
	if err != nil {
		f.Fatal(err)
	}
	f.Add(text)
	f.Fuzz(func(t *testing.T, text []byte) {
		generation, values, err := decode(text)
		if err != nil {
			return
		}
		again, err := encode(generation, values)
		if err != nil {
			return
		}
		if _, second, err := decode(again); err != nil || !cmp.Equal(values, second) {
			t.Errorf("values = %v then %v, %v", values, second, err)
		}
	})
}

func TestRPC_CodesOfErrors(t *testing.T) {
	r := RPC{Store: open(t, filepath.Join(t.TempDir(), "meta"))}
	for name, test := range map[string]struct {
		call func() error
		want codes.Code
	}{
		"write":            {func() error { return writeValue(r, 0x0c, "x") }, codes.OK},
		"key 0":            {func() error { return writeValue(r, 0, "x") }, codes.InvalidArgument},
		"key above a byte": {func() error { return writeValue(r, 256, "x") }, codes.InvalidArgument},
		"no room":          {func() error { return writeValue(r, 0x0d, string(make([]byte, copySize))) }, codes.ResourceExhausted},
		"delete nothing": {func() error {
			_, err := r.MetaDelete(context.Background(), &machinepb.MetaDeleteRequest{Key: 0x77})
			return err
		}, codes.NotFound},
	} {
		if got := status.Code(test.call()); got != test.want {
			t.Errorf("%s: code = %s, want %s", name, got, test.want)
		}
	}
}

func writeValue(r RPC, key uint32, value string) error {
	_, err := r.MetaWrite(context.Background(), &machinepb.MetaWriteRequest{Key: key, Value: []byte(value)})
	return err
}

func TestReconciler_ShowsValues(t *testing.T) {
	s := open(t, filepath.Join(t.TempDir(), "meta"))
	set(t, s, 0x0c, "a")
	engine := resource.New(resource.Options{})
	if err := engine.Register(spec.Kinds()...); err != nil {
		t.Fatal(err)
	}
	if err := engine.Add(s.Reconciler()); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- engine.Run(ctx) }()
	defer func() { cancel(); <-done }()
	values := func() map[string]string {
		if err := engine.Settled(ctx); err != nil {
			t.Fatal(err)
		}
		got := map[string]string{}
		err := engine.View(ctx, func(session *resource.Session) error {
			for _, r := range spec.MetaKeys.List(session) {
				got[r.ID] = r.Spec.Value
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		return got
	}
	if diff := cmp.Diff(map[string]string{"0x0c": "a"}, values()); diff != "" {
		t.Errorf("values (-want +got):\n%s", diff)
	}
	set(t, s, 0x0a, "b")
	if err := s.Delete(0x0c); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(map[string]string{"0x0a": "b"}, values()); diff != "" {
		t.Errorf("values after a change (-want +got):\n%s", diff)
	}
}
