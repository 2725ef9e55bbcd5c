package told_test

import (
	"bytes"
	"errors"
	"log/slog"
	"strings"
	"testing"

	"github.com/ichor-os/ichor/told"
)

func TestErrorsAreToldOnceUntilTheyChangeOrEnd(t *testing.T) {
	var out bytes.Buffer
	log := slog.New(slog.NewTextHandler(&out, nil))
	var e told.Errors
	a, b := errors.New("a"), errors.New("b")
	for _, err := range []error{nil, a, a, errors.New("a"), b, a, nil, nil, a} {
		e.Tell(log, slog.LevelWarn, "not yet", err)
	}
	if got := strings.Count(out.String(), "not yet"); got != 4 {
		t.Errorf("told %d times, want 4:\n%s", got, out.String())
	}
}
