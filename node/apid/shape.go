package apid

import (
	"sync"

	"google.golang.org/grpc"

	clusterpb "github.com/ichor-os/ichor/api/cluster"
	cosipb "github.com/ichor-os/ichor/api/cosi/resource"
	ichorpb "github.com/ichor-os/ichor/api/ichor"
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
		&ichorpb.Audit_ServiceDesc,
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
