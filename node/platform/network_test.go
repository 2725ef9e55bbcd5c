package platform

import (
	"context"
	"net/netip"
	"path/filepath"
	"testing"

	linkspec "github.com/ichor-os/ichor/node/link/spec"
	"github.com/ichor-os/ichor/resource"
	"github.com/ichor-os/ichor/resource/value"
)

func TestReconcileNetwork_PutsTheMetadataIntoThePlatformLayer(t *testing.T) {
	engine := resource.New(resource.Options{})
	if err := engine.Add(resource.Reconciler("platform-network", ReconcileNetwork)); err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- engine.Run(ctx) }()
	defer func() { stop(); <-ended }()
	err := Publish(ctx, engine, "container", Metadata{
		Hostname: "n1", Link: "eth0", Gateway: netip.MustParseAddr("fd00:5::1"),
		Addresses: []netip.Prefix{netip.MustParsePrefix("10.5.0.2/24"), netip.MustParsePrefix("fd00:5::2/64")},
	}, filepath.Join(t.TempDir(), "machine-id"))
	if err != nil {
		t.Fatal(err)
	}
	if err := engine.Settled(ctx); err != nil {
		t.Fatal(err)
	}
	err = engine.View(ctx, func(s *resource.Session) error {
		l, ok := linkspec.LinkSpecs.In(linkspec.Config).Get(s, "platform/eth0")
		if !ok || !l.Up || l.Logical || l.Layer != value.LayerPlatform {
			t.Errorf("link is %+v, %t; want eth0 up", l, ok)
		}
		for id, family := range map[string]value.Family{
			"platform/eth0/10.5.0.2/24": value.FamilyInet4, "platform/eth0/fd00:5::2/64": value.FamilyInet6,
		} {
			a, ok := linkspec.AddressSpecs.In(linkspec.Config).Get(s, id)
			if !ok || a.Family != family || a.LinkName != "eth0" {
				t.Errorf("address %s is %+v, %t", id, a, ok)
			}
		}
		r, ok := linkspec.RouteSpecs.In(linkspec.Config).Get(s, "platform/inet6/fd00:5::1//1024")
		if !ok || r.OutLinkName != "eth0" || r.Table != linkspec.RoutingTableMain {
			t.Errorf("default route is %+v, %t", r, ok)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}
