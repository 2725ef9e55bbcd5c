package blocks

import (
	"path/filepath"
	"slices"

	"github.com/ichor-os/ichor/node/cri"
	"github.com/ichor-os/ichor/node/diagnostic"
	"github.com/ichor-os/ichor/node/file"
	"github.com/ichor-os/ichor/node/kernel"
	"github.com/ichor-os/ichor/node/machined/trust"
	"github.com/ichor-os/ichor/node/service"
	clock "github.com/ichor-os/ichor/node/time"
	"github.com/ichor-os/ichor/node/trustedroot"
	"github.com/ichor-os/ichor/resource"
)

// ofHost are the blocks of the machine itself: its kernel, its clock, its files,
// the environment of its services, and what is wrong with it.
func ofHost(n Needs) []resource.Block {
	changed := make(chan struct{}, 1)
	setting := &kernel.Setting{Files: kernel.Proc{}, Shared: n.SharedKernel}
	modules := &kernel.Modules{
		Folder: kernel.ModuleFolder(), Sys: "/sys", Loader: kernel.System{}, Shared: n.SharedKernel, Changed: changed,
	}
	sync := &clock.Sync{Clock: clock.KernelClock{RTC: "/dev/rtc0"}, Log: n.Log, Shared: n.SharedKernel, Peer: trust.PeerTime}
	files := file.Machine{Var: "/var", Parts: filepath.Join(n.Etc.Store, cri.Folder)}
	return slices.Concat([]resource.Block{
		resource.Reconciler("kernel-params-config", kernel.ReconcileConfigured),
		resource.Reconciler("kernel-params-defaults", kernel.ReconcileDefaults),
		resource.Reconciler("kernel-params", kernel.ReconcileWanted),
		setting.Mirror(),
		resource.Reconciler("kernel-modules", kernel.ReconcileModules),
		kernel.LoadedModules("/proc/modules", changed),
		modules.Mirror(),
		resource.Reconciler("time-settings", clock.ReconcileSync),
		sync.Mirror(),
		clock.Adjtime(nil),
		n.Host.Time.Reconciler(),
		resource.Reconciler("environment-config", service.ReconcileEnvironment),
		n.Host.Environment.Mirror(),
		trustedroot.Reconciler(filepath.Join(n.Etc.Etc, trustedroot.File)),
		resource.Reconciler("machine-files-config", file.ReconcileMachine),
		files.Mirror(),
	}, diagnostic.Blocks(&n.Host.Reports))
}
