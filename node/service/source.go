package service

import (
	"context"

	"github.com/ichor-os/ichor/node/service/spec"
	"github.com/ichor-os/ichor/resource"
)

// Source shows the services as resources.
func Source(s *Supervisor) resource.Block {
	return resource.Source("service-status", spec.Services, func(ctx context.Context, feed *resource.Feed[spec.ServiceSpec]) error {
		updates := make(chan Status, 256)
		stop := s.Watch(updates)
		defer stop()
		for {
			// The whole list each time: a change that a full channel lost is
			// in it, and equal content wakes nobody.
			var items []resource.Item[spec.ServiceSpec]
			for _, status := range s.List() {
				items = append(items, resource.Item[spec.ServiceSpec]{ID: status.ID, Spec: spec.ServiceSpec{
					Running: status.State == Running, Healthy: status.Health.Known && status.Health.Healthy, Unknown: !status.Health.Known,
				}})
			}
			if err := feed.Replace(items...); err != nil {
				return err
			}
			select {
			case <-updates:
			case <-ctx.Done():
				return ctx.Err()
			}
		}
	})
}
