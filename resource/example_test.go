package resource_test

import (
	"context"
	"fmt"
	"net/netip"

	"github.com/ichor-os/ichor/resource"
)

// EtcdSpec says how an etcd member is to be started.
type EtcdSpec struct {
	Name    string       `yaml:"name" protobuf:"1"`
	Listens []netip.Addr `yaml:"listens" protobuf:"2"`
}

// EtcdConfigSpec is what the machine config says of etcd.
type EtcdConfigSpec struct {
	Subnet netip.Prefix `yaml:"subnet" protobuf:"1"`
}

// AddressSpec lists a node's addresses.
type AddressSpec struct {
	Addresses []netip.Addr `yaml:"addresses" protobuf:"1"`
}

var (
	etcdConfigs = resource.Define[EtcdConfigSpec]("EtcdConfigs.example.ichor.dev",
		resource.Namespace("config"), resource.Singleton("etcd"))
	addresses = resource.Define[AddressSpec]("Addresses.example.ichor.dev",
		resource.Namespace("network"))
	etcdSpecs = resource.Define[EtcdSpec]("EtcdSpecs.example.ichor.dev",
		resource.Namespace("etcd"), resource.Singleton("etcd"),
		resource.Columns(resource.Column{Name: "Name", Path: "{.name}"}))
)

func reconcileEtcdSpec(_ context.Context, s *resource.Session) error {
	cfg, ok := etcdConfigs.Get(s)
	if !ok {
		return nil // nothing put: a spec of before is collected
	}
	node, ok := addresses.Get(s, "current")
	if !ok {
		return resource.Hold("waiting for the node's addresses")
	}
	spec := EtcdSpec{Name: "node-1"}
	for _, a := range node.Addresses {
		if cfg.Subnet.Contains(a) {
			spec.Listens = append(spec.Listens, a)
		}
	}
	etcdSpecs.Put(s, "", spec)
	return nil
}

func Example() {
	e := resource.New(resource.Options{})
	if err := e.Add(resource.Reconciler("etcd-spec", reconcileEtcdSpec)); err != nil {
		panic(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- e.Run(ctx) }()

	show := func(when string) {
		if err := e.Settled(ctx); err != nil {
			panic(err)
		}
		_ = e.View(ctx, func(s *resource.Session) error {
			spec, ok := etcdSpecs.Resource(s)
			if !ok {
				fmt.Printf("%s: no spec\n", when)
				return nil
			}
			fmt.Printf("%s: version %s, listens on %v\n", when, spec.Version, spec.Spec.Listens)
			return nil
		})
	}
	write := func(fn func(s *resource.Session)) {
		err := e.Commit(ctx, "example", func(s *resource.Session) error { fn(s); return nil })
		if err != nil {
			panic(err)
		}
	}
	a, b := netip.MustParseAddr("10.0.0.1"), netip.MustParseAddr("192.0.2.1")

	write(func(s *resource.Session) {
		etcdConfigs.Put(s, "", EtcdConfigSpec{Subnet: netip.MustParsePrefix("10.0.0.0/8")})
	})
	show("config alone")
	write(func(s *resource.Session) { addresses.Put(s, "current", AddressSpec{[]netip.Addr{a}}) })
	show("with addresses")
	write(func(s *resource.Session) { addresses.Put(s, "current", AddressSpec{[]netip.Addr{a, b}}) })
	show("one more, outside")
	write(func(s *resource.Session) { etcdConfigs.Delete(s) })
	show("config gone")

	stop()
	if err := <-ended; err != nil {
		panic(err)
	}
	// Output:
	// config alone: no spec
	// with addresses: version 1, listens on [10.0.0.1]
	// one more, outside: version 1, listens on [10.0.0.1]
	// config gone: no spec
}
