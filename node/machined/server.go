package machined

import (
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"

	"github.com/ichor-os/ichor/node/apid"
	"github.com/ichor-os/ichor/node/config"
	"github.com/ichor-os/ichor/node/etcd"
	"github.com/ichor-os/ichor/node/file"
	"github.com/ichor-os/ichor/node/lifecycle"
	"github.com/ichor-os/ichor/node/log"
	"github.com/ichor-os/ichor/node/mount"
	"github.com/ichor-os/ichor/node/platform"
	"github.com/ichor-os/ichor/node/service"
)

// maxMessage is the largest message of the API, in bytes.
const maxMessage = 32 << 20

// The parts of MachineService, by noun; what none of them has is refused by the
// innermost, unimplemented one.
type (
	configRPC    = config.RPC
	etcdRPC      = etcd.RPC
	fileRPC      = file.RPC
	mountRPC     = mount.RPC
	lifecycleRPC = lifecycle.RPC
	logRPC       = log.RPC
	platformRPC  = platform.RPC
	serviceRPC   = service.RPC
	unserved     struct{ rest }
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
	clusterRPC
	calls
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
	if err := os.Chown(apid.MachineSocket, 0, apidUID); err != nil {
		return fmt.Errorf("serve machine API: %w", err)
	}
	server := n.newServer()
	go func() {
		if err := server.Serve(listener); err != nil {
			n.log.Error("machine API is not served any more", "error", err)
		}
	}()
	return nil
}

func (n *node) machineServer() *machineServer {
	return &machineServer{
		configRPC:    n.apply,
		etcdRPC:      etcd.RPC{Runs: n.cluster.runsEtcd},
		lifecycleRPC: lifecycle.RPC{Ends: n.ends, Actor: actor},
		logRPC:       log.RPC{Store: n.logs},
		platformRPC:  platform.RPC{Name: PlatformContainer, Mode: PlatformContainer},
		serviceRPC:   service.RPC{Supervisor: n.services},
		clusterRPC:   clusterRPC{cluster: n.cluster},
		calls:        n.calls(),
	}
}

// actor makes the id of a request that events carry.
func actor() string {
	id, err := randomHex(16)
	if err != nil {
		return ""
	}
	return id
}
