package time

import (
	"context"
	"fmt"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"github.com/ichor-os/ichor/node/time/spec"
	"github.com/ichor-os/ichor/resource"
)

// adjtimePause is how often the kernel is asked how it steers the clock.
const adjtimePause = 30 * time.Second

// Adjtime is the source of how the kernel steers the clock; read is nil for the
// kernel's own. A node that may not set its clock may read this.
func Adjtime(read func(*unix.Timex) (int, error)) resource.Block {
	if read == nil {
		read = unix.Adjtimex
	}
	return resource.Source("adjtime", spec.AdjtimeStatuses, func(ctx context.Context, f *resource.Feed[spec.AdjtimeStatusSpec]) error {
		tick := time.NewTicker(adjtimePause)
		defer tick.Stop()
		for {
			var now unix.Timex
			state, err := read(&now)
			if err != nil {
				return fmt.Errorf("read state of clock: %w", err)
			}
			if err := f.Replace(resource.Item[spec.AdjtimeStatusSpec]{ID: spec.SyncID, Spec: adjtimeStatus(now, state)}); err != nil {
				return err
			}
			select {
			case <-tick.C:
			case <-ctx.Done():
				return nil
			}
		}
	})
}

// Bits of the kernel's status, linux/timex.h.
var statusBits = []string{
	"PLL", "PPSFREQ", "PPSTIME", "FLL", "INS", "DEL", "UNSYNC", "FREQHOLD",
	"PPSSIGNAL", "PPSJITTER", "PPSWANDER", "PPSERROR", "CLOCKERR", "NANO", "MODE", "CLK",
}

// clockStates are what adjtimex(2) returns.
var clockStates = []string{"OK", "INS", "DEL", "OOP", "WAIT", "ERROR"}

const (
	staUnsync = 0x0040
	staNano   = 0x2000
)

func adjtimeStatus(now unix.Timex, state int) spec.AdjtimeStatusSpec {
	unit := time.Microsecond
	if now.Status&staNano != 0 {
		unit = time.Nanosecond
	}
	var bits []string
	for i, name := range statusBits {
		if now.Status&(1<<i) != 0 {
			bits = append(bits, name)
		}
	}
	status := spec.AdjtimeStatusSpec{
		Offset: time.Duration(now.Offset) * unit,
		// The frequency is in parts per million, with a fraction of 16 bits.
		FrequencyAdjustmentRatio: 1 + float64(now.Freq)/65536/1e6,
		MaxError:                 time.Duration(now.Maxerror) * time.Microsecond,
		EstError:                 time.Duration(now.Esterror) * time.Microsecond,
		Status:                   strings.Join(bits, " | "),
		Constant:                 int(now.Constant),
		SyncStatus:               now.Status&staUnsync == 0,
	}
	if state >= 0 && state < len(clockStates) {
		status.State = clockStates[state]
	}
	return status
}
