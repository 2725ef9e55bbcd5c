package kube

import (
	"archive/tar"
	"bytes"
	"compress/gzip"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/types/known/emptypb"

	commonpb "github.com/ichor-os/ichor/api/common"
	"github.com/ichor-os/ichor/pki"
	"github.com/ichor-os/ichor/pki/kubeconfig"
)

// RPC serves the method of MachineService about access to Kubernetes.
type RPC struct {
	// ControlPlane of this node, or nil on one without.
	ControlPlane func() *ControlPlane
}

// Kubeconfig implements MachineService: an administrator's, newly signed.
func (r RPC) Kubeconfig(_ *emptypb.Empty, stream grpc.ServerStreamingServer[commonpb.Data]) error {
	c := r.ControlPlane()
	if c == nil {
		return status.Error(codes.FailedPrecondition, "only a control plane node can sign a kubeconfig: name one as the node")
	}
	text, err := adminKubeconfig(c.Settings)
	if err != nil {
		return status.Errorf(codes.Internal, "sign kubeconfig: %v", err)
	}
	archive, err := tarball("kubeconfig", text)
	if err != nil {
		return status.Errorf(codes.Internal, "pack kubeconfig: %v", err)
	}
	return stream.Send(&commonpb.Data{Bytes: archive})
}

func adminKubeconfig(s Settings) ([]byte, error) {
	authority, err := pki.LoadAuthority(s.CA)
	if err != nil {
		return nil, err
	}
	pair, err := authority.Issue(pki.ECDSAP256, pki.Template{
		CommonName: "admin", Organizations: []string{"system:masters"}, Usages: pki.ClientAuth, Lifetime: s.AdminLifetime,
	})
	if err != nil {
		return nil, err
	}
	config, err := kubeconfig.NewAdmin(kubeconfig.Admin{Cluster: s.ClusterName, Server: s.Endpoint, CA: s.CA.Crt, Client: pair})
	if err != nil {
		return nil, err
	}
	return config.Encode()
}

// tarball packs one file as clients expect the kubeconfig.
func tarball(name string, content []byte) ([]byte, error) {
	var buffer bytes.Buffer
	zipped := gzip.NewWriter(&buffer)
	archive := tar.NewWriter(zipped)
	if err := archive.WriteHeader(&tar.Header{Name: name, Mode: 0o600, Size: int64(len(content)), Typeflag: tar.TypeReg}); err != nil {
		return nil, err
	}
	if _, err := archive.Write(content); err != nil {
		return nil, err
	}
	if err := archive.Close(); err != nil {
		return nil, err
	}
	if err := zipped.Close(); err != nil {
		return nil, err
	}
	return buffer.Bytes(), nil
}
