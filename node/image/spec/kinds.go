// Package spec holds the resources about which images may run.
package spec

import "github.com/ichor-os/ichor/resource"

// The kinds of this noun.
var (
	// ImageVerificationRules: who must have signed an image.
	ImageVerificationRules = resource.Define[ImageVerificationRuleSpec]("ImageVerificationRules.security.talos.dev",
		resource.Namespace("security"), resource.DisplayType("ImageVerificationRule"), resource.Columns(
			resource.Column{Name: "Pattern", Path: "{.imagePattern}"},
			resource.Column{Name: "Skip", Path: "{.skip}"},
			resource.Column{Name: "Deny", Path: "{.deny}"},
		))
	// TUFTrustedRoots: the trusted roots of signatures.
	TUFTrustedRoots = resource.Define[TUFTrustedRootSpec]("TUFTrustedRoots.security.talos.dev",
		resource.Namespace("security"), resource.DisplayType("TUFTrustedRoot"), resource.Columns(
			resource.Column{Name: "Last Refresh", Path: "{.lastRefreshTime}"},
		))
)

// Kinds lists them.
func Kinds() []resource.AnyKind {
	return []resource.AnyKind{
		ImageVerificationRules,
		TUFTrustedRoots,
	}
}
