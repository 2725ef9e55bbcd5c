package time

import (
	"context"
	"fmt"
	"strings"

	machineconfig "github.com/ichor-os/ichor/config"
	"github.com/ichor-os/ichor/config/documents/network"
	configspec "github.com/ichor-os/ichor/node/config/spec"
	"github.com/ichor-os/ichor/node/time/spec"
	"github.com/ichor-os/ichor/resource"
)

// networkServers is the id of the servers that the network tells of.
const networkServers = "timeservers"

// ReconcileSync says how the clock is to be kept in step: the config's servers
// come before those that the network tells of, and those before DefaultServer,
// which a node asks that has no config yet.
func ReconcileSync(_ context.Context, s *resource.Session) error {
	config, ok, err := configspec.Config(s)
	if err != nil {
		return err
	}
	var sync spec.SyncSpec
	if ok {
		sync = settings(config)
	}
	if len(sync.Servers) == 0 && sync.Problem == "" {
		if told, ok := spec.TimeServerStatuses.Get(s, networkServers); ok {
			sync.Servers = told.TimeServers
		}
	}
	if len(sync.Servers) == 0 && sync.Problem == "" {
		sync.Servers = []string{DefaultServer}
	}
	spec.Syncs.Put(s, spec.SyncID, sync)
	return nil
}

// named are the servers and devices that a config names, in force or not.
func named(config *machineconfig.Config) []string {
	var names []string
	if main := config.Main(); main != nil && main.Machine != nil && main.Machine.Time != nil {
		names = main.Machine.Time.Servers
	}
	for _, d := range config.Documents() {
		if doc, ok := d.(*network.TimeSyncConfig); ok && doc.NTP != nil && len(doc.NTP.Servers) > 0 {
			names = doc.NTP.Servers
		}
	}
	return names
}

// settings are what a config says of time. A document of its own comes before
// the keys of the main one.
func settings(config *machineconfig.Config) spec.SyncSpec {
	sync := spec.SyncSpec{Servers: named(config)}
	if main := config.Main(); main != nil && main.Machine != nil && main.Machine.Time != nil {
		t := main.Machine.Time
		sync.Disabled = t.Disabled != nil && *t.Disabled
		sync.BootTimeout = t.BootTimeout
	}
	for _, d := range config.Documents() {
		doc, ok := d.(*network.TimeSyncConfig)
		if !ok {
			continue
		}
		if doc.Enabled != nil {
			sync.Disabled = !*doc.Enabled
		}
		if doc.BootTimeout != 0 {
			sync.BootTimeout = doc.BootTimeout
		}
		switch {
		case doc.PTP != nil:
			sync.Servers = nil
			sync.Problem = "TimeSyncConfig.ptp is not in force: clocks of devices are not read yet: name servers in TimeSyncConfig.ntp"
		case doc.NTP != nil && doc.NTP.UseNTS != nil && *doc.NTP.UseNTS:
			// Whoever asks for proof must not get time without it.
			sync.Servers = nil
			sync.Problem = "TimeSyncConfig.ntp.useNTS is not in force: servers cannot prove who they are yet, and none is asked: set it to false to ask them without proof"
		}
	}
	return withoutDevices(sync)
}

func withoutDevices(sync spec.SyncSpec) spec.SyncSpec {
	servers := make([]string, 0, len(sync.Servers))
	for _, server := range sync.Servers {
		if !strings.HasPrefix(server, "/") {
			servers = append(servers, server)
		}
	}
	if len(servers) == 0 && len(sync.Servers) > 0 {
		sync.Problem = fmt.Sprintf("%s is not read: clocks of devices are not read yet: name a server", sync.Servers[0])
	}
	sync.Servers = servers
	return sync
}
