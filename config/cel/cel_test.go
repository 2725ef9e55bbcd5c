package cel_test

import (
	"testing"

	"github.com/ichor-os/ichor/config/cel"
)

var oui = []byte{0x02, 0x00, 0x5e, 0xab, 0xcd, 0xef}

func TestCheck_AcceptsWhatTheEnvironmentKnows(t *testing.T) {
	for _, tc := range []struct {
		env        *cel.Environment
		expression string
	}{
		{cel.Disk, `disk.size > 100u * GiB && disk.size <= 2u * TB`},
		{cel.Disk, `disk.transport in ["nvme", "virtio"]`},
		{cel.Disk, `!system_disk && !disk.rotational && disk.symlinks.exists(s, s.startsWith("/dev/disk/by-id/"))`},
		{cel.Disk, ` true `},
		{cel.Volume, `volume.partition_label == "ATTIC" && disk.transport != "usb"`},
		{cel.Volume, `volume.label.matches("^photos-[0-9]+$") && volume.size >= 1u * MiB`},
		{cel.Link, `mac(link.permanent_addr).startsWith("02:00:5e") && link.type == 1`},
		{cel.Link, `glob("02:00:5e:*", mac(link.permanent_addr))`},
		{cel.Link, `link.driver == "e1000e" || "lan0" in link.alt_names`},
		{cel.OOMTrigger, `memory_full_avg10 > 12.0 && d_memory_full_avg10 > 0.0`},
		{cel.OOMTrigger, `time_since_trigger > duration("500ms")`},
		{cel.OOMRanking, `memory_max.hasValue() ? 0.0 : double(memory_current.orValue(0u))`},
		{cel.OOMRanking, `{Besteffort: 1.0, Burstable: 0.5, Guaranteed: 0.0, Podruntime: 0.0, System: 0.0}[class]`},
	} {
		if err := cel.Check(tc.env, tc.expression); err != nil {
			t.Errorf("%s: %s: %v", tc.env, tc.expression, err)
		}
	}
}

func TestCheck_Refuses(t *testing.T) {
	for _, tc := range []struct {
		env        *cel.Environment
		expression string
	}{
		{cel.Disk, `disk.colour == "red"`},
		{cel.Disk, `disk.size`},
		{cel.Disk, `disk.size > 100`},
		{cel.Disk, `volume.label == "x"`},
		{cel.Disk, `disk.size > `},
		{cel.Disk, ``},
		{cel.Disk, `"true"`},
		{cel.Volume, `system_disk`},
		{cel.Volume, `link.driver == "x"`},
		{cel.Link, `disk.size > 1u`},
		{cel.Link, `mac(link.driver) == ""`},
		{cel.OOMTrigger, `memory_full_avg10`},
		{cel.OOMRanking, `1`},
		{cel.OOMRanking, `memory_current`},
	} {
		if err := cel.Check(tc.env, tc.expression); err == nil {
			t.Errorf("%s: %s: accepted", tc.env, tc.expression)
		}
	}
}

func TestProgram_Bool(t *testing.T) {
	p, err := cel.Compile(cel.Disk, `disk.size > 100u * GB && !system_disk`)
	if err != nil {
		t.Fatal(err)
	}

	for size, want := range map[uint64]bool{50_000_000_000: false, 200_000_000_000: true} {
		got, err := p.Bool(map[string]any{"disk": &cel.DiskFields{Size: size}, "system_disk": false})
		if err != nil || got != want {
			t.Errorf("size %d: got %v, %v; want %v", size, got, err, want)
		}
	}
}

func TestProgram_Float(t *testing.T) {
	p, err := cel.Compile(cel.OOMRanking, `{Besteffort: 1.0, Burstable: 0.5}[class] * 4.0`)
	if err != nil {
		t.Fatal(err)
	}

	got, err := p.Float(map[string]any{"class": int64(cel.ClassBurstable)})
	if err != nil || got != 2 {
		t.Errorf("got %v, %v; want 2", got, err)
	}
}

// The text of a hardware address is lower case, so that what a config is
// written with does not depend on how a driver spells it.
func TestS10_MACOfALinkIsLowerCaseText(t *testing.T) {
	p, err := cel.Compile(cel.Link, `mac(link.permanent_addr) == "02:00:5e:ab:cd:ef"`)
	if err != nil {
		t.Fatal(err)
	}

	got, err := p.Bool(map[string]any{"link": &cel.LinkFields{PermanentAddr: oui}})
	if err != nil || !got {
		t.Errorf("got %v, %v; want true", got, err)
	}
}

func TestGlob_MatchesHardwareAddresses(t *testing.T) {
	for pattern, want := range map[string]bool{"02:00:5e:*": true, "*:ef": true, "02:00:5e": false, "02:00:5e:ab:cd:e?": true} {
		p, err := cel.Compile(cel.Link, `glob("`+pattern+`", mac(link.permanent_addr))`)
		if err != nil {
			t.Fatal(err)
		}

		got, err := p.Bool(map[string]any{"link": &cel.LinkFields{PermanentAddr: oui}})
		if err != nil || got != want {
			t.Errorf("%s: got %v, %v; want %v", pattern, got, err, want)
		}
	}

	p, err := cel.Compile(cel.Link, `glob("[", link.driver)`)
	if err != nil {
		t.Fatal(err)
	}

	if got, err := p.Bool(map[string]any{"link": &cel.LinkFields{}}); err == nil {
		t.Errorf("broken pattern: got %v, want an error", got)
	}
}

func BenchmarkCheck(b *testing.B) {
	for b.Loop() {
		if err := cel.Check(cel.Disk, `!system_disk && disk.size > 20u * GiB`); err != nil {
			b.Fatal(err)
		}
	}
}
