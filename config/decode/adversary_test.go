package decode_test

import (
	"strings"
	"testing"
	"time"

	"github.com/ichor-os/ichor/config/decode"
)

// TestDecode_IsNotSlowedDown feeds what is known to make YAML readers slow.
func TestDecode_IsNotSlowedDown(t *testing.T) {
	for name, text := range map[string]string{
		"nested flow mappings": strings.Repeat("{a: ", 200_000),
		"nested explicit keys": strings.Repeat("? ", 200_000),
		"nested dashes":        strings.Repeat("- ", 200_000),
		"nested flow lists":    strings.Repeat("[", 200_000) + strings.Repeat("]", 200_000),
		"many anchors":         "machine:\n  sysctls:\n" + strings.Repeat("    a: &a b\n", 50_000),
		"a long plain word":    "machine: {token: " + strings.Repeat("a", 4<<20) + "}",
		"a long quoted word":   "machine: {token: \"" + strings.Repeat("\\n", 1<<20) + "\"}",
		"many comments":        "machine: {}\n" + strings.Repeat("# a\n", 200_000),
		"many documents":       strings.Repeat("---\n", 200_000),
		"many keys":            "machine:\n  sysctls:\n" + manyKeys(50_000),
		"many unknown keys":    "machine:\n" + manyKeys(20_000),
		"deep and then wide":   "machine: {pods: [{a: " + strings.Repeat("[", 80) + strings.Repeat("a, ", 100_000) + strings.Repeat("]", 80) + "}]}",
		"commas":               "machine: {certSANs: [" + strings.Repeat("a,", 200_000) + "]}",
	} {
		start := time.Now()
		_, err := decode.Decode([]byte(text), options())

		if took := time.Since(start); took > 20*time.Second {
			t.Errorf("%s: took %s (%d bytes): %v", name, took, len(text), err != nil)
		} else {
			t.Logf("%s: %s", name, took.Round(time.Millisecond))
		}
	}
}

func manyKeys(n int) string {
	var b strings.Builder
	for i := range n {
		b.WriteString("    k")

		for x := i; ; x /= 26 {
			b.WriteByte(byte('a' + x%26))

			if x < 26 {
				break
			}
		}

		b.WriteString(": a\n")
	}

	return b.String()
}
