// Package spec holds the resources about the container runtime.
package spec

import "github.com/ichor-os/ichor/resource"

// The kinds of this noun.
var (
	// RegistryConfigs: mirrors, credentials and certificates of registries.
	RegistryConfigs = resource.Define[RegistryConfigSpec]("RegistryConfigs.cri.talos.dev",
		resource.Namespace("cri"), resource.DisplayType("RegistryConfig"), resource.Sensitive())
	// ImageCacheConfigs: where cached images are.
	ImageCacheConfigs = resource.Define[ImageCacheConfigSpec]("ImageCacheConfigs.cri.talos.dev",
		resource.Namespace("cri"), resource.DisplayType("ImageCacheConfig"), resource.Columns(
			resource.Column{Name: "Status", Path: "{.status}"},
			resource.Column{Name: "CopyStatus", Path: "{.copyStatus}"},
			resource.Column{Name: "Roots", Path: "{.roots}"},
		))
	// SeccompProfiles: a seccomp profile for containers.
	SeccompProfiles = resource.Define[SeccompProfileSpec]("SeccompProfiles.cri.talos.dev",
		resource.Namespace("cri"), resource.DisplayType("SeccompProfile"))
)

// Kinds lists them.
func Kinds() []resource.AnyKind {
	return []resource.AnyKind{
		RegistryConfigs,
		ImageCacheConfigs,
		SeccompProfiles,
	}
}
