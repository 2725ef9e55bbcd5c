package network

import (
	"time"

	"github.com/ichor-os/ichor/config/document"
	"github.com/ichor-os/ichor/config/documents/rules"
)

// TimeSyncKind is the kind TimeSyncConfig.
var TimeSyncKind = &document.Kind{
	APIVersion: document.V1Alpha1, Kind: "TimeSyncConfig", Since: "1.13",
	New: func() document.Document { return new(TimeSyncConfig) },
	Doc: "Says where the node gets its time from.",
	Example: `apiVersion: v1alpha1
kind: TimeSyncConfig
enabled: true
bootTimeout: 2m0s
ntp:
  servers:
    - time.example.com
`,
}

// TimeSyncConfig sets up time synchronisation.
type TimeSyncConfig struct {
	Enabled     *bool         `yaml:"enabled,omitempty" effect:"yes" doc:"Whether the clock is kept in step at all." default:"true"`
	BootTimeout time.Duration `yaml:"bootTimeout,omitempty" effect:"yes" doc:"How long the boot waits for the right time; 0 waits for ever."`
	NTP         *NTP          `yaml:"ntp,omitempty" doc:"Time from servers on the network. Excludes ptp."`
	PTP         *PTP          `yaml:"ptp,omitempty" doc:"Time from clock devices. Excludes ntp."`
}

// NTP is time from servers.
type NTP struct {
	Servers []string `yaml:"servers,omitempty" effect:"yes" doc:"Names or addresses of time servers, or /dev/ptp devices."`
	UseNTS  *bool    `yaml:"useNTS,omitempty" since:"1.14" doc:"Whether the servers must prove who they are, by Network Time Security (RFC 8915)." default:"false"`
}

// PTP is time from devices.
type PTP struct {
	Devices []string `yaml:"devices,omitempty" doc:"Clock devices, such as /dev/ptp0."`
}

// Kind returns TimeSyncKind.
func (c *TimeSyncConfig) Kind() *document.Kind { return TimeSyncKind }

// Name is empty: there is one such document.
func (c *TimeSyncConfig) Name() string { return "" }

// Validate checks the document.
func (c *TimeSyncConfig) Validate(v *document.Validation) {
	if c.NTP != nil && c.PTP != nil {
		v.Errorf("ptp", "both ntp and ptp are given").Fix("keep one of the two")
	}

	rules.NotNegative(v, "bootTimeout", c.BootTimeout)
}
