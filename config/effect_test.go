package config_test

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/ichor-os/ichor/config/documents"
	"github.com/ichor-os/ichor/config/explain"
)

// TestNotInForce_OnlyShrinks holds the list of keys that nodes do not act on
// yet to what was written down: a key may leave it, none may join it.
func TestNotInForce_OnlyShrinks(t *testing.T) {
	written, err := os.ReadFile("../docs/reference/config/not-in-force.txt")
	if err != nil {
		t.Fatal(err)
	}

	known := strings.Split(strings.TrimSpace(string(written)), "\n")
	now := explain.NotInForce(documents.Kinds())

	isKnownKind := func(key string) bool {
		kind, _, _ := strings.Cut(key, ".")

		return slices.ContainsFunc(known, func(k string) bool { return k == kind || strings.HasPrefix(k, kind+".") })
	}

	for _, key := range now {
		switch {
		case slices.Contains(known, key):
		case isKnownKind(key):
			t.Errorf("%s is not in force, and is not in the list: the list only shrinks", key)
		default:
			t.Logf("%s belongs to a new kind: go generate ./config puts it on the list", key)
		}
	}

	for _, key := range known {
		if !slices.Contains(now, key) {
			t.Logf("%s is in force now: go generate ./config takes it off the list", key)
		}
	}
}
