package runtime

import (
	"slices"
	"strconv"

	"github.com/ichor-os/ichor/config/document"
	"github.com/ichor-os/ichor/config/documents/rules"
	"github.com/ichor-os/ichor/config/scalar"
)

// KmsgLogKind is the kind KmsgLogConfig.
var KmsgLogKind = &document.Kind{
	APIVersion: document.V1Alpha1, Kind: "KmsgLogConfig", Named: true, Since: "1.13",
	New: func() document.Document { return new(KmsgLogConfig) },
	Doc: "Sends the kernel's log to a server.",
	Example: `apiVersion: v1alpha1
kind: KmsgLogConfig
name: remote
url: tcp://192.0.2.20:5044/
`,
}

// KmsgLogConfig sends the kernel's log.
type KmsgLogConfig struct {
	DocName string            `yaml:"name" effect:"yes" doc:"Name of the destination."`
	URL     scalar.WrittenURL `yaml:"url" effect:"yes" doc:"Address of the server: tcp, udp or tls, with port."`
}

// Kind returns KmsgLogKind.
func (c *KmsgLogConfig) Kind() *document.Kind { return KmsgLogKind }

// Name is the destination's name.
func (c *KmsgLogConfig) Name() string { return c.DocName }

// Validate reports the first fault of the document.
func (c *KmsgLogConfig) Validate(v *document.Validation) {
	if !rules.NameGiven(v, c.DocName) || !rules.Given(v, "url", c.URL.String()) {
		return
	}

	switch path := c.URL.Path; {
	case !slices.Contains([]string{"tcp", "udp", "tls"}, c.URL.Scheme):
		v.Errorf("url", "scheme is not supported: %q", c.URL.Scheme).Fix("use tcp, udp or tls")
	case path != "" && path != "/":
		v.Errorf("url", "URL has a path: %q", path).Fix("remove the path")
	case c.URL.Port() == "":
		v.Errorf("url", "URL has no port").Fix("add the port of the server")
	default:
		c.advise(v)
	}
}

func (c *KmsgLogConfig) advise(v *document.Validation) {
	const bits = 16

	if _, err := strconv.ParseUint(c.URL.Port(), 10, bits); err != nil {
		v.Advisef("url", "port is out of range: %s", c.URL.Port())
	}

	if c.URL.Hostname() == "" {
		v.Advisef("url", "URL has no host")
	}
}
