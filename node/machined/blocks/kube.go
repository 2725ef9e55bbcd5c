package blocks

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"net/netip"
	"os"

	"github.com/ichor-os/ichor/config"
	"github.com/ichor-os/ichor/node/cluster"
	"github.com/ichor-os/ichor/node/etcd"
	"github.com/ichor-os/ichor/node/file"
	filespec "github.com/ichor-os/ichor/node/file/spec"
	"github.com/ichor-os/ichor/node/kube"
	"github.com/ichor-os/ichor/node/kube/addons"
	"github.com/ichor-os/ichor/node/kube/client"
	kubenode "github.com/ichor-os/ichor/node/kube/node"
	"github.com/ichor-os/ichor/node/kubelet"
	"github.com/ichor-os/ichor/node/machined/host"
	"github.com/ichor-os/ichor/node/secret"
	"github.com/ichor-os/ichor/node/service"
	"github.com/ichor-os/ichor/node/service/container"
	servicespec "github.com/ichor-os/ichor/node/service/spec"
	"github.com/ichor-os/ichor/node/vip"
	"github.com/ichor-os/ichor/resource"
)

// Outside is what Kubernetes on a node needs of the outside.
type Outside struct {
	Log      *slog.Logger
	Services *service.Supervisor
	Engine   *resource.Engine
	Host     *host.Host
	// Output takes what a service prints.
	Output func(service string) io.Writer
	// Discover lets a membership agree with the other nodes.
	Discover func(*etcd.Membership) error
	// Ending says that the machine goes down.
	Ending func() bool
	// ProcessesBelow lists the processes of a control group and of those in it.
	ProcessesBelow func(group string) ([]int, error)
	SharedKernel   bool
}

// Refused are what says of a config that Kubernetes could not run with it.
var Refused = []func(*config.Config) error{etcd.Refused, kube.Refused, kubelet.Refused}

// Kubernetes is the node's part in a cluster.
type Kubernetes struct {
	Member  *etcd.Member
	control *kube.ControlPlane
	agent   *kubelet.Agent
	shared  *vip.VIPs
	outside Outside
}

func write(files []filespec.File) error {
	_, err := file.Write(files)
	return err
}

// NewKubernetes makes the node's part in a cluster: it does nothing until a
// config asks for it.
func NewKubernetes(o Outside) *Kubernetes {
	k := &Kubernetes{outside: o}
	k.control = &kube.ControlPlane{Write: write, Folder: kubelet.Manifests, Log: o.Log}
	k.agent = &kubelet.Agent{
		Write: write, Log: o.Log, Namespaced: o.SharedKernel, Folders: kubelet.Folders, Service: supervised{o.Services, k.kubelet},
	}
	k.Member = &etcd.Member{
		Write: write, Log: o.Log, Service: supervised{o.Services, k.etcd}, Prepare: o.Discover,
		Others: func(ctx context.Context) ([]netip.Addr, error) { return k.control.Others(ctx, o.Engine.View) },
	}
	return k
}

// Clean takes away what an earlier start of the node left.
func (k *Kubernetes) Clean() error { return k.control.Clean() }

// Stop gives up what other control planes can take over; etcd still runs. A node
// that ends before it has begun has nothing of that.
func (k *Kubernetes) Stop(ctx context.Context) {
	if k != nil && k.shared != nil {
		k.shared.Stop(ctx)
	}
}

// blocks are the blocks of Kubernetes on a node.
func (k *Kubernetes) blocks() []resource.Block {
	more := &addons.Addons{Client: kube.Client, Write: write, Log: k.outside.Log, Namespaced: k.outside.SharedKernel}
	node := &kubenode.Node{Client: k.client, Admin: kube.Client, View: k.outside.Engine.View, MaySetItself: kubelet.MaySetItself, Log: k.outside.Log}
	k.shared = &vip.VIPs{
		Log: k.outside.Log, Self: self, Answers: vip.Serves,
		Elect: func(address netip.Addr) vip.Election {
			return &etcd.Lock{Client: etcd.Local(), Key: "/ichor/vip/" + address.String(), Self: self(), Life: int64(vip.Lease.Seconds())}
		},
	}
	all := secret.Blocks()
	for _, more := range [][]resource.Block{k.shared.Blocks(), k.agent.Blocks(), k.Member.Blocks(), k.control.Blocks(), more.Blocks(), node.Blocks()} {
		all = append(all, more...)
	}
	return all
}

// self is the node's id; without one it is elected by none.
func self() string {
	identity, err := cluster.Identity(cluster.IdentityFile)
	if err != nil {
		return ""
	}
	return identity.NodeID
}

// client has an administrator's rights where the node has them, and kubelet's
// otherwise.
func (k *Kubernetes) client() (*client.Client, error) {
	api, err := kube.Client()
	if err == nil || !errors.Is(err, os.ErrNotExist) {
		return api, err
	}
	text, err := os.ReadFile(kubelet.KubeconfigPath)
	if err != nil {
		return nil, err
	}
	return client.New(text)
}

// supervised is a service that is registered when it starts first: a node shows
// only those that it needs.
type supervised struct {
	services *service.Supervisor
	describe func() service.Service
}

// Start implements the nouns' interface.
func (s supervised) Start() error {
	described := s.describe()
	if _, err := s.services.Get(described.ID); errors.Is(err, service.ErrUnknown) {
		if err := s.services.Add(described); err != nil {
			return err
		}
	}
	return s.services.Start(described.ID)
}

// Stop implements the nouns' interface.
func (s supervised) Stop(ctx context.Context) error {
	err := s.services.Stop(ctx, s.describe().ID)
	if errors.Is(err, service.ErrUnknown) {
		return nil
	}
	return err
}

// Restart implements the nouns' interface.
func (s supervised) Restart(ctx context.Context) error {
	if err := s.Stop(ctx); err != nil {
		return err
	}
	return s.Start()
}

// run is a container with the environment of services.
func (k *Kubernetes) run(id string, describe func() (servicespec.Container, error)) *container.Runner {
	return &container.Runner{Output: k.outside.Output(id), Spec: func() (servicespec.Container, error) {
		c, err := describe()
		return k.outside.Host.Container(c), err
	}}
}

func (k *Kubernetes) etcd() service.Service {
	return service.Service{
		ID:    "etcd",
		Needs: []string{"containerd"},
		// Who ended the machine can follow that while these stop.
		Uses: []string{"apid"},
		Conditions: []service.Condition{{
			Name: "bootstrap, a cluster to join, or etcd data of an earlier start",
			Wait: k.Member.Await,
		}},
		Pre:    func(context.Context) error { return errors.Join(etcd.MakeDataFolder(), kube.MakeAuditFolder()) },
		Runner: k.run("etcd", k.Member.Container),
		Health: &service.Health{Check: k.Member.Healthy},
	}
}

func (k *Kubernetes) kubelet() service.Service {
	return service.Service{
		ID:    "kubelet",
		Needs: []string{"containerd"},
		Uses:  []string{"etcd", "apid"},
		Conditions: []service.Condition{{
			Name: "the Kubernetes API to take the node in",
			Wait: k.agent.AwaitJoin,
		}},
		Runner: &withPods{outside: k.outside, Runner: k.run("kubelet", k.agent.Container)},
		Health: &service.Health{Check: kubelet.Healthy},
	}
}

// withPods runs kubelet and, when the machine goes down, ends what it started.
type withPods struct {
	service.Runner
	outside Outside
}

// Run implements service.Runner.
func (w *withPods) Run(ctx context.Context, started func(what string)) error {
	err := w.Runner.Run(ctx, started)
	if w.outside.Ending() {
		err = errors.Join(err, kubelet.EndPods(w.outside.ProcessesBelow))
	}
	return err
}
