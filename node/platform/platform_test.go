package platform

import (
	"os"
	"path/filepath"
	"testing"
)

func TestRead_RefusesMetadataThatLacksSomething(t *testing.T) {
	path := filepath.Join(t.TempDir(), "platform.json")
	for name, test := range map[string]struct {
		text string
		ok   bool
	}{
		"complete":   {`{"hostname":"n1","addresses":["10.5.0.2/24"],"gateway":"10.5.0.1","link":"eth0"}`, true},
		"no name":    {`{"addresses":["10.5.0.2/24"],"gateway":"10.5.0.1","link":"eth0"}`, false},
		"no address": {`{"hostname":"n1","gateway":"10.5.0.1","link":"eth0"}`, false},
		"nonsense":   {`{`, false},
	} {
		if err := os.WriteFile(path, []byte(test.text), 0o644); err != nil {
			t.Fatal(err)
		}
		m, err := Read(path)
		if (err == nil) != test.ok {
			t.Errorf("%s: error = %v", name, err)
		}
		if test.ok && m.network().Hostnames[0].Hostname != "n1" {
			t.Errorf("host names = %v", m.network().Hostnames)
		}
	}
}

func TestMachineID_IsMadeOnce(t *testing.T) {
	path := filepath.Join(t.TempDir(), "machine-id")
	save := func(text []byte) error { return os.WriteFile(path, text, 0o600) }
	first, err := MachineID(path, save)
	if err != nil || len(first) != 32 {
		t.Fatalf("id = %q, %v; want 32 digits", first, err)
	}
	if again, err := MachineID(path, save); err != nil || again != first {
		t.Errorf("id = %q, %v; want %q again", again, err, first)
	}
}
