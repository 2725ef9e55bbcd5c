package link

import (
	"context"
	"fmt"
	"net/netip"
	"time"

	"github.com/ichor-os/ichor/node/link/spec"
	"github.com/ichor-os/ichor/resource"
)

// waitBound is how long the kernel may take to have the addresses.
const waitBound = 30 * time.Second

// Wait waits until a link, and the loopback one, have their addresses, as the
// kernel tells.
func Wait(ctx context.Context, engine *resource.Engine, link string, addresses []netip.Prefix) error {
	ctx, cancel := context.WithTimeout(ctx, waitBound)
	defer cancel()
	wanted := []string{spec.AddressID("lo", loopback)}
	for _, a := range addresses {
		wanted = append(wanted, spec.AddressID(link, a))
	}
	tick := time.NewTicker(2 * time.Millisecond)
	defer tick.Stop()
	for {
		missing := ""
		err := engine.View(ctx, func(s *resource.Session) error {
			for _, id := range wanted {
				if _, ok := spec.AddressStatuses.Get(s, id); !ok {
					missing = id
				}
			}
			return nil
		})
		if err != nil || missing == "" {
			return err
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return fmt.Errorf("wait for address: %s: %w", missing, ctx.Err())
		}
	}
}
