package kubeprism

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	clusterspec "github.com/ichor-os/ichor/node/cluster/spec"
	configspec "github.com/ichor-os/ichor/node/config/spec"
	"github.com/ichor-os/ichor/node/kubeprism/spec"
	"github.com/ichor-os/ichor/resource"
	"github.com/ichor-os/ichor/resource/value"

	"net/netip"
)

var quiet = slog.New(slog.DiscardHandler)

// server answers each connection with its name, and keeps it open.
func server(t *testing.T, name string) net.Listener {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			t.Cleanup(func() { conn.Close() })
			fmt.Fprintln(conn, name)
		}
	}()
	return l
}

func ask(b *Balancer) (string, net.Conn, error) {
	conn, err := net.Dial("tcp", b.Listening())
	if err != nil {
		return "", nil, err
	}
	if err := conn.SetDeadline(time.Now().Add(10 * time.Second)); err != nil {
		return "", nil, err
	}
	line, err := bufio.NewReader(conn).ReadString('\n')
	return line, conn, err
}

func TestBalancerGoesOnToTheNextThatAnswers(t *testing.T) {
	first, second := server(t, "first"), server(t, "second")
	b := &Balancer{Log: quiet}
	defer b.Close()
	if err := b.Use(t.Context(), "127.0.0.1:0", []string{first.Addr().String(), second.Addr().String()}); err != nil {
		t.Fatal(err)
	}
	got, conn, err := ask(b)
	if err != nil || got != "first\n" {
		t.Fatalf("got %q, %v", got, err)
	}
	conn.Close()
	first.Close()
	got, conn, err = ask(b)
	if err != nil || got != "second\n" {
		t.Fatalf("after the first went: got %q, %v", got, err)
	}
	conn.Close()
	if !b.Healthy() {
		t.Error("the balancer is not healthy though one answers")
	}
	second.Close()
	if _, _, err := ask(b); err == nil {
		t.Error("a connection that leads nowhere does not end")
	}
	if b.Healthy() {
		t.Error("the balancer is healthy though nobody answers")
	}
}

func TestS18_RemovedEndpointsDisappear(t *testing.T) {
	first, second := server(t, "first"), server(t, "second")
	b := &Balancer{Log: quiet}
	defer b.Close()
	use := func(listeners ...net.Listener) {
		var all []string
		for _, l := range listeners {
			all = append(all, l.Addr().String())
		}
		// The address that was asked for at first counts as the same.
		if err := b.Use(t.Context(), "127.0.0.1:0", all); err != nil {
			t.Fatal(err)
		}
	}
	use(first, second)
	_, conn, err := ask(b)
	if err != nil {
		t.Fatal(err)
	}
	use(second)
	if _, err := conn.Read(make([]byte, 1)); err == nil || errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("the connection to the removed endpoint goes on: %v", err)
	}
	if got, _, err := ask(b); err != nil || got != "second\n" {
		t.Errorf("got %q, %v", got, err)
	}
}

func TestConfigKnowsOwnMembersAndEndpointInThisOrder(t *testing.T) {
	engine := resource.New(resource.Options{})
	blocks := []resource.Block{
		resource.Reconciler("kubeprism-endpoints", reconcileEndpoints),
		resource.Reconciler("kubeprism-config", reconcileConfig),
	}
	if err := engine.Add(blocks...); err != nil {
		t.Fatal(err)
	}
	const text = `version: v1alpha1
machine:
  type: controlplane
  features:
    kubePrism: {enabled: true}
cluster:
  controlPlane: {endpoint: "https://api.example.com:6443"}
`
	err := engine.Commit(t.Context(), "test", func(s *resource.Session) error {
		configspec.MachineConfigs.Put(s, configspec.Active, configspec.MachineConfigSpec{Documents: []byte(text)})
		configspec.MachineTypes.Put(s, "machine-type", configspec.MachineTypeSpec{Type: value.MachineTypeControlplane})
		clusterspec.Identities.Put(s, "local", clusterspec.IdentitySpec{NodeID: "self"})
		for i, name := range []string{"self", "other", "worker"} {
			m := clusterspec.MemberSpec{NodeID: name, Addresses: []netip.Addr{netip.AddrFrom4([4]byte{10, 5, 0, byte(i + 2)})}}
			if name != "worker" {
				m.ControlPlane = &clusterspec.ControlPlane{Port: 6443}
			}
			clusterspec.Members.Put(s, name, m)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	go engine.Run(t.Context())
	if err := engine.Settled(t.Context()); err != nil {
		t.Fatal(err)
	}
	var got spec.KubePrismConfigSpec
	err = engine.View(t.Context(), func(s *resource.Session) error {
		got, _ = spec.KubePrismConfigs.Get(s, configID)
		return nil
	})
	want := spec.KubePrismConfigSpec{Host: "127.0.0.1", Port: 7445, Endpoints: []spec.KubePrismEndpoint{
		{Host: "127.0.0.1", Port: 6443}, {Host: "10.5.0.3", Port: 6443}, {Host: "api.example.com", Port: 6443},
	}}
	if diff := cmp.Diff(want, got); err != nil || diff != "" {
		t.Errorf("%v %s", err, diff)
	}
}
