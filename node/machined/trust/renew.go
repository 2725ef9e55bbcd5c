package trust

import (
	"context"
	"log/slog"
	"time"

	"github.com/ichor-os/ichor/config/documents/v1alpha1"
	"github.com/ichor-os/ichor/node/identity"
	"github.com/ichor-os/ichor/pki"
)

// retryRenewal is the pause after a renewal that failed.
const retryRenewal = time.Minute

// Renew replaces the identities at half of their life, and when the clock has
// jumped, until ctx ends. apid and trustd follow their settings, so no connection
// is cut.
func Renew(ctx context.Context, c *v1alpha1.Config, names identity.Names, stepped <-chan struct{}, log *slog.Logger) {
	for wait := pki.NodeLifetime / 2; ; {
		timer := time.NewTimer(wait)
		select {
		case <-timer.C:
		case <-stepped:
			timer.Stop()
		case <-ctx.Done():
			timer.Stop()
			return
		}
		wait = pki.NodeLifetime / 2
		var err error
		if len(CA(c.Machine).Key) > 0 {
			err = ControlPlane(c, names)
		} else {
			err = Worker(ctx, c, names, log)
		}
		if err != nil {
			wait = retryRenewal
			log.Error("identity is not renewed, it will be tried again", "error", err)
			continue
		}
		log.Info("identity is renewed")
	}
}
