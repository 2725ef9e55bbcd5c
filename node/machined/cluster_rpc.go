package machined

import (
	"context"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/types/known/emptypb"

	commonpb "github.com/ichor-os/ichor/api/common"
	machinepb "github.com/ichor-os/ichor/api/machine"
	"github.com/ichor-os/ichor/node/etcd"
	"github.com/ichor-os/ichor/pki"
	"github.com/ichor-os/ichor/pki/kubeconfig"
)

// guardTimeout bounds the look for an etcd elsewhere before one is made here.
const guardTimeout = 3 * time.Second

// clusterRPC serves the methods of MachineService about the cluster.
type clusterRPC struct{ cluster *cluster }

// Bootstrap implements MachineService. Repeating it on the node that made the
// cluster changes nothing.
func (r clusterRPC) Bootstrap(ctx context.Context, in *machinepb.BootstrapRequest) (*machinepb.BootstrapResponse, error) {
	c := r.cluster
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.settings == nil {
		return nil, status.Error(codes.FailedPrecondition, "the node has no config yet: apply one first")
	}
	if !c.settings.controlPlane {
		return nil, status.Error(codes.FailedPrecondition, "a worker runs no etcd: bootstrap a control plane node")
	}
	if in.GetRecoverEtcd() {
		return nil, status.Error(codes.Unimplemented, "recovering etcd from a snapshot is not there yet")
	}
	has, err := etcd.HasData()
	if err != nil {
		return nil, status.Errorf(codes.Internal, "look at etcd data: %v", err)
	}
	if has && !c.asked {
		return nil, status.Error(codes.AlreadyExists, "etcd data is there already: this node is a member of a cluster")
	}
	if c.asked {
		return &machinepb.BootstrapResponse{Messages: []*machinepb.Bootstrap{{}}}, nil
	}
	if len(c.peers) > 0 {
		return nil, status.Errorf(codes.FailedPrecondition, "this node joins the etcd of %v: there is nothing to bootstrap", c.peers)
	}
	// Where the endpoint answers there is a cluster already.
	bounded, cancel := context.WithTimeout(ctx, guardTimeout)
	defer cancel()
	if others, err := c.otherControlPlanes(bounded, c.settings); err == nil && len(others) > 0 {
		return nil, status.Errorf(codes.FailedPrecondition, "the cluster has an etcd already, at %v: this node will join it", others)
	}
	c.asked = true
	close(c.bootstrap)
	return &machinepb.BootstrapResponse{Messages: []*machinepb.Bootstrap{{}}}, nil
}

// Kubeconfig implements MachineService: an administrator's, newly signed.
func (r clusterRPC) Kubeconfig(_ *emptypb.Empty, stream grpc.ServerStreamingServer[commonpb.Data]) error {
	r.cluster.mu.Lock()
	s := r.cluster.settings
	r.cluster.mu.Unlock()
	if s == nil || !s.controlPlane {
		return status.Error(codes.FailedPrecondition, "only a control plane node can sign a kubeconfig: name one as the endpoint")
	}
	authority, err := pki.LoadAuthority(s.kube.CA)
	if err != nil {
		return status.Errorf(codes.Internal, "load Kubernetes CA: %v", err)
	}
	pair, err := authority.Issue(pki.ECDSAP256, pki.Template{
		CommonName: "admin", Organizations: []string{"system:masters"}, Usages: pki.ClientAuth, Lifetime: s.adminLifetime,
	})
	if err != nil {
		return status.Errorf(codes.Internal, "sign kubeconfig: %v", err)
	}
	config, err := kubeconfig.NewAdmin(kubeconfig.Admin{Cluster: s.kube.ClusterName, Server: s.kube.Endpoint, CA: s.kube.CA.Crt, Client: pair})
	if err != nil {
		return status.Errorf(codes.Internal, "make kubeconfig: %v", err)
	}
	text, err := config.Encode()
	if err != nil {
		return status.Errorf(codes.Internal, "make kubeconfig: %v", err)
	}
	archive, err := tarball("kubeconfig", text)
	if err != nil {
		return status.Errorf(codes.Internal, "pack kubeconfig: %v", err)
	}
	return stream.Send(&commonpb.Data{Bytes: archive})
}
