package machined

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"time"

	"golang.org/x/sys/unix"

	machineconfig "github.com/ichor-os/ichor/config"
	"github.com/ichor-os/ichor/node/access"
	"github.com/ichor-os/ichor/node/config"
	"github.com/ichor-os/ichor/node/cri"
	"github.com/ichor-os/ichor/node/etcfile"
	"github.com/ichor-os/ichor/node/file"
	"github.com/ichor-os/ichor/node/lifecycle"
	lifecyclespec "github.com/ichor-os/ichor/node/lifecycle/spec"
	"github.com/ichor-os/ichor/node/link"
	"github.com/ichor-os/ichor/node/log"
	"github.com/ichor-os/ichor/node/mount"
	"github.com/ichor-os/ichor/node/platform"
	"github.com/ichor-os/ichor/node/service"
	"github.com/ichor-os/ichor/node/service/cgroup"
	"github.com/ichor-os/ichor/node/service/container"
	"github.com/ichor-os/ichor/node/service/process"
	"github.com/ichor-os/ichor/resource"
	"github.com/ichor-os/ichor/version"
)

// Users of the services that face the network.
const (
	apidUID   = 50
	trustdUID = 51
)

// Folders of machined itself.
const (
	logFolder   = "/var/log/ichor"
	imageCache  = "/system/imagecache"
	cacheAddr   = "127.0.0.1:7446"
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
	store    config.Store
	first    chan *machineconfig.Config
	apply    *config.RPC
	cluster  *cluster
	engine   *resource.Engine
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
		store:    config.Store{Path: config.Path},
		first:    make(chan *machineconfig.Config, 1),
	}
	n.apply = &config.RPC{
		Store: n.store, Log: logger, Mode: machineconfig.Container,
		First: func(c *machineconfig.Config) { n.first <- c },
		Again: func() { n.ends.Request(lifecycle.Reboot) },
	}
	n.engine = resource.New(resource.Options{Diagnose: func(d resource.Diagnostic) {
		logger.Warn("engine", "name", d.Name, "kind", d.Kind, "message", d.Message)
	}})
	if err := n.engine.Register(kinds()...); err != nil {
		return nil, fmt.Errorf("register resources: %w", err)
	}
	n.cluster = &cluster{node: n, bootstrap: make(chan struct{})}
	return n, nil
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
	if err := n.serveImageCache(ctx); err != nil {
		return err
	}
	if err := n.startEngine(ctx); err != nil {
		return err
	}
	n.stage(ctx, lifecyclespec.StageBooting)
	if err := n.serve(); err != nil {
		return err
	}
	current, err := n.store.Load()
	if err != nil {
		// A config that cannot be read must not keep its owner out.
		n.log.Error("stored config is refused, the node waits for a new one", "error", err)
	}
	if current == nil {
		if err := n.maintenance(); err != nil {
			return err
		}
		n.stage(ctx, lifecyclespec.StageMaintenance)
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
	}
	n.apply.Configured()
	n.configured.Store(true)
	if err := n.publishConfig(ctx, current); err != nil {
		return err
	}
	n.stage(ctx, lifecyclespec.StageRunning)
	return n.cluster.start(ctx, current)
}

// prepare sets the name, the network and the files of /etc.
func (n *node) prepare() error {
	if err := unix.Sethostname([]byte(n.platform.Hostname)); err != nil {
		return fmt.Errorf("set host name: %w", err)
	}
	err := link.Apply(link.Static{Name: n.platform.Link, Addresses: n.platform.Addresses, Gateway: n.platform.Gateway})
	if err != nil {
		return err
	}
	hosts := "127.0.0.1 localhost\n::1 localhost\n"
	for _, prefix := range n.platform.Addresses {
		hosts += fmt.Sprintf("%s %s\n", prefix.Addr(), n.platform.Hostname)
	}
	machineID, err := loadMachineID("/system/state/machine-id")
	if err != nil {
		return err
	}
	for name, content := range map[string]string{
		"hosts":       hosts,
		"hostname":    n.platform.Hostname + "\n",
		"resolv.conf": "# No name server is configured.\n",
		"machine-id":  machineID + "\n",
	} {
		if err := n.etc.Write(name, content, 0o644); err != nil {
			return err
		}
	}
	// Pods' packets pass through the node; the setting is the namespace's own.
	if err := os.WriteFile("/proc/sys/net/ipv4/ip_forward", []byte("1"), 0); err != nil {
		return fmt.Errorf("let packets pass: %w", err)
	}
	return n.configureContainerd()
}

func (n *node) configureContainerd() error {
	text, err := cri.Config(cri.Settings{Hosts: container.HostsFolder, Pause: version.PauseImage, Namespaced: true})
	if err != nil {
		return err
	}
	folder, err := n.etc.Bind("cri/conf.d")
	if err != nil {
		return err
	}
	files := []fileSpec{{Path: filepath.Join(folder, "containerd.toml"), Content: []byte(text), Mode: 0o644}}
	if n.hasImageCache() {
		files = append(files, fileSpec{
			Path: filepath.Join(folder, "hosts", "_default", "hosts.toml"), Content: []byte(cri.Hosts("http://" + cacheAddr)), Mode: 0o644,
		})
	}
	_, err = file.Write(files)
	return err
}

func (n *node) hasImageCache() bool {
	_, err := os.Stat(filepath.Join(imageCache, "index.json"))
	return err == nil
}

// serveImageCache serves the images that came with the operating system.
func (n *node) serveImageCache(ctx context.Context) error {
	if !n.hasImageCache() {
		return nil
	}
	listener, err := net.Listen("tcp4", cacheAddr)
	if err != nil {
		return fmt.Errorf("serve image cache: %w", err)
	}
	server := &http.Server{
		Handler:           &cri.Cache{Layouts: []string{imageCache}},
		ReadHeaderTimeout: 10 * time.Second,
		BaseContext:       func(net.Listener) context.Context { return ctx },
	}
	go func() {
		if err := server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
			n.log.Error("image cache is not served any more", "error", err)
		}
	}()
	return nil
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
	if end == lifecycle.PowerOff {
		stage = lifecyclespec.StageShuttingDown
	}
	n.stage(ctx, stage)
	n.ending.Store(true)
	n.services.Shutdown(ctx)
	n.logs.Close()
}

// loadMachineID gives the node's id, made once.
func loadMachineID(path string) (string, error) {
	text, err := os.ReadFile(path)
	if err == nil && len(strings.TrimSpace(string(text))) == 32 {
		return strings.TrimSpace(string(text)), nil
	}
	id, err := randomHex(16)
	if err != nil {
		return "", err
	}
	if err := (config.Store{Path: path}).Save([]byte(id + "\n")); err != nil {
		return "", fmt.Errorf("keep machine id: %w", err)
	}
	return id, nil
}
