package enum_test

import (
	"strings"
	"testing"

	"github.com/ichor-os/ichor/resource/enum"
)

type color uint8

var colors = enum.New(map[color]string{1: "red", 2: "green", 4: "blue"})

func TestNames_TextAndBack(t *testing.T) {
	for e, want := range map[color]string{1: "red", 4: "blue", 9: "9", 0: "0"} {
		got := colors.Text(e)
		if got != want {
			t.Errorf("%d: got %q, want %q", e, got, want)
		}
		var back color
		if err := colors.Parse([]byte(got), &back); err != nil || back != e {
			t.Errorf("%q: got %d, %v, want %d", got, back, err, e)
		}
	}
}

func TestNames_FlagsAndBack(t *testing.T) {
	for e, want := range map[color]string{0: "", 1: "red", 5: "red,blue", 7: "red,green,blue", 129: "red,0x80"} {
		got := colors.FlagsText(e, ",")
		if got != want {
			t.Errorf("%d: got %q, want %q", e, got, want)
		}
		var back color
		if err := colors.ParseFlags([]byte(got), ",", &back); err != nil || back != e {
			t.Errorf("%q: got %d, %v, want %d", got, back, err, e)
		}
	}
}

func TestNames_UnknownWordNamesTheKnown(t *testing.T) {
	var c color
	for _, err := range []error{colors.Parse([]byte("pink"), &c), colors.Parse([]byte("300"), &c), colors.ParseFlags([]byte("red,pink"), ",", &c)} {
		if err == nil || !strings.Contains(err.Error(), "red, green, blue") {
			t.Errorf("got %v", err)
		}
	}
}
