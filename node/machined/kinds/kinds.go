// Package kinds lists the kinds of resources of all nouns.
package kinds

import (
	apidspec "github.com/ichor-os/ichor/node/apid/spec"
	clusterspec "github.com/ichor-os/ichor/node/cluster/spec"
	configspec "github.com/ichor-os/ichor/node/config/spec"
	crispec "github.com/ichor-os/ichor/node/cri/spec"
	devicespec "github.com/ichor-os/ichor/node/device/spec"
	dhcpspec "github.com/ichor-os/ichor/node/dhcp/spec"
	"github.com/ichor-os/ichor/node/diagnostic"
	diskspec "github.com/ichor-os/ichor/node/disk/spec"
	dnsspec "github.com/ichor-os/ichor/node/dns/spec"
	etcdspec "github.com/ichor-os/ichor/node/etcd/spec"
	etcfilespec "github.com/ichor-os/ichor/node/etcfile/spec"
	filespec "github.com/ichor-os/ichor/node/file/spec"
	firewallspec "github.com/ichor-os/ichor/node/firewall/spec"
	imagespec "github.com/ichor-os/ichor/node/image/spec"
	"github.com/ichor-os/ichor/node/kernel"
	kernelspec "github.com/ichor-os/ichor/node/kernel/spec"
	kubespec "github.com/ichor-os/ichor/node/kube/spec"
	kubeletspec "github.com/ichor-os/ichor/node/kubelet/spec"
	kubeprismspec "github.com/ichor-os/ichor/node/kubeprism/spec"
	kubespanspec "github.com/ichor-os/ichor/node/kubespan/spec"
	"github.com/ichor-os/ichor/node/lifecycle"
	lifecyclespec "github.com/ichor-os/ichor/node/lifecycle/spec"
	linkspec "github.com/ichor-os/ichor/node/link/spec"
	logspec "github.com/ichor-os/ichor/node/log/spec"
	mountspec "github.com/ichor-os/ichor/node/mount/spec"
	platformspec "github.com/ichor-os/ichor/node/platform/spec"
	secretspec "github.com/ichor-os/ichor/node/secret/spec"
	servicespec "github.com/ichor-os/ichor/node/service/spec"
	siderolinkspec "github.com/ichor-os/ichor/node/siderolink/spec"
	timespec "github.com/ichor-os/ichor/node/time/spec"
	volumespec "github.com/ichor-os/ichor/node/volume/spec"
	"github.com/ichor-os/ichor/resource"
)

// All lists what every noun knows, so that clients can ask for it even where
// nothing of it is there yet.
func All() []resource.AnyKind {
	var all []resource.AnyKind
	for _, of := range []func() []resource.AnyKind{
		apidspec.Kinds,
		clusterspec.Kinds,
		configspec.Kinds,
		crispec.Kinds,
		devicespec.Kinds,
		dhcpspec.Kinds,
		diskspec.Kinds,
		dnsspec.Kinds,
		etcdspec.Kinds,
		etcfilespec.Kinds,
		firewallspec.Kinds,
		imagespec.Kinds,
		kernelspec.Kinds,
		kubespec.Kinds,
		kubeletspec.Kinds,
		kubeprismspec.Kinds,
		kubespanspec.Kinds,
		lifecyclespec.Kinds,
		linkspec.Kinds,
		logspec.Kinds,
		logspec.Own,
		mountspec.Kinds,
		platformspec.Kinds,
		secretspec.Kinds,
		servicespec.Kinds,
		siderolinkspec.Kinds,
		timespec.Kinds,
		volumespec.Kinds,
		lifecycle.Kinds,
		kernel.Kinds,
		timespec.Own,
		filespec.Own,
		diagnostic.Kinds,
	} {
		all = append(all, of()...)
	}
	return all
}
