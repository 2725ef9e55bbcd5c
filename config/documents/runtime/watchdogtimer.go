package runtime

import (
	"strings"
	"time"

	"github.com/ichor-os/ichor/config/document"
	"github.com/ichor-os/ichor/config/documents/rules"
)

const minWatchdogTimeout = 10 * time.Second

// WatchdogTimerKind is the kind WatchdogTimerConfig.
var WatchdogTimerKind = &document.Kind{
	APIVersion: document.V1Alpha1, Kind: "WatchdogTimerConfig", Since: "1.13",
	New: func() document.Document { return new(WatchdogTimerConfig) },
	Doc: "Has a hardware timer restart the machine when it hangs.",
	Example: `apiVersion: v1alpha1
kind: WatchdogTimerConfig
device: /dev/watchdog0
timeout: 2m0s
`,
}

// WatchdogTimerConfig sets up a watchdog timer.
type WatchdogTimerConfig struct {
	Device  string        `yaml:"device" doc:"Device of the timer, such as /dev/watchdog0."`
	Timeout time.Duration `yaml:"timeout,omitempty" doc:"How long the machine may hang before it is restarted; at least 10s." default:"1m0s"`
}

// Kind returns WatchdogTimerKind.
func (c *WatchdogTimerConfig) Kind() *document.Kind { return WatchdogTimerKind }

// Name is empty: there is one such document.
func (c *WatchdogTimerConfig) Name() string { return "" }

// Validate checks the document.
func (c *WatchdogTimerConfig) Validate(v *document.Validation) {
	if rules.Given(v, "device", c.Device) && !strings.HasPrefix(c.Device, "/dev/") {
		v.Advisef("device", "device is no path below /dev: %q", c.Device)
	}

	if c.Timeout != 0 && c.Timeout < minWatchdogTimeout {
		v.Errorf("timeout", "time is too short: %s", c.Timeout).Fix("use %s or more", minWatchdogTimeout)
	}
}
