package network

import (
	"time"

	"github.com/ichor-os/ichor/config/document"
	"github.com/ichor-os/ichor/config/documents/rules"
)

// TCPProbeKind is the kind TCPProbeConfig.
var TCPProbeKind = &document.Kind{
	APIVersion: document.V1Alpha1, Kind: "TCPProbeConfig", Named: true, Since: "1.13",
	New: func() document.Document { return new(TCPProbeConfig) },
	Doc: "Checks that a TCP endpoint can be reached; the node counts as connected only while all probes pass.",
	Example: `apiVersion: v1alpha1
kind: TCPProbeConfig
name: gateway
interval: 10s
failureThreshold: 3
endpoint: 192.0.2.1:443
timeout: 5s
`,
}

// Probe holds the keys that all probes share.
type Probe struct {
	Interval         time.Duration `yaml:"interval,omitempty" doc:"Time between two attempts." default:"1s"`
	FailureThreshold int           `yaml:"failureThreshold,omitempty" doc:"Number of failures in a row after which the probe counts as failed." default:"0: the first"`
}

func (p *Probe) validate(v *document.Validation) {
	rules.NotNegative(v, "interval", p.Interval)

	if p.FailureThreshold < 0 {
		v.Errorf("failureThreshold", "number is negative: %d", p.FailureThreshold).Fix("use 0 or more")
	}
}

// TCPProbeConfig checks a TCP endpoint.
type TCPProbeConfig struct {
	DocName  string `yaml:"name" doc:"Name of the probe."`
	Probe    `yaml:",inline"`
	Endpoint string        `yaml:"endpoint" doc:"Host and port to connect to."`
	Timeout  time.Duration `yaml:"timeout,omitempty" doc:"Time after which an attempt counts as failed." default:"10s"`
}

// Kind returns TCPProbeKind.
func (c *TCPProbeConfig) Kind() *document.Kind { return TCPProbeKind }

// Name is the probe's name.
func (c *TCPProbeConfig) Name() string { return c.DocName }

// Validate checks the document.
func (c *TCPProbeConfig) Validate(v *document.Validation) {
	rules.NameGiven(v, c.DocName)
	c.validate(v)

	if rules.Given(v, "endpoint", c.Endpoint) {
		adviseHostPort(v, "endpoint", c.Endpoint)
	}

	rules.NotNegative(v, "timeout", c.Timeout)
}
