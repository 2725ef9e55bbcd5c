package blocks

import (
	"github.com/ichor-os/ichor/node/kernel"
	clock "github.com/ichor-os/ichor/node/time"
	"github.com/ichor-os/ichor/resource"
)

// host are the blocks of the machine itself: its kernel and its
// clock.
func host(n Needs) []resource.Block {
	changed := make(chan struct{}, 1)
	setting := &kernel.Setting{Files: kernel.Proc{}, Shared: n.SharedKernel}
	modules := &kernel.Modules{
		Folder: kernel.ModuleFolder(), Sys: "/sys", Loader: kernel.System{}, Shared: n.SharedKernel, Changed: changed,
	}
	sync := &clock.Sync{Clock: clock.KernelClock{RTC: "/dev/rtc0"}, Log: n.Log, Shared: n.SharedKernel}
	return []resource.Block{
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
	}
}
