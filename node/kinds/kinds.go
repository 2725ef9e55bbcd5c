// Package kinds lists the kinds of resources of all nouns, for the one place
// that registers them with a node's engine.
package kinds

import (
	"slices"

	apid "github.com/ichor-os/ichor/node/apid/spec"
	cluster "github.com/ichor-os/ichor/node/cluster/spec"
	config "github.com/ichor-os/ichor/node/config/spec"
	cri "github.com/ichor-os/ichor/node/cri/spec"
	device "github.com/ichor-os/ichor/node/device/spec"
	disk "github.com/ichor-os/ichor/node/disk/spec"
	dns "github.com/ichor-os/ichor/node/dns/spec"
	etcd "github.com/ichor-os/ichor/node/etcd/spec"
	etcfile "github.com/ichor-os/ichor/node/etcfile/spec"
	firewall "github.com/ichor-os/ichor/node/firewall/spec"
	image "github.com/ichor-os/ichor/node/image/spec"
	kernel "github.com/ichor-os/ichor/node/kernel/spec"
	kube "github.com/ichor-os/ichor/node/kube/spec"
	kubelet "github.com/ichor-os/ichor/node/kubelet/spec"
	kubeprism "github.com/ichor-os/ichor/node/kubeprism/spec"
	kubespan "github.com/ichor-os/ichor/node/kubespan/spec"
	lifecycle "github.com/ichor-os/ichor/node/lifecycle/spec"
	link "github.com/ichor-os/ichor/node/link/spec"
	log "github.com/ichor-os/ichor/node/log/spec"
	mount "github.com/ichor-os/ichor/node/mount/spec"
	platform "github.com/ichor-os/ichor/node/platform/spec"
	secret "github.com/ichor-os/ichor/node/secret/spec"
	service "github.com/ichor-os/ichor/node/service/spec"
	siderolink "github.com/ichor-os/ichor/node/siderolink/spec"
	clock "github.com/ichor-os/ichor/node/time/spec"
	volume "github.com/ichor-os/ichor/node/volume/spec"
	"github.com/ichor-os/ichor/resource"
)

// All lists the kinds of all nouns.
func All() []resource.AnyKind {
	return slices.Concat(
		apid.Kinds(),
		cluster.Kinds(),
		config.Kinds(),
		cri.Kinds(),
		device.Kinds(),
		disk.Kinds(),
		dns.Kinds(),
		etcd.Kinds(),
		etcfile.Kinds(),
		firewall.Kinds(),
		image.Kinds(),
		kernel.Kinds(),
		kube.Kinds(),
		kubelet.Kinds(),
		kubeprism.Kinds(),
		kubespan.Kinds(),
		lifecycle.Kinds(),
		link.Kinds(),
		log.Kinds(),
		mount.Kinds(),
		platform.Kinds(),
		secret.Kinds(),
		service.Kinds(),
		siderolink.Kinds(),
		clock.Kinds(),
		volume.Kinds(),
	)
}
