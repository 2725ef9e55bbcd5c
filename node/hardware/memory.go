// Package hardware answers what the machine under a node is and how busy it is,
// as the kernel tells it.
//
// A node in namespaces sees the whole computer here, as its programs do.
package hardware

import (
	"context"
	"os"
	"strconv"
	"strings"
	"unicode"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/known/emptypb"

	machinepb "github.com/ichor-os/ichor/api/machine"
)

// RPC serves the methods of MachineService about the machine.
type RPC struct{}

func read(path string) (string, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return "", status.Errorf(codes.Internal, "%v", err)
	}
	return string(text), nil
}

// Memory implements MachineService; numbers are in KiB, as the kernel gives them.
func (RPC) Memory(context.Context, *emptypb.Empty) (*machinepb.MemoryResponse, error) {
	text, err := read("/proc/meminfo")
	if err != nil {
		return nil, err
	}
	return &machinepb.MemoryResponse{Messages: []*machinepb.Memory{{Meminfo: parseMemory(text)}}}, nil
}

// parseMemory fills the field whose name is the kernel's in lower case and
// without anything but letters and digits: HugePages_Total is hugepagestotal.
func parseMemory(text string) *machinepb.MemInfo {
	info := &machinepb.MemInfo{}
	message := info.ProtoReflect()
	for line := range strings.Lines(text) {
		name, rest, ok := strings.Cut(line, ":")
		fields := strings.Fields(rest)
		if !ok || len(fields) == 0 {
			continue
		}
		value, err := strconv.ParseUint(fields[0], 10, 64)
		if err != nil {
			continue
		}
		plain := strings.Map(func(r rune) rune {
			if unicode.IsLetter(r) || unicode.IsDigit(r) {
				return unicode.ToLower(r)
			}
			return -1
		}, name)
		if field := message.Descriptor().Fields().ByName(protoreflect.Name(plain)); field != nil {
			message.Set(field, protoreflect.ValueOfUint64(value))
		}
	}
	return info
}

// LoadAvg implements MachineService.
func (RPC) LoadAvg(context.Context, *emptypb.Empty) (*machinepb.LoadAvgResponse, error) {
	text, err := read("/proc/loadavg")
	if err != nil {
		return nil, err
	}
	load := &machinepb.LoadAvg{}
	fields := strings.Fields(text)
	for i, into := range []*float64{&load.Load1, &load.Load5, &load.Load15} {
		if i < len(fields) {
			if *into, err = strconv.ParseFloat(fields[i], 64); err != nil {
				return nil, status.Errorf(codes.Internal, "read load: %v", err)
			}
		}
	}
	return &machinepb.LoadAvgResponse{Messages: []*machinepb.LoadAvg{load}}, nil
}
