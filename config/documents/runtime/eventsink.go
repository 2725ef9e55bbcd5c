package runtime

import (
	"net"

	"github.com/ichor-os/ichor/config/document"
)

// EventSinkKind is the kind EventSinkConfig.
var EventSinkKind = &document.Kind{
	APIVersion: document.V1Alpha1, Kind: "EventSinkConfig", Since: "1.13",
	New: func() document.Document { return new(EventSinkConfig) },
	Doc: "Sends the node's events to a service.",
	Example: `apiVersion: v1alpha1
kind: EventSinkConfig
endpoint: 192.0.2.10:3247
`,
}

// EventSinkConfig sends events.
type EventSinkConfig struct {
	Endpoint string `yaml:"endpoint" effect:"yes" doc:"Host and port of the service, which gets a line of JSON for each event over TCP."`
}

// Kind returns EventSinkKind.
func (c *EventSinkConfig) Kind() *document.Kind { return EventSinkKind }

// Name is empty: there is one such document.
func (c *EventSinkConfig) Name() string { return "" }

// Validate checks the document.
func (c *EventSinkConfig) Validate(v *document.Validation) {
	host, port, err := net.SplitHostPort(c.Endpoint)

	switch {
	case err != nil:
		v.Errorf("endpoint", "endpoint has not the form host:port: %q", c.Endpoint).Fix("use host:port, with brackets around an IPv6 address")
	case host == "" || port == "":
		v.Advisef("endpoint", "endpoint lacks its host or port: %q", c.Endpoint)
	}
}
