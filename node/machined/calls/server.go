// Package calls wires the calls of the node API that look at a node or change
// what lies beside its config: events, META, statistics, containers and images.
// It also has the list of all services, and the server that apid calls.
package calls

import (
	"context"
	"fmt"
	"log/slog"
	"net/netip"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"

	clusterpb "github.com/ichor-os/ichor/api/cluster"
	commonpb "github.com/ichor-os/ichor/api/common"
	resourcepb "github.com/ichor-os/ichor/api/cosi/resource"
	ichorpb "github.com/ichor-os/ichor/api/ichor"
	inspectpb "github.com/ichor-os/ichor/api/inspect"
	machinepb "github.com/ichor-os/ichor/api/machine"
	"github.com/ichor-os/ichor/api/served"
	storagepb "github.com/ichor-os/ichor/api/storage"
	timepb "github.com/ichor-os/ichor/api/time"
	"github.com/ichor-os/ichor/client/health"
	"github.com/ichor-os/ichor/config/document"
	"github.com/ichor-os/ichor/node/access"
	"github.com/ichor-os/ichor/node/apid"
	"github.com/ichor-os/ichor/node/audit"
	"github.com/ichor-os/ichor/node/cluster"
	"github.com/ichor-os/ichor/node/config"
	"github.com/ichor-os/ichor/node/container"
	"github.com/ichor-os/ichor/node/containerd"
	"github.com/ichor-os/ichor/node/disk"
	"github.com/ichor-os/ichor/node/event"
	"github.com/ichor-os/ichor/node/image"
	"github.com/ichor-os/ichor/node/inspect"
	"github.com/ichor-os/ichor/node/kernel"
	"github.com/ichor-os/ichor/node/kube"
	"github.com/ichor-os/ichor/node/lifecycle"
	"github.com/ichor-os/ichor/node/log"
	"github.com/ichor-os/ichor/node/log/export"
	"github.com/ichor-os/ichor/node/machined/trust"
	"github.com/ichor-os/ichor/node/meta"
	"github.com/ichor-os/ichor/node/mount"
	"github.com/ichor-os/ichor/node/secret"
	"github.com/ichor-os/ichor/node/service"
	runner "github.com/ichor-os/ichor/node/service/container"
	"github.com/ichor-os/ichor/node/socket"
	"github.com/ichor-os/ichor/node/stat"
	clock "github.com/ichor-os/ichor/node/time"
	"github.com/ichor-os/ichor/resource"
	"github.com/ichor-os/ichor/resource/state"
)

// maxMessage is the largest message of the API, in bytes.
const maxMessage = 32 << 20

// Parts of MachineService; those that the server embeds beside them win.
type (
	containerRPC = container.RPC
	eventRPC     = event.RPC
	imageRPC     = image.RPC
	kernelRPC    = kernel.RPC
	metaRPC      = meta.RPC
	secretRPC    = secret.RPC
	socketRPC    = socket.RPC
	statRPC      = stat.RPC

	// Parts are to be embedded into the server.
	Parts struct {
		containerRPC
		eventRPC
		imageRPC
		kernelRPC
		metaRPC
		secretRPC
		socketRPC
		statRPC
	}
)

// Rest refuses what no noun serves. The list of package served answers first,
// with the reason.
type Rest struct{ rest }

type rest struct {
	machinepb.UnimplementedMachineServiceServer
}

// Needs are what the calls work on.
type Needs struct {
	Log      *slog.Logger
	Engine   *resource.Engine
	Services *service.Supervisor
	Ends     *lifecycle.Ends
	Logs     *log.Store
	// Meta is the path of META.
	Meta string
	// Reached is told from where an administrator called.
	Reached func(from netip.Addr)
	// SharedKernel is true where the kernel is not the node's own.
	SharedKernel bool
}

// Calls are the wired calls. Make them with New.
type Calls struct {
	Parts
	needs  Needs
	events *event.Ring
	meta   *meta.Store
	apid   *grpc.ClientConn
	audit  *audit.Trail
	export *export.Exporter
}

// New wires the calls.
func New(needs Needs) (*Calls, error) {
	store, err := meta.Open(needs.Meta)
	if err != nil {
		return nil, err
	}
	own, err := grpc.NewClient("unix://"+apid.LocalSocket, grpc.WithTransportCredentials(insecure.NewCredentials()), grpc.WithDisableServiceConfig())
	if err != nil {
		return nil, fmt.Errorf("connect to apid: %w", err)
	}
	c := &Calls{needs: needs, events: event.NewRing(time.Now), meta: store, apid: own}
	c.export = export.New(needs.Log)
	c.audit = audit.New(audit.Options{Log: needs.Log, Now: time.Now, Export: c.export.Audit})
	needs.Ends.Publish = c.events.Publish
	c.Parts = Parts{
		containerRPC: container.RPC{Engine: container.Containerd{Connect: containerd.Connect}},
		eventRPC:     event.RPC{Ring: c.events},
		imageRPC:     image.RPC{Engine: c.images()},
		kernelRPC:    kernel.RPC{Shared: needs.SharedKernel, Booted: kernel.Booted()},
		metaRPC:      meta.RPC{Store: store},
		secretRPC:    secret.RPC{Engine: needs.Engine, Now: time.Now},
		socketRPC:    socket.RPC{Proc: "/proc", Named: "/run/netns"},
		statRPC:      stat.RPC{Proc: "/proc", Sys: "/sys"},
	}
	return c, nil
}

// Start adds reconcilers to the engine and tells of what happens until ctx ends.
func (c *Calls) Start(ctx context.Context) error {
	if err := c.needs.Engine.Add(c.meta.Reconciler(), lifecycle.Teller(c.events.Publish), config.Teller(document.Container, c.events.Publish)); err != nil {
		return fmt.Errorf("add to engine: %w", err)
	}
	go service.Tell(ctx, c.needs.Services, c.events.Publish)
	c.needs.Logs.SetTap(c.export.Line)
	// Without a place for its records the node goes on; they wait in memory.
	if err := c.audit.Open(audit.Folder, audit.HeadsFolder); err != nil {
		c.needs.Log.Error("audit trail is not on disk", "error", err)
	}
	go c.audit.Run(ctx)
	go func() {
		// It ends with the node.
		_ = c.events.Follow(ctx, event.Tail{Count: -1}, func(e *machinepb.Event) error {
			c.export.Event(e)
			return nil
		})
	}()
	return nil
}

// Export sends logs and events to servers.
func (c *Calls) Export() *export.Exporter { return c.export }

// Wipes keeps what a reset has to wipe.
func (c *Calls) Wipes() lifecycle.Wipes { return meta.Wipes{Store: c.meta} }

// Erase ends the audit trail and the sending of logs, and wipes what a reset asked for; nothing else may
// run.
func (c *Calls) Erase() {
	c.audit.Close()
	c.export.Close()
	if err := lifecycle.Erase(c.Wipes(), lifecycle.Folders, c.needs.Log); err != nil {
		c.needs.Log.Error("reset is not complete: it goes on at the next start", "error", err)
	}
}

// Resume goes on with a reset that was cut short, before anything else is done.
func Resume(path string, log *slog.Logger) error {
	store, err := meta.Open(path)
	if err != nil {
		return err
	}
	return lifecycle.Erase(meta.Wipes{Store: store}, lifecycle.Folders, log)
}

// Booting, Booted and ConfigRefused tell of the node's start, which nobody asked
// for.
func (c *Calls) Booting() {
	c.events.Publish("", &machinepb.SequenceEvent{Sequence: "boot", Action: machinepb.SequenceEvent_START})
}

// Booted tells that the start has ended, with the reason if it failed.
func (c *Calls) Booted(err error) {
	event := &machinepb.SequenceEvent{Sequence: "boot", Action: machinepb.SequenceEvent_STOP}
	if err != nil {
		event.Error = &commonpb.Error{Message: err.Error()}
	}
	c.events.Publish("", event)
}

// ConfigRefused tells that the stored config is not taken.
func (c *Calls) ConfigRefused(err error) {
	c.events.Publish("", &machinepb.ConfigLoadErrorEvent{Error: err.Error()})
}

func (c *Calls) images() image.Containerd {
	return image.Containerd{Connect: containerd.Connect, Hosts: runner.HostsFolder}
}

// health checks the cluster by way of apid, for whoever asks.
func (c *Calls) health() cluster.Health {
	return cluster.Health{API: c.apid, Kubernetes: func(url string) (health.Kubernetes, error) {
		api, err := kube.Client()
		if err == nil && url != "" {
			api = api.At(url)
		}
		return api, err
	}}
}

// Servers are all services of the contract with what serves them here.
func (c *Calls) Servers(machine machinepb.MachineServiceServer) []served.Server {
	return []served.Server{
		{Service: &machinepb.MachineService_ServiceDesc, Server: machine},
		{Service: &resourcepb.State_ServiceDesc, Server: state.New(c.needs.Engine, trust.Resources)},
		{Service: &clusterpb.ClusterService_ServiceDesc, Server: c.health()},
		{Service: &ichorpb.Audit_ServiceDesc, Server: audit.RPC{Trail: c.audit}},
		{Service: &ichorpb.AuditIntake_ServiceDesc, Server: audit.Intake{Trail: c.audit}},
		{Service: &inspectpb.InspectService_ServiceDesc, Server: inspect.Service{Engine: c.needs.Engine}},
		{Service: &machinepb.DebugService_ServiceDesc, Server: machinepb.UnimplementedDebugServiceServer{}},
		{Service: &machinepb.ImageService_ServiceDesc, Server: image.Service{Engine: c.images()}},
		{Service: &machinepb.LVMService_ServiceDesc, Server: machinepb.UnimplementedLVMServiceServer{}},
		{Service: &machinepb.LifecycleService_ServiceDesc, Server: lifecycle.Service{}},
		{Service: &machinepb.MDService_ServiceDesc, Server: machinepb.UnimplementedMDServiceServer{}},
		{Service: &machinepb.StorageService_ServiceDesc, Server: mount.Storage{}},
		{Service: &storagepb.StorageService_ServiceDesc, Server: disk.Service{Sys: "/sys"}},
		{Service: &timepb.TimeService_ServiceDesc, Server: clock.Service{Engine: c.needs.Engine}},
	}
}

// NewServer makes the server that apid calls. Who may call is decided first,
// then whether the method is served at all.
func (c *Calls) NewServer(mode func() access.Mode, machine machinepb.MachineServiceServer) *grpc.Server {
	gate := access.Gate{
		Believe: func(peer access.Peer) bool { return peer.UID == trust.APIDUID },
		Mode:    mode,
		Passed: func(ctx context.Context, roles access.Set) {
			if roles.Has(access.Admin) {
				c.needs.Reached(access.Source(ctx))
			}
		},
	}
	server := grpc.NewServer(
		grpc.Creds(access.LocalCredentials()),
		grpc.ChainUnaryInterceptor(gate.Unary, served.Unary),
		grpc.ChainStreamInterceptor(gate.Stream, served.Stream),
		grpc.MaxRecvMsgSize(maxMessage),
		grpc.MaxSendMsgSize(maxMessage),
	)
	for _, s := range c.Servers(machine) {
		server.RegisterService(s.Service, s.Server)
	}
	return server
}
