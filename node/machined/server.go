package machined

import (
	"github.com/ichor-os/ichor/node/apid"
	"github.com/ichor-os/ichor/node/config"
	"github.com/ichor-os/ichor/node/etcd"
	"github.com/ichor-os/ichor/node/file"
	"github.com/ichor-os/ichor/node/kube"
	"github.com/ichor-os/ichor/node/lifecycle"
	"github.com/ichor-os/ichor/node/log"
	"github.com/ichor-os/ichor/node/machined/boot"
	"github.com/ichor-os/ichor/node/machined/calls"
	"github.com/ichor-os/ichor/node/machined/trust"
	"github.com/ichor-os/ichor/node/mount"
	"github.com/ichor-os/ichor/node/platform"
	"github.com/ichor-os/ichor/node/service"
	"github.com/ichor-os/ichor/node/trustd"
)

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
	calls.Parts
	calls.Rest
}

// serve answers apid and trustd on their local sockets.
func (n *node) serve() error {
	if err := calls.Serve(n.log, trustd.DiscoverySocket, trust.TrustdUID, n.exchange); err != nil {
		return err
	}
	return calls.Serve(n.log, apid.MachineSocket, trust.APIDUID, n.calls.NewServer(n.mode, n.machineServer()))
}

func (n *node) machineServer() *machineServer {
	return &machineServer{
		configRPC:    n.apply,
		etcdRPC:      etcd.RPC{Membership: n.kubernetes.Member.Membership, Stop: n.kubernetes.Member.Service.Stop},
		lifecycleRPC: lifecycle.RPC{Ends: n.ends, Wipes: n.calls.Wipes(), Leave: n.leave},
		logRPC:       log.RPC{Store: n.logs, Pods: log.Pods{Folder: log.PodFolder}},
		platformRPC:  platform.RPC{Name: boot.PlatformContainer, Mode: boot.PlatformContainer},
		serviceRPC:   service.RPC{Supervisor: n.services},
		kubeRPC:      kube.RPC{View: n.engine.View},
		Parts:        n.calls.Parts,
	}
}
