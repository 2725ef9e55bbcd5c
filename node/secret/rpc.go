// Package secret issues what the node's authorities sign for others: here, the
// configuration of a client of the node API.
package secret

import (
	"context"
	"encoding/base64"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	machinepb "github.com/ichor-os/ichor/api/machine"
	machineconfig "github.com/ichor-os/ichor/config"
	configspec "github.com/ichor-os/ichor/node/config/spec"
	linkspec "github.com/ichor-os/ichor/node/link/spec"
	"github.com/ichor-os/ichor/pki"
	"github.com/ichor-os/ichor/pki/talosconfig"
	"github.com/ichor-os/ichor/resource"
)

// RPC serves the method of MachineService about client configurations.
type RPC struct {
	Engine *resource.Engine
	// Now is time.Now, or a test's.
	Now func() time.Time
}

// GenerateClientConfiguration implements MachineService: a certificate with
// exactly the roles asked for. Without a life it lasts a year.
func (r RPC) GenerateClientConfiguration(ctx context.Context, in *machinepb.GenerateClientConfigurationRequest) (*machinepb.GenerateClientConfigurationResponse, error) {
	roles, err := pki.ParseRoles(in.GetRoles())
	if err != nil {
		return nil, status.Errorf(codes.InvalidArgument, "generate client configuration: %v", err)
	}
	lifetime := pki.AdminLifetime
	if in.GetCrtTtl() != nil {
		lifetime = in.GetCrtTtl().AsDuration()
	}
	if lifetime <= 0 || lifetime > pki.AuthorityLifetime {
		return nil, status.Errorf(codes.InvalidArgument, "generate client configuration: life %s: it must be above 0 and at most %s", lifetime, pki.AuthorityLifetime)
	}
	config, addresses, err := r.known(ctx)
	if err != nil {
		return nil, err
	}
	main := config.Main()
	if main == nil || main.Machine == nil || main.Machine.CA == nil || len(main.Machine.CA.Key) == 0 {
		return nil, status.Error(codes.FailedPrecondition, "this node does not hold the key of the machine CA: ask a control plane node")
	}
	authority, err := pki.LoadAuthority(pki.Pair{Crt: main.Machine.CA.Crt, Key: main.Machine.CA.Key})
	if err != nil {
		return nil, status.Errorf(codes.Internal, "load machine CA: %v", err)
	}
	pair, err := authority.IssueClient(roles, lifetime, r.Now())
	if err != nil {
		return nil, status.Errorf(codes.Internal, "issue client certificate: %v", err)
	}
	ca := append([]byte{}, main.Machine.CA.Crt...)
	for _, accepted := range main.Machine.AcceptedCAs {
		ca = append(append(ca, '\n'), accepted.Crt...)
	}
	name := "default"
	if main.Cluster != nil && main.Cluster.ClusterName != "" {
		name = main.Cluster.ClusterName
	}
	text, err := encode(name, addresses, ca, pair)
	if err != nil {
		return nil, status.Errorf(codes.Internal, "write client configuration: %v", err)
	}
	return &machinepb.GenerateClientConfigurationResponse{Messages: []*machinepb.GenerateClientConfiguration{{
		Ca: ca, Crt: pair.Crt, Key: pair.Key, Talosconfig: text,
	}}}, nil
}

func encode(name string, addresses []string, ca []byte, pair pki.Pair) ([]byte, error) {
	config := &talosconfig.Config{Context: name}
	config.Set(name, &talosconfig.Context{
		Endpoints: addresses,
		CA:        base64.StdEncoding.EncodeToString(ca),
		Crt:       base64.StdEncoding.EncodeToString(pair.Crt),
		Key:       base64.StdEncoding.EncodeToString(pair.Key),
	})
	return config.Encode()
}

// known reads the config in force and the node's addresses.
func (r RPC) known(ctx context.Context) (*machineconfig.Config, []string, error) {
	var text []byte
	var addresses []string
	err := r.Engine.View(ctx, func(s *resource.Session) error {
		if active, ok := configspec.MachineConfigs.Get(s, configspec.Active); ok {
			text = active.Documents
		}
		if current, ok := linkspec.NodeAddresses.Get(s, "default"); ok {
			for _, prefix := range current.Addresses {
				addresses = append(addresses, prefix.Addr().String())
			}
		}
		return nil
	})
	if err != nil {
		return nil, nil, status.Errorf(codes.Internal, "read config: %v", err)
	}
	if text == nil {
		return nil, nil, status.Error(codes.FailedPrecondition, "this node has no config yet: apply one first")
	}
	config, err := machineconfig.Parse(text)
	if err != nil {
		return nil, nil, status.Errorf(codes.Internal, "read config: %v", err)
	}
	return config, addresses, nil
}
