package machined

import (
	"context"
	"fmt"
	"os"
	"strconv"

	"github.com/ichor-os/ichor/node/apid"
	"github.com/ichor-os/ichor/node/containerd"
	"github.com/ichor-os/ichor/node/machined/trust"
	"github.com/ichor-os/ichor/node/service"
	"github.com/ichor-os/ichor/node/service/container"
	"github.com/ichor-os/ichor/node/service/process"
	"github.com/ichor-os/ichor/node/trustd"
)

// programs of a node run with this.
var programEnv = []string{"PATH=/usr/bin:/usr/sbin:/bin:/sbin", "HOME=/root"}

// startBase starts what every node runs, with a config or without.
func (n *node) startBase() error {
	for _, s := range []service.Service{n.machinedService(), n.containerdService(), n.apidService()} {
		if err := n.startService(s); err != nil {
			return err
		}
	}
	return nil
}

func (n *node) startService(s service.Service) error {
	if err := n.services.Add(s); err != nil {
		return err
	}
	return n.services.Start(s.ID)
}

// self is machined's entry in the list of services; it runs while the node does.
type self struct{}

func (self) Run(ctx context.Context, started func(string)) error {
	started("process 1")
	<-ctx.Done()
	return nil
}

func (n *node) machinedService() service.Service {
	return service.Service{ID: "machined", Runner: self{}, KeepsRunning: true}
}

// Paths of what runs as a service.
const (
	ownPath        = "/proc/self/exe"
	containerdPath = "/usr/bin/containerd"
)

// Programs are the paths of all that a node starts as a service. The step that
// starts them runs nothing else.
func Programs() []string { return []string{ownPath, containerdPath} }

func (n *node) program(id string, spec process.Spec) *service.Program {
	spec.Env = append(append([]string{}, programEnv...), spec.Env...)
	return &service.Program{
		Starter: n.reaper,
		Groups:  n.groups,
		Group:   "system/" + id,
		Spec:    func() (process.Spec, error) { return spec, nil },
		Output:  n.logs.Open(id),
	}
}

func (n *node) containerdService() service.Service {
	runner := n.program("containerd", process.Spec{
		Path:           containerdPath,
		Args:           []string{"--config", "/etc/cri/conf.d/containerd.toml"},
		OOMScoreAdjust: -999,
		OpenFiles:      1 << 20,
		NewPrivileges:  true,
	})
	runner.SpareGroup = true
	n.host.Program("containerd", runner)
	return service.Service{
		ID:     "containerd",
		Needs:  []string{"machined"},
		Runner: runner,
		Prepare: func(context.Context) error {
			if err := os.MkdirAll("/system/run/containerd", 0o755); err != nil {
				return fmt.Errorf("make folder: %w", err)
			}
			link := "/system/run/containerd/containerd.sock"
			if err := os.Symlink(containerd.Socket, link); err != nil && !os.IsExist(err) {
				return fmt.Errorf("make link: %w", err)
			}
			return nil
		},
		Health:       &service.Health{Check: container.Ready},
		KeepsRunning: true,
	}
}

func (n *node) apidService() service.Service {
	return service.Service{
		ID:    "apid",
		Needs: []string{"machined"},
		Runner: n.program("apid", process.Spec{
			Path: ownPath, Name: "apid", Args: []string{"--local", apid.LocalSocket},
			UID: trust.APIDUID, GID: trust.APIDUID, OpenFiles: 1 << 16,
		}),
		Health:       &service.Health{Check: service.Connects("127.0.0.1:50000")},
		KeepsRunning: true,
	}
}

func (n *node) trustdService() service.Service {
	return service.Service{
		ID:    "trustd",
		Needs: []string{"machined"},
		Runner: n.program("trustd", process.Spec{
			Path: ownPath, Name: "trustd", UID: trust.TrustdUID, GID: trust.TrustdUID, OpenFiles: 1 << 14,
		}),
		Health:       &service.Health{Check: service.Connects("127.0.0.1:" + strconv.Itoa(trustd.DefaultPort))},
		KeepsRunning: true,
	}
}
