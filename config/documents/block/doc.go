// Package block holds the config documents about disks, volumes and swap: one
// file a kind.
package block

import "github.com/ichor-os/ichor/config/document"

// Kinds lists the kinds of this domain.
func Kinds() []*document.Kind {
	return []*document.Kind{
		ExistingVolumeKind, ExternalVolumeKind, FilesystemScrubKind, FilesystemTrimKind, RawVolumeKind, SwapVolumeKind, UserVolumeKind, VolumeKind, ZswapKind,
	}
}
