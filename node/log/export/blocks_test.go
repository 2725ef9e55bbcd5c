package export

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	machinepb "github.com/ichor-os/ichor/api/machine"
	configspec "github.com/ichor-os/ichor/node/config/spec"
	"github.com/ichor-os/ichor/node/event"
	"github.com/ichor-os/ichor/node/log/spec"
	"github.com/ichor-os/ichor/resource"
)

// node is an engine with the blocks of this package.
type node struct {
	t      *testing.T
	engine *resource.Engine
}

func startNode(t *testing.T, o Options) *node {
	t.Helper()
	n := &node{t, resource.New(resource.Options{})}
	if err := n.engine.Register(slices.Concat(configspec.Kinds(), spec.Kinds(), spec.Own())...); err != nil {
		t.Fatal(err)
	}
	if err := n.engine.Add(Blocks(o)...); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- n.engine.Run(ctx) }()
	t.Cleanup(func() {
		cancel()
		if err := <-done; err != nil && !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
	})
	return n
}

func (n *node) config(text string) {
	n.t.Helper()
	err := n.engine.Commit(n.t.Context(), "test", func(s *resource.Session) error {
		configspec.MachineConfigs.Put(s, configspec.Active, configspec.MachineConfigSpec{Documents: []byte(text)})
		return nil
	})
	if err != nil {
		n.t.Fatal(err)
	}
}

// await waits until the store shows what is wanted.
func (n *node) await(want func(s *resource.Session) bool) {
	n.t.Helper()
	for end := time.Now().Add(20 * time.Second); time.Now().Before(end); time.Sleep(5 * time.Millisecond) {
		ok := false
		err := n.engine.View(n.t.Context(), func(s *resource.Session) error {
			ok = want(s)
			return nil
		})
		if err == nil && ok {
			return
		}
	}
	n.t.Fatal("the store did not come to it")
}

func ids[T any](list []resource.Resource[T]) []string {
	var out []string
	for _, r := range list {
		out = append(out, r.ID)
	}
	slices.Sort(out)
	return out
}

func TestBlocks_FollowTheConfigLive(t *testing.T) {
	x := newExporter(t)
	n := startNode(t, Options{Exporter: x, SharedKernel: true})
	first, second := receive(t, listen(t, "127.0.0.1:0")), receive(t, listen(t, "127.0.0.1:0"))
	sink := receive(t, listen(t, "127.0.0.1:0"))
	x.Line("etcd", []byte("before any config"))
	main := func(r *receiver) string {
		return "version: v1alpha1\nmachine:\n  type: worker\n  logging:\n    destinations:\n      - endpoint: tcp://" +
			r.listener.Addr().String() + "\n        format: json_lines\n        extraTags: {rack: \"4\"}\n"
	}
	n.config(main(first) + "---\napiVersion: v1alpha1\nkind: KmsgLogConfig\nname: k\nurl: udp://192.0.2.1:514\n---\n" +
		"apiVersion: v1alpha1\nkind: EventSinkConfig\nendpoint: " + sink.listener.Addr().String() + "\n")
	first.await(t, has("before any config"))
	n.await(func(s *resource.Session) bool {
		kernel, ok := spec.DestinationStatuses.Get(s, "kernel-udp-192.0.2.1:514")
		config, there := spec.KmsgLogConfigs.Get(s, kmsgID)
		_, event := spec.EventSinkConfigs.Get(s, eventID)
		return ok && kernel.State == spec.StateRefused && there && len(config.Destinations) == 1 && event
	})

	ring := event.NewRing(time.Now)
	ring.Publish("request-1", &machinepb.SequenceEvent{Sequence: "boot", Action: machinepb.SequenceEvent_START})
	ctx, cancel := context.WithCancel(t.Context())
	_ = ring.Follow(ctx, event.Tail{Count: -1}, func(e *machinepb.Event) error {
		x.Event(e)
		cancel()
		return nil
	})
	got := sink.await(t, func(lines []map[string]any) bool { return len(lines) == 1 })[0]
	delete(got, keyTime)
	delete(got, "id")
	want := map[string]any{
		"type": "machine.SequenceEvent", "actor_id": "request-1", keyService: "events",
		"data": map[string]any{"sequence": "boot", "action": "START"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("event (-want +got):\n%s", diff)
	}

	n.config(main(second))
	n.await(func(s *resource.Session) bool {
		return cmp.Equal(ids(spec.DestinationStatuses.List(s)), []string{"services-tcp-" + second.listener.Addr().String()})
	})
	x.Line("etcd", []byte("after the change"))
	if lines := second.await(t, has("before any config", "after the change")); lines[0]["rack"] != "4" {
		t.Errorf("lines %v", lines)
	}
	n.config("version: v1alpha1\nmachine:\n  type: worker\n")
	n.await(func(s *resource.Session) bool { return len(spec.DestinationStatuses.List(s)) == 0 })
}

func TestBlocks_TheCommandLineNamesDestinations(t *testing.T) {
	x := newExporter(t)
	x.openKernel = nil
	r := receive(t, listen(t, "127.0.0.1:0"))
	n := startNode(t, Options{
		Exporter: x, SharedKernel: true,
		CommandLine: "quiet talos.logging.kernel=tcp://192.0.2.1:514 talos.events.sink=" + r.listener.Addr().String(),
	})
	n.await(func(s *resource.Session) bool {
		return cmp.Equal(ids(spec.Destinations.List(s)), []string{"events-tcp-" + r.listener.Addr().String(), "kernel-tcp-192.0.2.1:514"})
	})
}
