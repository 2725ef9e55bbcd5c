// Package hardware holds the config documents about devices and their drivers.
package hardware

import (
	"regexp"

	"github.com/ichor-os/ichor/config/document"
)

// Kinds lists the kinds of this domain.
func Kinds() []*document.Kind { return []*document.Kind{PCIDriverRebindKind} }

// PCIDriverRebindKind is the kind PCIDriverRebindConfig.
var PCIDriverRebindKind = &document.Kind{
	APIVersion: document.V1Alpha1, Kind: "PCIDriverRebindConfig", Named: true, Since: "1.13",
	New: func() document.Document { return new(PCIDriverRebindConfig) },
	Doc: "Hands a PCI device over to another driver, such as vfio-pci for a virtual machine.",
	Example: `apiVersion: v1alpha1
kind: PCIDriverRebindConfig
name: "0000:04:00.0"
targetDriver: vfio-pci
`,
}

// PCIDriverRebindConfig binds a device to another driver.
type PCIDriverRebindConfig struct {
	DocName      string `yaml:"name" cut:"network" doc:"PCI address of the device: domain:bus:device.function."`
	TargetDriver string `yaml:"targetDriver" cut:"network" doc:"Kernel driver that takes the device over."`
}

// Kind returns PCIDriverRebindKind.
func (c *PCIDriverRebindConfig) Kind() *document.Kind { return PCIDriverRebindKind }

// Name is the device's address.
func (c *PCIDriverRebindConfig) Name() string { return c.DocName }

var pciAddress = regexp.MustCompile(`^[0-9a-fA-F]{4,}:[0-9a-fA-F]{2}:[0-9a-fA-F]{2}\.[0-7]$`)

// Validate accepts every text; what no device can match is named as advice.
func (c *PCIDriverRebindConfig) Validate(v *document.Validation) {
	if !pciAddress.MatchString(c.DocName) {
		v.Advisef("name", "%q is no PCI address", c.DocName).Fix("use the form 0000:04:00.0")
	}

	if c.TargetDriver == "" {
		v.Advisef("targetDriver", "driver is missing, so the document does nothing")
	}
}
