package api

import (
	"strings"

	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"

	commonpb "github.com/ichor-os/ichor/api/common"
)

// mergedPackages hold the services whose methods may be asked of many nodes.
var mergedPackages = map[string]bool{
	"machine":  true,
	"cluster":  true,
	"inspect":  true,
	"storage":  true,
	"time":     true,
	"ichor.v1": true,
}

// InMergedPackage tells whether a method, as /SERVICE/METHOD, belongs to a package
// whose services may be asked of many nodes at all.
func InMergedPackage(method string) bool {
	service, _, _ := strings.Cut(strings.TrimPrefix(method, "/"), "/")
	dot := strings.LastIndexByte(service, '.')

	return dot > 0 && mergedPackages[service[:dot]]
}

// Mergeable tells whether the answers of several nodes to a method can be put
// together, as nodes do for calls with the metadata key nodes: there
// has to be room in them to say which node said what. A unary response needs a
// list of messages in field 1, each with metadata in field 1; an item of a
// stream needs metadata in field 1. A method that reads and writes a stream is
// a conversation with one node. Methods whose Go package is not linked are not
// known, hence not mergeable.
func Mergeable(method string) bool {
	if !InMergedPackage(method) {
		return false
	}

	name := strings.ReplaceAll(strings.TrimPrefix(method, "/"), "/", ".")

	found, err := protoregistry.GlobalFiles.FindDescriptorByName(protoreflect.FullName(name))
	if err != nil {
		return false
	}

	descriptor, ok := found.(protoreflect.MethodDescriptor)
	if !ok {
		return false
	}

	if descriptor.IsStreamingServer() {
		return !descriptor.IsStreamingClient() && hasMetadata(descriptor.Output())
	}

	list := descriptor.Output().Fields().ByNumber(1)

	return list != nil && list.IsList() && list.Message() != nil && hasMetadata(list.Message())
}

func hasMetadata(message protoreflect.MessageDescriptor) bool {
	field := message.Fields().ByNumber(1)

	return field != nil && !field.IsList() && field.Message() != nil &&
		field.Message().FullName() == (&commonpb.Metadata{}).ProtoReflect().Descriptor().FullName()
}
