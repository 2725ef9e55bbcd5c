package dns

import (
	"context"

	"github.com/ichor-os/ichor/node/dns/spec"
	etcfilespec "github.com/ichor-os/ichor/node/etcfile/spec"
	linkspec "github.com/ichor-os/ichor/node/link/spec"
	"github.com/ichor-os/ichor/resource"
)

// ReconcileStatus tells which parts of the network are ready: an address, a way
// out of the own networks, the name, and the files of /etc that follow.
func ReconcileStatus(_ context.Context, s *resource.Session) error {
	var status linkspec.NetworkStatusSpec
	own, _ := linkspec.NodeAddresses.Get(s, "current")
	status.AddressReady = len(own.Addresses) > 0
	for _, r := range linkspec.RouteStatuses.List(s) {
		if !r.Spec.Dst.IsValid() && r.Spec.Gateway.IsValid() && r.Spec.Type == linkspec.RouteTypeUnicast {
			status.ConnectivityReady = true
			break
		}
	}
	_, status.HostnameReady = spec.HostnameStatuses.Get(s, hostname)
	status.EtcFilesReady = true
	for _, name := range []string{"hostname", "hosts", "resolv.conf", PodResolvConf} {
		wanted, known := etcfilespec.EtcFileSpecs.Resource(s, name)
		is, done := etcfilespec.EtcFileStatuses.Get(s, name)
		status.EtcFilesReady = status.EtcFilesReady && known && done && is.SpecVersion == wanted.Version.String()
	}
	linkspec.NetworkStatuses.Put(s, "status", status)
	return nil
}
