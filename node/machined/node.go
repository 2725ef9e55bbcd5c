package machined

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"net/netip"
	"os"
	"sync/atomic"
	"time"

	"google.golang.org/grpc"

	machineconfig "github.com/ichor-os/ichor/config"
	"github.com/ichor-os/ichor/config/documents/v1alpha1"
	"github.com/ichor-os/ichor/node/access"
	"github.com/ichor-os/ichor/node/cluster"
	"github.com/ichor-os/ichor/node/config"
	"github.com/ichor-os/ichor/node/config/reach"
	"github.com/ichor-os/ichor/node/cri"
	"github.com/ichor-os/ichor/node/etcfile"
	"github.com/ichor-os/ichor/node/identity"
	"github.com/ichor-os/ichor/node/lifecycle"
	lifecyclespec "github.com/ichor-os/ichor/node/lifecycle/spec"
	"github.com/ichor-os/ichor/node/log"
	"github.com/ichor-os/ichor/node/machined/blocks"
	"github.com/ichor-os/ichor/node/machined/calls"
	"github.com/ichor-os/ichor/node/machined/host"
	"github.com/ichor-os/ichor/node/machined/kinds"
	"github.com/ichor-os/ichor/node/machined/trust"
	"github.com/ichor-os/ichor/node/meta"
	"github.com/ichor-os/ichor/node/mount"
	"github.com/ichor-os/ichor/node/platform"
	"github.com/ichor-os/ichor/node/service"
	"github.com/ichor-os/ichor/node/service/cgroup"
	"github.com/ichor-os/ichor/node/service/container"
	"github.com/ichor-os/ichor/node/service/process"
	"github.com/ichor-os/ichor/resource"
	"github.com/ichor-os/ichor/version"
)

// Folders of machined itself.
const (
	logFolder   = "/var/log/ichor"
	imageCache  = "/system/imagecache"
	stopTimeout = 90 * time.Second
)

// node is everything that a running node consists of.
type node struct {
	log      *slog.Logger
	logs     *log.Store
	reaper   *process.Reaper
	groups   *cgroup.Tree
	services *service.Supervisor
	ends     *lifecycle.Ends
	etc      *etcfile.Folder
	platform platform.Metadata
	configs  *config.Keeper
	first    chan *machineconfig.Config
	apply    *config.RPC
	// kubernetes is there once the engine runs.
	kubernetes *blocks.Kubernetes
	engine     *resource.Engine
	calls      *calls.Calls
	host       *host.Host
	// discovery finds the other nodes; it answers them through exchange.
	discovery *cluster.Discovery
	exchange  *grpc.Server
	// configured is set once a config is in force.
	configured atomic.Bool
	// ending is set when the machine goes down.
	ending atomic.Bool
}

func newNode(reaper *process.Reaper, groups *cgroup.Tree) (*node, error) {
	about, err := platform.Read(platform.File)
	if err != nil {
		return nil, err
	}
	logs := log.NewStore()
	logger := slog.New(slog.NewTextHandler(io.MultiWriter(os.Stderr, logs.Open("machined")), nil))
	slog.SetDefault(logger)
	n := &node{
		log:      logger,
		logs:     logs,
		reaper:   reaper,
		groups:   groups,
		services: service.NewSupervisor(logger),
		ends:     lifecycle.NewEnds(logger),
		etc:      &etcfile.Folder{Etc: "/etc", Store: "/system/etc", Mounter: mount.Kernel{}},
		platform: about,
		host:     host.New(),
		first:    make(chan *machineconfig.Config, 1),
	}
	n.discovery, n.exchange = trust.NewDiscovery(logger)
	n.engine = n.host.Engine(logger)
	if err := n.engine.Register(kinds.All()...); err != nil {
		return nil, fmt.Errorf("register resources: %w", err)
	}
	n.configs = &config.Keeper{
		Disk: config.Files(config.Folder), Engine: n.engine, Log: logger, Hostname: about.Hostname,
		Witness: reach.Witness{Network: reach.Kernel{Port: 50000, Proc: "/proc/self"}},
		Reboot:  func() { n.ends.Request(lifecycle.Reboot) },
		Tell:    func(err error) { n.calls.ConfigRefused(err) },
	}
	n.apply = &config.RPC{Keeper: n.configs, Log: logger, Mode: machineconfig.Container, Refuse: blocks.Refused, First: func(c *machineconfig.Config) { n.first <- c }}
	n.calls, err = calls.New(calls.Needs{
		Log: logger, Engine: n.engine, Services: n.services, Ends: n.ends, Logs: logs, Meta: meta.Path, SharedKernel: true,
		Reached: n.configs.Reached,
	})
	return n, err
}

// boot takes the node to maintenance or to what its config says, and returns
// when all is started.
func (n *node) boot(ctx context.Context) error {
	if err := n.logs.Persist(logFolder); err != nil {
		return err
	}
	if err := n.prepare(); err != nil {
		return err
	}
	if err := n.startEngine(ctx); err != nil {
		return err
	}
	if cri.HasImages(imageCache) {
		if err := cri.Serve(ctx, n.log, imageCache); err != nil {
			return err
		}
	}
	n.calls.Booting()
	n.stage(ctx, lifecyclespec.StageBooting)
	if err := n.serve(); err != nil {
		return err
	}
	current := n.configs.Load()
	n.configs.Show()
	if current == nil {
		fingerprint, err := trust.Maintenance(n.names())
		if err != nil {
			return err
		}
		// Whoever brings the config compares the fingerprint with this line.
		n.log.Info("node waits for its config", "stage", "maintenance", "address", n.address().String(), "fingerprint", fingerprint)
		n.stage(ctx, lifecyclespec.StageMaintenance)
	} else if err := n.host.Start(ctx, n.configs.Start, n.engine, n.services); err != nil {
		return err
	}
	if err := n.startBase(); err != nil {
		return err
	}
	if current == nil {
		select {
		case current = <-n.first:
		case <-ctx.Done():
			return nil
		}
		if err := n.host.Start(ctx, n.configs.Start, n.engine, n.services); err != nil {
			return err
		}
	}
	n.configured.Store(true)
	n.stage(ctx, lifecyclespec.StageRunning)
	err := n.startCluster(ctx, current)
	n.calls.Booted(err)
	if err != nil {
		// The node stays, so that a better config can come.
		n.log.Error("node has no part in its cluster", "error", err)
	}
	return nil
}

// prepare lets packets pass and configures the engine of containers.
func (n *node) prepare() error {
	// Pods' packets pass through the node; the setting is the namespace's own.
	if err := os.WriteFile("/proc/sys/net/ipv4/ip_forward", []byte("1"), 0); err != nil {
		return fmt.Errorf("let packets pass: %w", err)
	}
	return n.configureContainerd()
}

func (n *node) configureContainerd() error {
	folder, err := n.etc.Bind(cri.Folder)
	if err != nil {
		return err
	}
	cache := ""
	if cri.HasImages(imageCache) {
		cache = cri.CacheURL
	}
	return write(cri.Files(cri.Settings{Hosts: container.HostsFolder, Pause: version.PauseImage, Namespaced: true}, folder, cache))
}

func (n *node) names() identity.Names {
	names := identity.Names{Hostname: n.platform.Hostname}
	for _, prefix := range n.platform.Addresses {
		names.Addresses = append(names.Addresses, prefix.Addr())
	}
	return names
}

// address is the node's first address.
func (n *node) address() netip.Addr { return n.platform.Addresses[0].Addr() }

// useConfig puts the machine CA of the config in force: from then on the API
// knows its callers by certificate.
func (n *node) useConfig(ctx context.Context, c *v1alpha1.Config) error {
	defer func() { go trust.Renew(ctx, c, n.names(), n.host.Time.Stepped(), n.log) }()
	if len(trust.CA(c.Machine).Key) > 0 {
		if err := trust.ControlPlane(c, n.names()); err != nil {
			return err
		}
		return n.startService(n.trustdService())
	}
	if err := n.services.Stop(ctx, "apid"); err != nil {
		return err
	}
	if err := trust.Silence(); err != nil {
		return err
	}
	if err := trust.Worker(ctx, c, n.names(), n.log); err != nil {
		return err
	}
	return n.services.Start("apid")
}

// mode is how the API treats its callers.
func (n *node) mode() access.Mode {
	if n.configured.Load() {
		return access.Configured
	}
	return access.Maintenance
}

// stop stops the services in order, bounded.
func (n *node) stop(end lifecycle.End) {
	ctx, cancel := context.WithTimeout(context.Background(), stopTimeout)
	defer cancel()
	stage := lifecyclespec.StageRebooting
	switch {
	case n.ends.Sequence() == "reset":
		stage = lifecyclespec.StageResetting
	case end == lifecycle.PowerOff:
		stage = lifecyclespec.StageShuttingDown
	}
	n.stage(ctx, stage)
	n.ending.Store(true)
	n.kubernetes.Stop(ctx)
	n.ends.Phase("stopServices", func() { n.services.Shutdown(ctx) })
	n.logs.Close()
	n.calls.Erase()
}
