package machined

import (
	"google.golang.org/grpc"

	clusterpb "github.com/ichor-os/ichor/api/cluster"
	resourcepb "github.com/ichor-os/ichor/api/cosi/resource"
	inspectpb "github.com/ichor-os/ichor/api/inspect"
	machinepb "github.com/ichor-os/ichor/api/machine"
	"github.com/ichor-os/ichor/api/served"
	storagepb "github.com/ichor-os/ichor/api/storage"
	timepb "github.com/ichor-os/ichor/api/time"
	"github.com/ichor-os/ichor/node/access"
	"github.com/ichor-os/ichor/node/stat"
	"github.com/ichor-os/ichor/resource/state"
)

// More parts of MachineService; those that a machineServer embeds itself win.
type (
	statRPC = stat.RPC
)

type calls struct {
	statRPC
}

// rest refuses what no noun serves. The list of package served answers first,
// with the reason.
type rest struct {
	machinepb.UnimplementedMachineServiceServer
}

func (n *node) calls() calls {
	return calls{
		statRPC: stat.RPC{Proc: "/proc", Sys: "/sys"},
	}
}

// servers are all services of the contract with what serves them here.
func (n *node) servers(machine machinepb.MachineServiceServer) []served.Server {
	return []served.Server{
		{Service: &machinepb.MachineService_ServiceDesc, Server: machine},
		{Service: &resourcepb.State_ServiceDesc, Server: state.New(n.engine, authorizeResources)},
		{Service: &clusterpb.ClusterService_ServiceDesc, Server: clusterpb.UnimplementedClusterServiceServer{}},
		{Service: &inspectpb.InspectService_ServiceDesc, Server: inspectpb.UnimplementedInspectServiceServer{}},
		{Service: &machinepb.DebugService_ServiceDesc, Server: machinepb.UnimplementedDebugServiceServer{}},
		{Service: &machinepb.ImageService_ServiceDesc, Server: machinepb.UnimplementedImageServiceServer{}},
		{Service: &machinepb.LVMService_ServiceDesc, Server: machinepb.UnimplementedLVMServiceServer{}},
		{Service: &machinepb.LifecycleService_ServiceDesc, Server: machinepb.UnimplementedLifecycleServiceServer{}},
		{Service: &machinepb.MDService_ServiceDesc, Server: machinepb.UnimplementedMDServiceServer{}},
		{Service: &machinepb.StorageService_ServiceDesc, Server: machinepb.UnimplementedStorageServiceServer{}},
		{Service: &storagepb.StorageService_ServiceDesc, Server: storagepb.UnimplementedStorageServiceServer{}},
		{Service: &timepb.TimeService_ServiceDesc, Server: timepb.UnimplementedTimeServiceServer{}},
	}
}

// newServer makes the server that apid calls. Who may call is decided first,
// then whether the method is served at all.
func (n *node) newServer() *grpc.Server {
	gate := access.Gate{
		Believe: func(peer access.Peer) bool { return peer.UID == apidUID },
		Mode:    n.mode,
	}
	server := grpc.NewServer(
		grpc.Creds(access.LocalCredentials()),
		grpc.ChainUnaryInterceptor(gate.Unary, served.Unary),
		grpc.ChainStreamInterceptor(gate.Stream, served.Stream),
		grpc.MaxRecvMsgSize(maxMessage),
		grpc.MaxSendMsgSize(maxMessage),
	)
	for _, s := range n.servers(n.machineServer()) {
		server.RegisterService(s.Service, s.Server)
	}
	return server
}
