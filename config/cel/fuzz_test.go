package cel_test

import (
	"testing"

	"github.com/ichor-os/ichor/config/cel"
)

// FuzzCheck checks that no text makes the compiler panic, in any environment.
func FuzzCheck(f *testing.F) {
	for _, seed := range []string{
		`disk.size > 100u * GiB && !system_disk`, `volume.label.matches("^a")`, `mac(link.permanent_addr).startsWith("02:")`,
		`{Besteffort: 1.0}[class] * double(memory_current.orValue(0u))`, `memory_full_avg10 > 12.0`, ``, `((((`, `"\u0000"`, `true`,
	} {
		f.Add(seed)
	}

	environments := []*cel.Environment{cel.Disk, cel.Volume, cel.Link, cel.OOMTrigger, cel.OOMRanking}

	f.Fuzz(func(_ *testing.T, expression string) {
		for _, e := range environments {
			_ = cel.Check(e, expression)
		}
	})
}
