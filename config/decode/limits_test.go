package decode_test

import (
	"fmt"
	"io"
	"runtime"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/ichor-os/ichor/config/decode"
	"github.com/ichor-os/ichor/config/documents"
)

func options() decode.Options {
	return decode.Options{File: "c.yaml", Lookup: documents.Lookup, Known: documents.Kinds}
}

// bomb is a config whose aliases unfold to 9^9 values.
func bomb() []byte {
	var b strings.Builder

	b.WriteString("machine:\n  kubelet:\n    extraConfig:\n      a: &a [x, x, x, x, x, x, x, x, x]\n")

	for c := byte('b'); c <= 'i'; c++ {
		b.WriteString(fmt.Sprintf("      %c: &%c [%s]\n", c, c, strings.TrimSuffix(strings.Repeat(fmt.Sprintf("*%c, ", c-1), 9), ", ")))
	}

	return []byte(b.String())
}

func TestDecode_RefusesWhatIsTooMuch(t *testing.T) {
	deep := func(open, shut string, levels int) string {
		return "machine:\n  kubelet:\n    extraConfig:\n      a: " + strings.Repeat(open, levels) + strings.Repeat(shut, levels) + "\n"
	}

	for name, c := range map[string]struct{ text, want string }{
		"alias bomb":         {string(bomb()), "aliases unfold"},
		"100 flow lists":     {deep("[", "]", 100), "nested deeper"},
		"100 flow mappings":  {deep("{a: ", "}", 100), "nested deeper"},
		"100 block lists":    {deep("\n"+strings.Repeat(" ", 8)+strings.Repeat("- ", 100)+"x", "", 1), "nested deeper"},
		"100,000 lists":      {deep("[", "]", 100_000), ""},
		"a million lists":    {deep("[", "", 1_000_000), ""},
		"alias of itself":    {"machine:\n  kubelet:\n    extraConfig: &a\n      b: *a\n", "contains itself"},
		"too many documents": {strings.Repeat("---\n", 20_000), "more than 10000 documents"},
		"33 MiB":             {"machine: {type: worker}\n#" + strings.Repeat("x", 33<<20), "too large"},
		"33 MiB of lists":    {deep("[", "", 33<<20), "too large"},
	} {
		t.Run(name, func(t *testing.T) {
			var before, after runtime.MemStats

			runtime.GC()
			runtime.ReadMemStats(&before)

			_, err := decode.Decode([]byte(c.text), options())

			runtime.ReadMemStats(&after)

			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v, want an error with %q", err, c.want)
			}

			if used := after.TotalAlloc - before.TotalAlloc; used > 64<<20 {
				t.Errorf("memory: got %d MiB, want at most 64", used>>20)
			}
		})
	}
}

func TestDecode_AcceptsNestingBelowTheLimit(t *testing.T) {
	text := "machine:\n  kubelet:\n    extraConfig:\n      a: " + strings.Repeat("[", 90) + strings.Repeat("]", 90) + "\n"

	if _, err := decode.Decode([]byte(text), options()); err != nil {
		t.Error(err)
	}
}

func TestReadAll_ReadsAllUpToTheLimit(t *testing.T) {
	for _, size := range []int{0, 1, 1 << 20, 1<<20 + 1, 3<<20 - 1} {
		want := strings.Repeat("x", size)
		if got, err := decode.ReadAll(iotest.OneByteReader(strings.NewReader(want)), "c.yaml"); err != nil || string(got) != want {
			t.Errorf("%d bytes: got %d, %v", size, len(got), err)
		}
	}

	if _, err := decode.ReadAll(iotest.ErrReader(io.ErrClosedPipe), "c.yaml"); err == nil {
		t.Error("got no error of the reader")
	}
}

func TestReadAll_StopsAtTheLimit(t *testing.T) {
	if _, err := decode.ReadAll(strings.NewReader(strings.Repeat("x", decode.MaxSize+5)), "c.yaml"); err == nil {
		t.Error("got no error")
	}
}
