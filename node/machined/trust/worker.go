package trust

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"slices"
	"time"

	"github.com/ichor-os/ichor/atomicfile"
	"github.com/ichor-os/ichor/config/documents/v1alpha1"
	"github.com/ichor-os/ichor/node/apid/settings"
	"github.com/ichor-os/ichor/node/cluster"
	"github.com/ichor-os/ichor/node/identity"
	"github.com/ichor-os/ichor/node/trustd"
	"github.com/ichor-os/ichor/pki"
	"github.com/ichor-os/ichor/told"
)

// identityFile keeps a worker's certificate: by showing it the node keeps its
// names when it is started anew, from wherever it calls.
const identityFile = "/system/state/api-identity.json"

// Worker asks trustd of a control plane node for the worker's certificate, until
// it has one or ctx ends, and puts it in force.
func Worker(ctx context.Context, c *v1alpha1.Config, names identity.Names, log *slog.Logger) error {
	names.Further = c.Machine.CertSANs
	request := trustd.Request{
		Port: trustd.DefaultPort, CA: authorities(c.Machine), Token: c.Machine.Token, Names: names.All(),
		Endpoints: []string{c.Cluster.ControlPlane.Endpoint.Hostname()},
	}
	for _, known := range cluster.LoadSeeds(cluster.SeedFile) {
		if !slices.Contains(request.Endpoints, known) {
			request.Endpoints = append(request.Endpoints, known)
		}
	}
	var err error
	if request.Present, err = loadIdentity(identityFile); err != nil {
		log.Warn("certificate of the earlier start is not used", "error", err)
	}
	var said told.Errors
	for wait := 250 * time.Millisecond; ; wait = min(2*wait, 5*time.Second) {
		answer, err := trustd.Ask(ctx, request)
		if err == nil {
			if err := saveIdentity(identityFile, answer.Pair); err != nil {
				log.Warn("certificate is not kept for the next start", "error", err)
			}
			return saveAPI(names, &settings.API{Mode: settings.Worker, CA: request.CA, Server: answer.Pair})
		}
		said.Tell(log, slog.LevelWarn, "node has no certificate yet", err)
		select {
		case <-time.After(wait):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// loadIdentity gives the certificate that was kept; without one it is empty.
func loadIdentity(path string) (pki.Pair, error) {
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return pki.Pair{}, nil
	}
	if err != nil {
		return pki.Pair{}, fmt.Errorf("read certificate: %w", err)
	}
	var pair pki.Pair
	if err := json.Unmarshal(text, &pair); err != nil {
		return pki.Pair{}, fmt.Errorf("read certificate: %s: %w", path, err)
	}
	if _, err := pair.TLS(); err != nil {
		return pki.Pair{}, fmt.Errorf("read certificate: %s: %w", path, err)
	}
	return pair, nil
}

func saveIdentity(path string, pair pki.Pair) error {
	text, err := json.Marshal(pair)
	if err != nil {
		return fmt.Errorf("write certificate: %w", err)
	}
	if err := atomicfile.Replace(path, text, 0o600); err != nil {
		return fmt.Errorf("write certificate: %w", err)
	}
	return nil
}
