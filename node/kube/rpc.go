package kube

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"context"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/types/known/emptypb"

	commonpb "github.com/ichor-os/ichor/api/common"
	configspec "github.com/ichor-os/ichor/node/config/spec"
	secretspec "github.com/ichor-os/ichor/node/secret/spec"
	"github.com/ichor-os/ichor/pki"
	"github.com/ichor-os/ichor/pki/kubeconfig"
	"github.com/ichor-os/ichor/resource"
)

// RPC serves the method of MachineService about access to Kubernetes.
type RPC struct {
	// View reads the node's resources.
	View func(ctx context.Context, fn func(*resource.Session) error) error
}

// Kubeconfig implements MachineService: an administrator's, newly signed.
func (r RPC) Kubeconfig(_ *emptypb.Empty, stream grpc.ServerStreamingServer[commonpb.Data]) error {
	var root secretspec.KubernetesRootSecretSpec
	lifetime := pki.AdminLifetime
	err := r.View(stream.Context(), func(s *resource.Session) error {
		c, ok, err := configspec.Config(s)
		if err != nil {
			return err
		}
		root, _ = secretspec.KubernetesRootSecrets.Get(s, "k8s")
		if ok && c.Main() != nil && c.Main().Cluster != nil && c.Main().Cluster.AdminKubeconfig != nil {
			lifetime = orDefault(c.Main().Cluster.AdminKubeconfig.CertLifetime, lifetime)
		}
		return nil
	})
	if err != nil {
		return status.Errorf(codes.Internal, "sign kubeconfig: %v", err)
	}
	if root.IssuingCA == nil || len(root.IssuingCA.Key) == 0 {
		return status.Error(codes.FailedPrecondition, "only a control plane node can sign a kubeconfig: name one as the node")
	}
	text, err := adminKubeconfig(root, lifetime)
	if err != nil {
		return status.Errorf(codes.Internal, "sign kubeconfig: %v", err)
	}
	archive, err := tarball("kubeconfig", text)
	if err != nil {
		return status.Errorf(codes.Internal, "pack kubeconfig: %v", err)
	}
	return stream.Send(&commonpb.Data{Bytes: archive})
}

func adminKubeconfig(root secretspec.KubernetesRootSecretSpec, lifetime time.Duration) ([]byte, error) {
	authority, err := pki.LoadAuthority(pki.Pair{Crt: root.IssuingCA.Crt, Key: root.IssuingCA.Key})
	if err != nil {
		return nil, err
	}
	pair, err := authority.Issue(pki.ECDSAP256, pki.Template{
		CommonName: "admin", Organizations: []string{"system:masters"}, Usages: pki.ClientAuth, Lifetime: lifetime,
	})
	if err != nil {
		return nil, err
	}
	config, err := kubeconfig.NewAdmin(kubeconfig.Admin{Cluster: root.Name, Server: root.Endpoint.String(), CA: bundle(root.AcceptedCAs), Client: pair})
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
