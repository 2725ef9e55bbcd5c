// Package kernel passes on what the kernel says.
package kernel

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	commonpb "github.com/ichor-os/ichor/api/common"
	machinepb "github.com/ichor-os/ichor/api/machine"
)

// LogDevice is where the kernel gives its log.
const LogDevice = "/dev/kmsg"

// RPC serves the method of MachineService about the kernel's log.
type RPC struct {
	// Shared is true on a node whose kernel is not its own, as in namespaces:
	// what that kernel says is not for the node's readers.
	Shared bool
	// Open opens the log; nil for LogDevice. Each read gives a record.
	Open func(follow bool) (io.ReadSeekCloser, error)
	// Booted is when the kernel's clock began.
	Booted time.Time
}

// Booted reads when the kernel's clock began.
func Booted() time.Time {
	var now unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_BOOTTIME, &now); err != nil {
		return time.Time{}
	}
	return time.Now().Add(-time.Duration(now.Nano()))
}

// Dmesg implements MachineService. With tail it begins after what is there;
// with follow it goes on until the caller ends it.
func (r RPC) Dmesg(in *machinepb.DmesgRequest, stream grpc.ServerStreamingServer[commonpb.Data]) error {
	if r.Shared {
		return status.Error(codes.FailedPrecondition, "this node shares the kernel of the computer it runs on, whose log is not the node's: "+
			"use dmesg there; 'talosctl logs machined' shows the node's console")
	}
	open := r.Open
	if open == nil {
		open = openLog
	}
	log, err := open(in.GetFollow())
	if err != nil {
		return status.Errorf(codes.Internal, "open kernel log: %v", err)
	}
	defer log.Close()
	if in.GetFollow() {
		// A read that waits ends when the log is closed.
		done := make(chan struct{})
		defer close(done)
		go func() {
			select {
			case <-stream.Context().Done():
				log.Close()
			case <-done:
			}
		}()
	}
	if in.GetTail() {
		if _, err := log.Seek(0, io.SeekEnd); err != nil {
			return status.Errorf(codes.Internal, "read kernel log: %v", err)
		}
	}
	record := make([]byte, 8<<10) // the kernel's bound of a record
	for {
		n, err := log.Read(record)
		switch {
		case errors.Is(err, unix.EPIPE):
			continue // the record was overwritten meanwhile; the next read is what is left
		case errors.Is(err, unix.EAGAIN), errors.Is(err, io.EOF):
			return nil
		case stream.Context().Err() != nil:
			return stream.Context().Err()
		case err != nil:
			return status.Errorf(codes.Internal, "read kernel log: %v", err)
		}
		line, ok := r.line(string(record[:n]))
		if !ok {
			continue
		}
		if err := stream.Send(&commonpb.Data{Bytes: []byte(line)}); err != nil {
			return err
		}
	}
}

func openLog(follow bool) (io.ReadSeekCloser, error) {
	if follow {
		return os.OpenFile(LogDevice, os.O_RDONLY|unix.O_NONBLOCK, 0)
	}
	// Without the runtime's poller a read at the end is EAGAIN, not a wait.
	fd, err := unix.Open(LogDevice, unix.O_RDONLY|unix.O_NONBLOCK|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, err
	}
	return descriptor(fd), nil
}

// descriptor is an open file whose reads do not wait.
type descriptor int

func (d descriptor) Read(p []byte) (int, error) { return unix.Read(int(d), p) }
func (d descriptor) Seek(offset int64, whence int) (int64, error) {
	return unix.Seek(int(d), offset, whence)
}
func (d descriptor) Close() error { return unix.Close(int(d)) }

var facilities = []string{
	"kern", "user", "mail", "daemon", "auth", "syslog", "lpr", "news", "uucp", "cron", "authpriv", "ftp",
}

var levels = []string{"emerg", "alert", "crit", "err", "warning", "notice", "info", "debug"}

// line makes a line of a record as Documentation/ABI/testing/dev-kmsg describes
// it: "priority,sequence,microseconds,flags;message", then lines with keys.
func (r RPC) line(record string) (string, bool) {
	head, body, ok := strings.Cut(record, ";")
	fields := strings.Split(head, ",")
	if !ok || len(fields) < 3 {
		return "", false
	}
	priority, err := strconv.ParseUint(fields[0], 10, 32)
	if err != nil {
		return "", false
	}
	since, err := strconv.ParseInt(fields[2], 10, 64)
	if err != nil {
		return "", false
	}
	facility := "local"
	if n := priority >> 3; n < uint64(len(facilities)) {
		facility = facilities[n]
	}
	message, _, _ := strings.Cut(body, "\n")
	at := r.Booted.Add(time.Duration(since) * time.Microsecond).UTC().Format("2006-01-02T15:04:05.000000Z")
	return fmt.Sprintf("%s: %7s: [%s]: %s\n", facility, levels[priority&7], at, message), true
}
