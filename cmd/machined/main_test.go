package main

import (
	"slices"
	"strings"
	"testing"

	"github.com/ichor-os/ichor/node/machined"
	"github.com/ichor-os/ichor/osimage/rootfs"
)

// What ichor-exec starts must be what the root holds anyway, so that it adds
// nothing to what whoever runs it could do.
func TestPrograms_AreOnTheListOfTheRoot(t *testing.T) {
	allowed := rootfs.Allowed("amd64").Programs
	for _, program := range machined.Programs() {
		if program == "/proc/self/exe" {
			program = "/usr/bin/machined"
		}
		if !slices.Contains(allowed, strings.TrimPrefix(program, "/")) {
			t.Errorf("%s: is not a program of the root", program)
		}
	}
}
