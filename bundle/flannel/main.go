// Flanneld joins the pod networks of all nodes: it leases this node's subnet
// from the Kubernetes API, programs the routes to the other nodes' subnets, and
// writes what the CNI plugin needs to a file.
//
// It is a main of our own over flannel's packages. The stock one links the
// backends of clouds, and it exits on a node without iptables even when it is
// told to use nftables. This one has the backends vxlan, host-gw, wireguard and
// alloc, and takes leases from Kubernetes only, not from an etcd of its own.
package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"os/signal"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/flannel-io/flannel/pkg/backend"
	_ "github.com/flannel-io/flannel/pkg/backend/alloc"
	_ "github.com/flannel-io/flannel/pkg/backend/hostgw"
	_ "github.com/flannel-io/flannel/pkg/backend/vxlan"
	_ "github.com/flannel-io/flannel/pkg/backend/wireguard"
	"github.com/flannel-io/flannel/pkg/subnet"
	"github.com/flannel-io/flannel/pkg/subnet/kube"
	"github.com/flannel-io/flannel/pkg/version"
	"k8s.io/klog/v2"
)

func main() {
	o, err := parseOptions(os.Args[1:], os.LookupEnv)
	if err != nil {
		fmt.Fprintln(os.Stderr, "flanneld:", err)
		os.Exit(2)
	}
	if o.version {
		fmt.Println(version.Version)
		return
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, o); err != nil && !errors.Is(err, context.Canceled) {
		klog.ErrorS(err, "flanneld ends")
		klog.Flush()
		os.Exit(1)
	}
	klog.InfoS("flanneld ends: was asked to")
}

// run works until ctx ends. A failure of any part ends the others, because a
// node with half a network looks healthy and is not.
func run(ctx context.Context, o options) error {
	ctx, cancel := context.WithCancel(ctx)
	var background sync.WaitGroup
	defer background.Wait()
	defer cancel()

	var ready atomic.Bool
	failed := make(chan error, 1)
	if o.healthzPort > 0 {
		server := &http.Server{Addr: o.healthzAddress(), Handler: health(&ready), ReadHeaderTimeout: 5 * time.Second}
		background.Go(func() {
			if err := server.ListenAndServe(); !errors.Is(err, http.ErrServerClosed) {
				failed <- fmt.Errorf("serve health: %s: %w", server.Addr, err)
				cancel()
			}
		})
		defer server.Close()
	}

	leases, err := kube.NewSubnetManager(ctx, o.kubeAPI, o.kubeconfig, o.annotationPrefix, o.networkConfig, o.setNodeNetworkUnavailable)
	if err != nil {
		return fmt.Errorf("connect to the Kubernetes API: %w", err)
	}
	config, err := networkConfig(ctx, leases)
	if err != nil {
		return err
	}
	external, err := externalInterface(ctx, o, config, leases)
	if err != nil {
		return err
	}
	network, err := register(ctx, &background, leases, external, config)
	if err != nil {
		return err
	}
	if err := setUpRules(ctx, o, config, network.Lease()); err != nil {
		return err
	}
	if err := leases.HandleSubnetFile(o.subnetFile, config, o.ipMasq, network.Lease().Subnet, network.Lease().IPv6Subnet, network.MTU()); err != nil {
		return fmt.Errorf("write subnet file: %s: %w", o.subnetFile, err)
	}
	background.Go(func() { network.Run(ctx) })
	if err := leases.CompleteLease(ctx, network.Lease(), &background); err != nil {
		return fmt.Errorf("report the network as up: %w", err)
	}
	ready.Store(true)
	klog.InfoS("network is up", "backend", config.BackendType, "subnet", network.Lease().Subnet, "subnetIPv6", network.Lease().IPv6Subnet, "mtu", network.MTU())

	<-ctx.Done()
	select {
	case err := <-failed:
		return err
	default:
		return ctx.Err()
	}
}

// configPoll is how often the network's configuration is asked for until it is
// there.
const configPoll = time.Second

func networkConfig(ctx context.Context, leases subnet.Manager) (*subnet.Config, error) {
	for {
		config, err := leases.GetNetworkConfig(ctx)
		if err == nil && config != nil {
			return config, nil
		}
		klog.ErrorS(err, "network configuration is not usable yet; trying again")
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(configPoll):
		}
	}
}

func register(ctx context.Context, background *sync.WaitGroup, leases subnet.Manager, external *backend.ExternalInterface, config *subnet.Config) (backend.Network, error) {
	chosen, err := backend.NewManager(ctx, leases, external).GetBackend(config.BackendType)
	if err != nil {
		return nil, fmt.Errorf("choose backend: %s: %w; this flanneld has vxlan, host-gw, wireguard and alloc", config.BackendType, err)
	}
	network, err := chosen.RegisterNetwork(ctx, background, config)
	if err != nil {
		return nil, fmt.Errorf("set up backend: %s: %w", config.BackendType, err)
	}
	return network, nil
}

// health answers /healthz as long as the process runs, and /readyz once pods
// can be attached.
func health(ready *atomic.Bool) http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("/healthz", func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprintln(w, "ok")
	})
	mux.HandleFunc("/readyz", func(w http.ResponseWriter, _ *http.Request) {
		if !ready.Load() {
			http.Error(w, "network is not up yet", http.StatusServiceUnavailable)
			return
		}
		fmt.Fprintln(w, "ok")
	})
	return mux
}
