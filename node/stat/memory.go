package stat

import (
	"bufio"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/known/emptypb"

	machinepb "github.com/ichor-os/ichor/api/machine"
)

// Memory implements MachineService, in the kernel's units: kB, and numbers of
// huge pages. The fields of MemInfo are the kernel's names in lower case, so a
// name that the kernel gains needs nothing here but a field.
func (r RPC) Memory(context.Context, *emptypb.Empty) (*machinepb.MemoryResponse, error) {
	path := filepath.Join(r.Proc, "meminfo")
	file, err := os.Open(path)
	if err != nil {
		return nil, unread("memory statistics", err)
	}
	defer file.Close()
	info := &machinepb.MemInfo{}
	message := info.ProtoReflect()
	lines := bufio.NewScanner(file)
	for lines.Scan() {
		name, rest, ok := strings.Cut(lines.Text(), ":")
		field := message.Descriptor().Fields().ByName(fieldName(name))
		words := strings.Fields(rest)
		if !ok || field == nil || len(words) == 0 {
			continue
		}
		number, err := strconv.ParseUint(words[0], 10, 64)
		if err != nil {
			return nil, unread("memory statistics", errors.Join(errors.New(lines.Text()), err))
		}
		message.Set(field, protoreflect.ValueOfUint64(number))
	}
	if err := lines.Err(); err != nil {
		return nil, unread("memory statistics", err)
	}
	return &machinepb.MemoryResponse{Messages: []*machinepb.Memory{{Meminfo: info}}}, nil
}

// fieldName is the field for one of the kernel's names: Active(anon) is
// activeanon, NFS_Unstable is nfsunstable.
func fieldName(kernel string) protoreflect.Name {
	return protoreflect.Name(strings.ToLower(strings.NewReplacer("(", "", ")", "", "_", "").Replace(kernel)))
}
