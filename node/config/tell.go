package config

import (
	"context"

	"google.golang.org/protobuf/proto"

	machinepb "github.com/ichor-os/ichor/api/machine"
	"github.com/ichor-os/ichor/config/document"
	"github.com/ichor-os/ichor/config/validate"
	"github.com/ichor-os/ichor/node/config/spec"
	"github.com/ichor-os/ichor/resource"
)

// Teller publishes an event when the config in force is not valid, as one that
// an older version took may be. It stays in force: a node that takes no config
// any more would be worse off. A run that the engine repeats publishes nothing
// twice.
func Teller(mode document.Mode, publish func(actor string, event proto.Message)) resource.Block {
	last := ""
	return resource.Reconciler("config-events", func(_ context.Context, s *resource.Session) error {
		c, ok, err := spec.Config(s)
		if err != nil || !ok {
			return err
		}
		now := ""
		if err := c.Validate(mode, validate.Options{}).Err(); err != nil {
			now = err.Error()
		}
		if now != "" && now != last {
			publish("", &machinepb.ConfigValidationErrorEvent{Error: now})
		}
		last = now
		return nil
	})
}
