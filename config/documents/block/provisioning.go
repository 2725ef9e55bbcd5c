package block

import (
	"regexp"

	"github.com/ichor-os/ichor/config/cel"
	"github.com/ichor-os/ichor/config/document"
	"github.com/ichor-os/ichor/config/documents/rules"
	"github.com/ichor-os/ichor/config/scalar"
)

// Provisioning says where a volume is made and how large it is.
type Provisioning struct {
	DiskSelector DiskSelector         `yaml:"diskSelector,omitempty" doc:"Disk that the volume is made on."`
	Grow         *bool                `yaml:"grow,omitempty" doc:"Whether the volume grows to its largest size when there is room, also later." default:"false, for EPHEMERAL true"`
	MinSize      scalar.Size          `yaml:"minSize,omitempty" doc:"Smallest size that the volume may have, such as 10GiB; disks with less room are passed over."`
	MaxSize      scalar.SizeOrPercent `yaml:"maxSize,omitempty" doc:"Largest size, such as 100GiB or 50% of the disk; with a leading minus, what is left free."`
}

// DiskSelector chooses a disk.
type DiskSelector struct {
	Match scalar.Expression `yaml:"match,omitempty" doc:"CEL expression over disk and system_disk that is true for the disk to choose."`
}

// IsZero tells whether no key of the section is given.
func (p *Provisioning) IsZero() bool {
	return p.DiskSelector.Match == "" && p.Grow == nil && p.MinSize.IsZero() && p.MaxSize.IsZero()
}

func (p *Provisioning) hasSize() bool { return !p.MinSize.IsZero() || !p.MaxSize.IsZero() }

func (p *Provisioning) validate(v *document.Validation) {
	if p.DiskSelector.Match != "" {
		rules.Expression(v, "diskSelector.match", cel.Disk, p.DiskSelector.Match)
	}

	if p.MinSize.IsNegative() {
		v.Errorf("minSize", "size is negative: %s", p.MinSize).Fix("use 0 or more")
	}

	bothAbsolute := !p.MinSize.IsZero() && !p.MaxSize.IsZero() && !p.MaxSize.IsPercent() && !p.MaxSize.IsNegative()
	if bothAbsolute && !p.MinSize.IsNegative() && p.MinSize.Bytes() > p.MaxSize.Bytes() {
		v.Errorf("minSize", "smallest size is above the largest: %s, %s", p.MinSize, p.MaxSize).Fix("lower minSize or raise maxSize")
	}
}

// validateNeeded demands a selector and a size.
func (p *Provisioning) validateNeeded(v *document.Validation) {
	if p.DiskSelector.Match == "" {
		v.Errorf("diskSelector.match", "disk selector is missing").Fix("add an expression, such as %q", "!system_disk")
	}

	if !p.hasSize() {
		v.Errorf("minSize", "neither minSize nor maxSize is given").Fix("add at least one of the two")
	}
}

const maxVolumeName = 34

var volumeName = regexp.MustCompile(`^[A-Za-z0-9-]+$`)

// checkVolumeName demands a name that fits a partition label with its prefix.
func checkVolumeName(v *document.Validation, name string) {
	if checkVolumeCharacters(v, name) && len(name) > maxVolumeName {
		v.Errorf("name", "name is %d characters long: %q", len(name), name).Fix("use at most %d", maxVolumeName)
	}
}

func checkVolumeCharacters(v *document.Validation, name string) bool {
	if !rules.NameGiven(v, name) {
		return false
	}

	if !volumeName.MatchString(name) {
		v.Errorf("name", "name holds other characters than letters, digits and dashes: %q", name).Fix("use letters, digits and dashes only")

		return false
	}

	return true
}
