package stat

import (
	"os"
	"path/filepath"

	machinepb "github.com/ichor-os/ichor/api/machine"
)

// stacked reports whether a disk lies on others, as device-mapper and RAID do.
func stacked(sys, name string) bool {
	below, err := os.ReadDir(filepath.Join(sys, "block", name, "slaves"))
	return err == nil && len(below) > 0
}

func addDisk(total, d *machinepb.DiskStat) {
	total.ReadCompleted += d.GetReadCompleted()
	total.ReadMerged += d.GetReadMerged()
	total.ReadSectors += d.GetReadSectors()
	total.ReadTimeMs += d.GetReadTimeMs()
	total.WriteCompleted += d.GetWriteCompleted()
	total.WriteMerged += d.GetWriteMerged()
	total.WriteSectors += d.GetWriteSectors()
	total.WriteTimeMs += d.GetWriteTimeMs()
	total.IoInProgress += d.GetIoInProgress()
	total.IoTimeMs += d.GetIoTimeMs()
	total.IoTimeWeightedMs += d.GetIoTimeWeightedMs()
	total.DiscardCompleted += d.GetDiscardCompleted()
	total.DiscardMerged += d.GetDiscardMerged()
	total.DiscardSectors += d.GetDiscardSectors()
	total.DiscardTimeMs += d.GetDiscardTimeMs()
}
