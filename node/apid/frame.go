package apid

import (
	"fmt"

	"google.golang.org/grpc/mem"
)

// A frame is one gRPC message as it came from the wire. Whoever received it
// frees it; sending takes a reference of its own, so a frame may be sent to
// several streams.
type frame struct {
	data mem.BufferSlice
}

// newFrame returns a frame of bytes that nothing else will change.
func newFrame(content []byte) *frame {
	return &frame{data: mem.BufferSlice{mem.SliceBuffer(content)}}
}

func (f *frame) free() {
	f.data.Free()
	f.data = nil
}

// rawCodec passes frames through. It bears the name of the codec that clients
// ask for, since the bytes are theirs.
type rawCodec struct{}

func (rawCodec) Name() string { return "proto" }

func (rawCodec) Marshal(v any) (mem.BufferSlice, error) {
	f, ok := v.(*frame)
	if !ok {
		return nil, fmt.Errorf("encode frame: unexpected %T", v)
	}

	f.data.Ref()

	return f.data, nil
}

func (rawCodec) Unmarshal(data mem.BufferSlice, v any) error {
	f, ok := v.(*frame)
	if !ok {
		return fmt.Errorf("decode frame: unexpected %T", v)
	}

	data.Ref()
	f.data = data

	return nil
}
