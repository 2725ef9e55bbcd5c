package export

import (
	"context"
	"errors"
	"io"
	"os"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// openKernel opens the kernel's log at its oldest record.
func openKernel() (io.ReadCloser, error) {
	return os.OpenFile("/dev/kmsg", os.O_RDONLY|unix.O_NONBLOCK, 0)
}

// kernelBooted is when the kernel's clock began.
func kernelBooted() time.Time {
	var now unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_BOOTTIME, &now); err != nil {
		return time.Time{}
	}
	return time.Now().Add(-time.Duration(now.Nano()))
}

// followKernel puts the kernel's log into a queue until ctx ends. The kernel's
// own ring is its backlog: while the queue is full, nothing is read, and what the
// ring loses meanwhile is counted by its numbers.
func (x *Exporter) followKernel(ctx context.Context, to *queue) {
	log, err := x.openKernel()
	if err != nil {
		x.log.Error("kernel log is not sent", "error", err)
		return
	}
	stop := context.AfterFunc(ctx, func() { log.Close() })
	defer stop()
	defer log.Close()
	record := make([]byte, 8<<10) // the kernel's bound of a record
	next := int64(-1)
	for {
		n, err := log.Read(record)
		switch {
		case errors.Is(err, unix.EPIPE):
			continue // overwritten meanwhile; the numbers tell how many
		case ctx.Err() != nil:
			return
		case err != nil:
			x.log.Error("kernel log is not sent any more", "error", err)
			return
		}
		entry, sequence, ok := x.kernelEntry(string(record[:n]))
		if !ok {
			continue
		}
		if next >= 0 && sequence > next {
			to.lose(uint64(sequence - next))
		}
		next = sequence + 1
		if to.wait(ctx, entry) != nil {
			return
		}
	}
}

var (
	facilities = []string{"kern", "user", "mail", "daemon", "auth", "syslog", "lpr", "news", "uucp", "cron", "authpriv", "ftp"}
	priorities = []string{"emerg", "alert", "crit", "err", "warning", "notice", "info", "debug"}
	kernLevels = []string{"error", "error", "error", "error", "warn", "info", "info", "debug"}
)

// kernelEntry reads a record as Documentation/ABI/testing/dev-kmsg describes it:
// "priority,sequence,microseconds,flags;message", then lines with keys.
func (x *Exporter) kernelEntry(record string) (Entry, int64, bool) {
	head, body, ok := strings.Cut(record, ";")
	fields := strings.Split(head, ",")
	if !ok || len(fields) < 3 {
		return Entry{}, 0, false
	}
	priority, err1 := strconv.ParseUint(fields[0], 10, 32)
	sequence, err2 := strconv.ParseInt(fields[1], 10, 64)
	clock, err3 := strconv.ParseInt(fields[2], 10, 64)
	if errors.Join(err1, err2, err3) != nil {
		return Entry{}, 0, false
	}
	facility := "local"
	if n := priority >> 3; n < uint64(len(facilities)) {
		facility = facilities[n]
	}
	message, _, _ := strings.Cut(body, "\n")
	return Entry{At: x.booted.Add(time.Duration(clock) * time.Microsecond), Service: "kernel", Fields: map[string]any{
		keyMessage: message, keyLevel: kernLevels[priority&7], "facility": facility,
		"priority": priorities[priority&7], "seq": sequence, "clock": clock,
	}}, sequence, true
}
