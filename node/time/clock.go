package time

import (
	"errors"
	"fmt"
	"math/bits"
	"os"
	"time"

	"github.com/beevik/ntp"
	"golang.org/x/sys/unix"
)

// Clock is what is kept in step; KernelClock is the real one.
type Clock interface {
	// Step moves the clock at once.
	Step(offset time.Duration) error
	// Slew has the clock approach, faster the shorter the pause until the next
	// time this is called.
	Slew(offset, maxError time.Duration, leap ntp.LeapIndicator, pause time.Duration) error
}

// KernelClock is the clock of the kernel, see adjtimex(2), with the clock in
// hardware that survives a power cut.
type KernelClock struct {
	// RTC is the device of the latter; a machine may have none.
	RTC string
}

// status bits and modes of linux/timex.h.
const (
	staPLL = 0x0001
	staIns = 0x0010
	staDel = 0x0020
)

// maxSlew is what the kernel takes at most as the offset of a slew.
const maxSlew = 500 * time.Millisecond

// Step implements Clock, whatever the offset: the kernel wants the fraction of
// a second to be positive.
func (k KernelClock) Step(offset time.Duration) error {
	change := stepBy(offset)
	if _, err := unix.Adjtimex(&change); err != nil {
		return fmt.Errorf("step clock: by %s: %w", offset, err)
	}
	if err := k.saveRTC(time.Now()); err != nil {
		return fmt.Errorf("step clock: save the time in %s: %w", k.RTC, err)
	}
	return nil
}

func stepBy(offset time.Duration) unix.Timex {
	seconds, rest := int64(offset/time.Second), int64(offset%time.Second)
	if rest < 0 {
		seconds, rest = seconds-1, rest+int64(time.Second)
	}
	return unix.Timex{Modes: unix.ADJ_SETOFFSET | unix.ADJ_NANO, Time: unix.Timeval{Sec: seconds, Usec: rest}}
}

// Slew implements Clock by the kernel's phase-locked loop. While it is used the
// kernel saves the time in hardware every eleven minutes.
func (KernelClock) Slew(offset, maxError time.Duration, leap ntp.LeapIndicator, pause time.Duration) error {
	change := slewBy(offset, maxError, leap, pause)
	if _, err := unix.Adjtimex(&change); err != nil {
		return fmt.Errorf("slew clock: by %s: %w", offset, err)
	}
	return nil
}

func slewBy(offset, maxError time.Duration, leap ntp.LeapIndicator, pause time.Duration) unix.Timex {
	change := unix.Timex{
		Modes:    unix.ADJ_OFFSET | unix.ADJ_NANO | unix.ADJ_STATUS | unix.ADJ_TIMECONST | unix.ADJ_MAXERROR | unix.ADJ_ESTERROR,
		Offset:   int64(min(max(offset, -maxSlew), maxSlew)),
		Status:   staPLL,
		Constant: int64(max(bits.Len(uint(pause/time.Second))-5, 0)),
		Maxerror: maxError.Microseconds(),
		Esterror: offset.Abs().Microseconds(),
	}
	switch leap {
	case ntp.LeapAddSecond:
		change.Status |= staIns
	case ntp.LeapDelSecond:
		change.Status |= staDel
	}
	return change
}

// saveRTC sets the clock in hardware, in UTC.
func (k KernelClock) saveRTC(now time.Time) error {
	f, err := os.OpenFile(k.RTC, os.O_RDWR, 0)
	if errors.Is(err, os.ErrNotExist) || errors.Is(err, unix.ENODEV) || errors.Is(err, unix.ENXIO) {
		return nil
	}
	if err != nil {
		return err
	}
	defer f.Close()
	now = now.UTC()
	return unix.IoctlSetRTCTime(int(f.Fd()), &unix.RTCTime{
		Sec: int32(now.Second()), Min: int32(now.Minute()), Hour: int32(now.Hour()),
		Mday: int32(now.Day()), Mon: int32(now.Month()) - 1, Year: int32(now.Year()) - 1900,
	})
}
