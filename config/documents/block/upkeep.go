package block

import (
	"time"

	"github.com/ichor-os/ichor/config/document"
	"github.com/ichor-os/ichor/config/documents/rules"
	"github.com/ichor-os/ichor/config/scalar"
)

// Trim says for one volume what FilesystemTrimConfig says for all.
type Trim struct {
	Enabled  *bool         `yaml:"enabled,omitempty" doc:"Whether the volume is trimmed." default:"true"`
	Interval time.Duration `yaml:"interval,omitempty" doc:"Time between two runs." default:"that of FilesystemTrimConfig"`
}

// Scrub says for one volume what FilesystemScrubConfig says for all.
type Scrub struct {
	Enabled  *bool         `yaml:"enabled,omitempty" doc:"Whether the volume is checked." default:"true"`
	Interval time.Duration `yaml:"interval,omitempty" doc:"Time between two runs." default:"that of FilesystemScrubConfig"`
}

func validateUpkeep(v *document.Validation, t Trim, s Scrub) {
	rules.NotNegative(v, "trim.interval", t.Interval)
	rules.NotNegative(v, "scrub.interval", s.Interval)
}

// XFS holds settings that only xfs has.
type XFS struct {
	MinAllocationGroupSize scalar.Size `yaml:"minAllocationGroupSize,omitempty" doc:"Smallest size of an allocation group of a new file system."`
}

// smallestGroup is the smallest allocation group that mkfs.xfs makes, in bytes.
const smallestGroup = 16 << 20

func (x *XFS) advise(v *document.Validation) {
	if size := x.MinAllocationGroupSize; !size.IsZero() && (size.IsNegative() || size.Bytes() < smallestGroup) {
		v.Advisef("minAllocationGroupSize", "xfs makes no allocation group as small as %s", size).Fix("use 16MiB or more")
	}
}
