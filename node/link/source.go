package link

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"sync"
	"time"

	"github.com/vishvananda/netlink"
	"github.com/vishvananda/netlink/nl"
	"github.com/vishvananda/netns"
	"golang.org/x/sys/unix"

	"github.com/ichor-os/ichor/node/link/spec"
	"github.com/ichor-os/ichor/resource"
)

// These bound what watching costs: after a listing that took d the next waits
// for restRatio times d, so that a storm of changes takes a tenth of a core,
// but never longer than restMax, because a busy machine makes d long as well.
const (
	restRatio = 9
	restMax   = time.Second
)

func sources(k *Kernel) []resource.Block {
	links := []uint{unix.RTNLGRP_LINK}
	addresses := append(links, unix.RTNLGRP_IPV4_IFADDR, unix.RTNLGRP_IPV6_IFADDR)
	// The kernel does not tell of IPv4 routes that go with a link or address.
	routes := append(addresses, unix.RTNLGRP_IPV4_ROUTE, unix.RTNLGRP_IPV6_ROUTE)
	rules := []uint{unix.RTNLGRP_IPV4_RULE, unix.RTNLGRP_IPV6_RULE}
	return []resource.Block{
		source(k, "link-status", spec.LinkStatuses, links, k.links),
		source(k, "address-status", spec.AddressStatuses, addresses, k.addresses, k.watch),
		source(k, "route-status", spec.RouteStatuses, routes, k.routesNow),
		source(k, "routing-rule-status", spec.RoutingRuleStatuses, rules, k.rules),
	}
}

// watcher watches what the kernel does not tell: it is told of each listing, and
// calls changed when there should be another.
type watcher func(ctx context.Context, listed <-chan struct{}, changed func()) error

// source shows what list gives as resources of a kind. The kernel's
// notifications only say when to look again: many of them at once cost one
// listing, and one that got lost costs nothing. What differs is what is told.
func source[T any](k *Kernel, name string, kind *resource.Kind[T], groups []uint, list func() ([]resource.Item[T], error), watch ...watcher) resource.Block {
	return resource.Source(name, kind, func(ctx context.Context, feed *resource.Feed[T]) error {
		socket, err := nl.SubscribeAt(k.ns, netns.None(), unix.NETLINK_ROUTE, groups...)
		if err != nil {
			return fmt.Errorf("subscribe to netlink: %w", err)
		}
		changed, listed := make(chan struct{}, 1), make(chan struct{}, 1)
		ended := make(chan error, 1+len(watch))
		var running sync.WaitGroup
		watching, stop := context.WithCancel(ctx)
		defer func() { socket.Close(); stop(); running.Wait() }()
		running.Go(func() { ended <- listen(socket, changed) })
		for _, w := range watch {
			running.Go(func() { ended <- w(watching, listed, func() { signal(changed) }) })
		}

		var known map[string]T
		for {
			began := time.Now()
			items, err := list()
			if err != nil {
				return err
			}
			if known, err = tell(feed, known, items); err != nil {
				return err
			}
			signal(listed)
			rest := time.NewTimer(min(restRatio*time.Since(began), restMax))
			select {
			case <-rest.C:
			case <-ctx.Done():
				rest.Stop()
				return ctx.Err()
			}
			select {
			case <-changed:
			case err := <-ended:
				return err
			case <-ctx.Done():
				return ctx.Err()
			}
		}
	})
}

// listen signals that something was said. Lost messages are a change too.
func listen(socket *nl.NetlinkSocket, changed chan<- struct{}) error {
	for {
		_, _, err := socket.Receive()
		if err != nil && !errors.Is(err, unix.ENOBUFS) && !errors.Is(err, unix.EINTR) {
			return fmt.Errorf("listen to netlink: %w", err)
		}
		signal(changed)
	}
}

func signal(to chan<- struct{}) {
	select {
	case to <- struct{}{}:
	default:
	}
}

func tell[T any](feed *resource.Feed[T], known map[string]T, items []resource.Item[T]) (map[string]T, error) {
	now := make(map[string]T, len(items))
	var put []resource.Item[T]
	for _, item := range items {
		now[item.ID] = item.Spec
		if old, ok := known[item.ID]; !ok || !reflect.DeepEqual(old, item.Spec) {
			put = append(put, item)
		}
	}
	if known == nil {
		return now, feed.Replace(items...)
	}
	var gone []string
	for id := range known {
		if _, ok := now[id]; !ok {
			gone = append(gone, id)
		}
	}
	if len(put)+len(gone) == 0 {
		return now, nil
	}
	return now, feed.Update(put, gone)
}

// again repeats a listing that the kernel interrupted because of a change.
func again[T any](list func() (T, error)) (T, error) {
	for range 5 {
		got, err := list()
		if !errors.Is(err, netlink.ErrDumpInterrupted) {
			return got, err
		}
	}
	return list()
}
