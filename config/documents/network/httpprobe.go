package network

import (
	"time"

	"github.com/ichor-os/ichor/config/document"
	"github.com/ichor-os/ichor/config/documents/rules"
	"github.com/ichor-os/ichor/config/scalar"
)

// HTTPProbeKind is the kind HTTPProbeConfig.
var HTTPProbeKind = &document.Kind{
	APIVersion: document.V1Alpha1, Kind: "HTTPProbeConfig", Named: true, Since: "1.14",
	New: func() document.Document { return new(HTTPProbeConfig) },
	Doc: "Checks that a web server answers; the node counts as connected only while all probes pass.",
	Example: `apiVersion: v1alpha1
kind: HTTPProbeConfig
name: portal
interval: 30s
failureThreshold: 3
url: https://portal.example.com/healthz
timeout: 5s
`,
}

// HTTPProbeConfig checks a web server.
type HTTPProbeConfig struct {
	DocName string `yaml:"name" doc:"Name of the probe."`
	Probe   `yaml:",inline"`
	URL     scalar.WrittenURL `yaml:"url" doc:"Address to ask for: http or https."`
	Timeout time.Duration     `yaml:"timeout,omitempty" doc:"Time after which an attempt counts as failed." default:"10s"`
}

// Kind returns HTTPProbeKind.
func (c *HTTPProbeConfig) Kind() *document.Kind { return HTTPProbeKind }

// Name is the probe's name.
func (c *HTTPProbeConfig) Name() string { return c.DocName }

// Validate checks the document.
func (c *HTTPProbeConfig) Validate(v *document.Validation) {
	rules.NameGiven(v, c.DocName)
	c.validate(v)
	rules.URL(v, "url", c.URL.URL, "http", "https")
	rules.NotNegative(v, "timeout", c.Timeout)
}
