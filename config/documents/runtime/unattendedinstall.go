package runtime

import (
	"github.com/ichor-os/ichor/config/cel"
	"github.com/ichor-os/ichor/config/document"
	"github.com/ichor-os/ichor/config/documents/rules"
	"github.com/ichor-os/ichor/config/scalar"
)

// UnattendedInstallKind is the kind UnattendedInstall.
var UnattendedInstallKind = &document.Kind{
	APIVersion: document.V1Alpha1, Kind: "UnattendedInstall", Since: "1.14",
	New: func() document.Document { return new(UnattendedInstallConfig) },
	Doc: "Installs the system to a disk without being told again.",
	Example: `apiVersion: v1alpha1
kind: UnattendedInstall
reboot: true
installer:
  image: registry.example.com/installer:v1.14.0
provisioning:
  diskSelector:
    match: disk.transport == "nvme" && disk.size > 100u * GiB
  wipe: false
`,
}

// UnattendedInstallConfig installs the system.
type UnattendedInstallConfig struct {
	Reboot       *bool               `yaml:"reboot,omitempty" doc:"Whether the machine restarts from the disk afterwards." default:"true"`
	Installer    Installer           `yaml:"installer,omitempty" doc:"What is installed."`
	Provisioning InstallProvisioning `yaml:"provisioning,omitempty" doc:"Where it is installed."`
}

// Installer names what is installed.
type Installer struct {
	Image string `yaml:"image,omitempty" doc:"Installer image." default:"the running system's own"`
}

// InstallProvisioning says where the system is installed.
type InstallProvisioning struct {
	DiskSelector DiskSelector `yaml:"diskSelector,omitempty" doc:"Disk to install to."`
	Wipe         *bool        `yaml:"wipe,omitempty" doc:"Whether the disk is wiped first." default:"false"`
}

// DiskSelector chooses a disk.
type DiskSelector struct {
	Match scalar.Expression `yaml:"match,omitempty" doc:"CEL expression over disk that is true for the disk to choose."`
}

// Kind returns UnattendedInstallKind.
func (c *UnattendedInstallConfig) Kind() *document.Kind { return UnattendedInstallKind }

// Name is empty: there is one such document.
func (c *UnattendedInstallConfig) Name() string { return "" }

// Validate checks the document.
func (c *UnattendedInstallConfig) Validate(v *document.Validation) {
	const path = "provisioning.diskSelector.match"

	if match := c.Provisioning.DiskSelector.Match; rules.Given(v, path, string(match)) {
		rules.Expression(v, path, cel.Disk, match)
	}
}
