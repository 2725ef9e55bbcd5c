package blocks

import (
	"context"
	"errors"
	"net/netip"
	"os"

	"github.com/ichor-os/ichor/node/etcd"
	"github.com/ichor-os/ichor/node/file"
	filespec "github.com/ichor-os/ichor/node/file/spec"
	"github.com/ichor-os/ichor/node/kube"
	"github.com/ichor-os/ichor/node/kube/addons"
	"github.com/ichor-os/ichor/node/kube/client"
	kubenode "github.com/ichor-os/ichor/node/kube/node"
	"github.com/ichor-os/ichor/node/kubelet"
	"github.com/ichor-os/ichor/node/secret"
	"github.com/ichor-os/ichor/node/service"
	"github.com/ichor-os/ichor/node/service/container"
	"github.com/ichor-os/ichor/resource"
)

// Kubernetes is the node's part in a cluster.
type Kubernetes struct {
	Member  *etcd.Member
	control *kube.ControlPlane
	agent   *kubelet.Agent
	needs   Needs
}

func write(files []filespec.File) error {
	_, err := file.Write(files)
	return err
}

// NewKubernetes makes the node's part in a cluster: it does nothing until a
// config asks for it.
func NewKubernetes(n Needs) (*Kubernetes, error) {
	k := &Kubernetes{needs: n}
	k.control = &kube.ControlPlane{Write: write, Folder: kubelet.Manifests, Log: n.Log}
	k.agent = &kubelet.Agent{
		Write: write, Log: n.Log, Namespaced: n.SharedKernel, Folders: kubelet.Folders,
		Service: supervised{n.Services, "kubelet"},
	}
	k.Member = &etcd.Member{
		Write: write, Log: n.Log, Service: supervised{n.Services, "etcd"},
		Others: func(ctx context.Context) ([]netip.Addr, error) { return k.control.Others(ctx, n.View) },
	}
	return k, k.control.Clean()
}

// blocks are the blocks of Kubernetes on a node.
func (k *Kubernetes) blocks() []resource.Block {
	more := &addons.Addons{Client: kube.Client, Write: write, Log: k.needs.Log, Namespaced: k.needs.SharedKernel}
	node := &kubenode.Node{Client: k.client, Admin: kube.Client, View: k.needs.View, MaySetItself: kubelet.MaySetItself, Log: k.needs.Log}
	all := secret.Blocks()
	for _, more := range [][]resource.Block{k.agent.Blocks(), k.Member.Blocks(), k.control.Blocks(), more.Blocks(), node.Blocks()} {
		all = append(all, more...)
	}
	return all
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

// supervised is a service by its id.
type supervised struct {
	services *service.Supervisor
	id       string
}

// Start implements the nouns' interface.
func (s supervised) Start() error { return s.services.Start(s.id) }

// Stop implements the nouns' interface.
func (s supervised) Stop(ctx context.Context) error { return s.services.Stop(ctx, s.id) }

// Restart implements the nouns' interface.
func (s supervised) Restart(ctx context.Context) error {
	if err := s.Stop(ctx); err != nil {
		return err
	}
	return s.Start()
}

// Services are etcd and kubelet, which start when a config asks for them.
func (k *Kubernetes) Services() []service.Service {
	return []service.Service{
		{
			ID:    "etcd",
			Needs: []string{"containerd"},
			// Who ended the machine can follow that while these stop.
			Uses: []string{"apid"},
			Conditions: []service.Condition{{
				Name: "bootstrap, a cluster to join, or etcd data of an earlier start",
				Wait: k.Member.Await,
			}},
			Pre:    func(context.Context) error { return errors.Join(etcd.MakeDataFolder(), kube.MakeAuditFolder()) },
			Runner: &container.Runner{Spec: k.Member.Container, Output: k.needs.Output("etcd")},
			Health: &service.Health{Check: k.Member.Healthy},
		},
		{
			ID:     "kubelet",
			Needs:  []string{"containerd"},
			Uses:   []string{"etcd", "apid"},
			Runner: &withPods{needs: k.needs, Runner: &container.Runner{Spec: k.agent.Container, Output: k.needs.Output("kubelet")}},
			Health: &service.Health{Check: kubelet.Healthy},
		},
	}
}

// withPods runs kubelet and, when the machine goes down, ends what it started.
type withPods struct {
	service.Runner
	needs Needs
}

// Run implements service.Runner.
func (w *withPods) Run(ctx context.Context, started func(what string)) error {
	err := w.Runner.Run(ctx, started)
	if w.needs.Ending() {
		err = errors.Join(err, kubelet.EndPods(w.needs.ProcessesBelow))
	}
	return err
}
