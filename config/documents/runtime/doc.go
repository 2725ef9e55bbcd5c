// Package runtime holds the config documents about the running system: logs,
// events, memory, watchdog and environment. One file a kind.
package runtime

import "github.com/ichor-os/ichor/config/document"

// Kinds lists the kinds of this domain.
func Kinds() []*document.Kind {
	return []*document.Kind{
		EnvironmentKind, EtcFileKind, EventSinkKind, KernelModuleKind, KmsgLogKind, OOMKind, SecurityProfileKind,
		SysctlKind, SysfsKind, UdevRulesKind, UnattendedInstallKind, WatchdogTimerKind,
	}
}
