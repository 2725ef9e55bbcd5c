package apid

import (
	"strings"
	"sync"

	"google.golang.org/grpc"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"

	clusterpb "github.com/ichor-os/ichor/api/cluster"
	commonpb "github.com/ichor-os/ichor/api/common"
	cosipb "github.com/ichor-os/ichor/api/cosi/resource"
	inspectpb "github.com/ichor-os/ichor/api/inspect"
	machinepb "github.com/ichor-os/ichor/api/machine"
	storagepb "github.com/ichor-os/ichor/api/storage"
	timepb "github.com/ichor-os/ichor/api/time"
)

// streams are the directions in which a method carries more than one message.
// A method that is not known is taken to do so in both.
type streams struct {
	client, server bool
}

var known = sync.OnceValue(func() map[string]streams {
	out := map[string]streams{}

	for _, service := range []*grpc.ServiceDesc{
		&clusterpb.ClusterService_ServiceDesc,
		&cosipb.State_ServiceDesc,
		&inspectpb.InspectService_ServiceDesc,
		&machinepb.DebugService_ServiceDesc,
		&machinepb.ImageService_ServiceDesc,
		&machinepb.LVMService_ServiceDesc,
		&machinepb.LifecycleService_ServiceDesc,
		&machinepb.MDService_ServiceDesc,
		&machinepb.MachineService_ServiceDesc,
		&machinepb.StorageService_ServiceDesc,
		&storagepb.StorageService_ServiceDesc,
		&timepb.TimeService_ServiceDesc,
	} {
		for _, method := range service.Methods {
			out["/"+service.ServiceName+"/"+method.MethodName] = streams{}
		}

		for _, method := range service.Streams {
			out["/"+service.ServiceName+"/"+method.StreamName] = streams{
				client: method.ClientStreams, server: method.ServerStreams,
			}
		}
	}

	return out
})

func streamsOf(method string) streams {
	if s, ok := known()[method]; ok {
		return s
	}

	return streams{client: true, server: true}
}

// mergedPackages hold the services whose methods may be asked of many nodes.
var mergedPackages = map[string]bool{
	"machine":  true,
	"cluster":  true,
	"inspect":  true,
	"storage":  true,
	"time":     true,
	"ichor.v1": true,
}

// inMergedPackage tells whether a method belongs to one of mergedPackages.
func inMergedPackage(method string) bool {
	service, _, _ := strings.Cut(strings.TrimPrefix(method, "/"), "/")
	dot := strings.LastIndexByte(service, '.')

	return dot > 0 && mergedPackages[service[:dot]]
}

// mergeable tells whether answers of several nodes can be put together: there
// has to be room in them to say which node said what. A unary response needs a
// list of messages in field 1, each with metadata in field 1; an item of a
// stream needs metadata in field 1. A method that reads and writes a stream is
// a conversation with one node.
func mergeable(method string) bool {
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

	list := descriptor.Output().Fields().ByNumber(protoreflect.FieldNumber(firstField))

	return list != nil && list.IsList() && list.Message() != nil && hasMetadata(list.Message())
}

func hasMetadata(message protoreflect.MessageDescriptor) bool {
	field := message.Fields().ByNumber(protoreflect.FieldNumber(firstField))

	return field != nil && !field.IsList() && field.Message() != nil &&
		field.Message().FullName() == (&commonpb.Metadata{}).ProtoReflect().Descriptor().FullName()
}
