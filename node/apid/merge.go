//lint:file-ignore SA1019 the metadata of merged answers is what clients of the API expect

package apid

import (
	"fmt"

	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"

	commonpb "github.com/ichor-os/ichor/api/common"
)

// Both the list of messages in a unary response and the metadata in each
// message, or in an item of a stream, are field 1. Appending another occurrence
// of a message field merges it into the first, so a host name can be added to
// what a node said without knowing any more of it.
const firstField = protowire.Number(1)

// appendField appends a length-delimited field.
func appendField(b []byte, num protowire.Number, content []byte) []byte {
	b = protowire.AppendTag(b, num, protowire.BytesType)

	return protowire.AppendBytes(b, content)
}

// hostField returns the encoded metadata field that names a node.
func hostField(host string) ([]byte, error) {
	content, err := proto.Marshal(&commonpb.Metadata{Hostname: host})
	if err != nil {
		return nil, fmt.Errorf("encode metadata: %w", err)
	}

	return appendField(nil, firstField, content), nil
}

// failureField returns the encoded metadata field of a node that gave no
// answer. As the content of a message or as an item of a stream it is complete.
func failureField(host string, failure error) ([]byte, error) {
	reason := status.Convert(failure)

	content, err := proto.Marshal(&commonpb.Metadata{
		Hostname: host,
		Error:    reason.Message(),
		Status:   reason.Proto(),
	})
	if err != nil {
		return nil, fmt.Errorf("encode metadata: %w", err)
	}

	return appendField(nil, firstField, content), nil
}

// appendResponse appends a unary response to merged, adding host to the
// metadata of each of its messages. Other fields are kept.
func appendResponse(merged, response, host []byte) ([]byte, error) {
	for len(response) > 0 {
		num, kind, n := protowire.ConsumeField(response)
		if n < 0 {
			return nil, fmt.Errorf("read response: %w", protowire.ParseError(n))
		}

		field := response[:n]
		response = response[n:]

		if num != firstField || kind != protowire.BytesType {
			merged = append(merged, field...)
			continue
		}

		_, _, tag := protowire.ConsumeTag(field)
		content, _ := protowire.ConsumeBytes(field[tag:])

		merged = append(merged, field[:tag]...)
		merged = protowire.AppendVarint(merged, uint64(len(content)+len(host)))
		merged = append(merged, content...)
		merged = append(merged, host...)
	}

	return merged, nil
}
