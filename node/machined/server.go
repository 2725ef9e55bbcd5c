package machined

import (
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"

	"google.golang.org/grpc"

	resourcepb "github.com/ichor-os/ichor/api/cosi/resource"
	machinepb "github.com/ichor-os/ichor/api/machine"
	"github.com/ichor-os/ichor/node/access"
	"github.com/ichor-os/ichor/node/apid"
	"github.com/ichor-os/ichor/node/config"
	"github.com/ichor-os/ichor/node/etcd"
	"github.com/ichor-os/ichor/node/file"
	"github.com/ichor-os/ichor/node/kube"
	"github.com/ichor-os/ichor/node/lifecycle"
	"github.com/ichor-os/ichor/node/log"
	"github.com/ichor-os/ichor/node/machined/boot"
	"github.com/ichor-os/ichor/node/machined/trust"
	"github.com/ichor-os/ichor/node/mount"
	"github.com/ichor-os/ichor/node/platform"
	"github.com/ichor-os/ichor/node/service"
	"github.com/ichor-os/ichor/resource/state"
)

// maxMessage is the largest message of the API, in bytes.
const maxMessage = 32 << 20

// The parts of MachineService, by noun; what none of them has is refused by the
// innermost, unimplemented one.
type (
	configRPC    = config.RPC
	etcdRPC      = etcd.RPC
	fileRPC      = file.RPC
	kubeRPC      = kube.RPC
	mountRPC     = mount.RPC
	lifecycleRPC = lifecycle.RPC
	logRPC       = log.RPC
	platformRPC  = platform.RPC
	serviceRPC   = service.RPC
	unserved     struct {
		machinepb.UnimplementedMachineServiceServer
	}
)

type machineServer struct {
	*configRPC
	etcdRPC
	fileRPC
	mountRPC
	lifecycleRPC
	logRPC
	platformRPC
	serviceRPC
	kubeRPC
	unserved
}

// serve answers apid on the local socket.
func (n *node) serve() error {
	if err := os.MkdirAll(filepath.Dir(apid.MachineSocket), 0o755); err != nil {
		return fmt.Errorf("serve machine API: %w", err)
	}
	if err := os.Remove(apid.MachineSocket); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("serve machine API: %w", err)
	}
	listener, err := net.Listen("unix", apid.MachineSocket)
	if err != nil {
		return fmt.Errorf("serve machine API: %w", err)
	}
	// Only apid's user may connect; the gate looks again at who it is.
	if err := os.Chmod(apid.MachineSocket, 0o660); err != nil {
		return fmt.Errorf("serve machine API: %w", err)
	}
	if err := os.Chown(apid.MachineSocket, 0, trust.APIDUID); err != nil {
		return fmt.Errorf("serve machine API: %w", err)
	}
	gate := access.Gate{
		Believe: func(peer access.Peer) bool { return peer.UID == trust.APIDUID },
		Mode:    n.mode,
	}
	server := grpc.NewServer(
		grpc.Creds(access.LocalCredentials()),
		grpc.UnaryInterceptor(gate.Unary),
		grpc.StreamInterceptor(gate.Stream),
		grpc.MaxRecvMsgSize(maxMessage),
		grpc.MaxSendMsgSize(maxMessage),
	)
	machinepb.RegisterMachineServiceServer(server, &machineServer{
		configRPC:    n.apply,
		etcdRPC:      etcd.RPC{Membership: n.cluster.membership.Load},
		lifecycleRPC: lifecycle.RPC{Ends: n.ends},
		logRPC:       log.RPC{Store: n.logs},
		platformRPC:  platform.RPC{Name: boot.PlatformContainer, Mode: boot.PlatformContainer},
		serviceRPC:   service.RPC{Supervisor: n.services},
		kubeRPC:      kube.RPC{ControlPlane: n.cluster.controlPlane.Load},
	})
	resourcepb.RegisterStateServer(server, state.New(n.engine, trust.Resources))
	go func() {
		if err := server.Serve(listener); err != nil {
			n.log.Error("machine API is not served any more", "error", err)
		}
	}()
	return nil
}
