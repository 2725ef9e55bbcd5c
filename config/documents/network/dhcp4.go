package network

import (
	"github.com/ichor-os/ichor/config/document"
	"github.com/ichor-os/ichor/config/documents/rules"
	"github.com/ichor-os/ichor/config/scalar"
)

// DHCPv4Kind is the kind DHCPv4Config.
var DHCPv4Kind = &document.Kind{
	APIVersion: document.V1Alpha1, Kind: "DHCPv4Config", Named: true, Since: "1.13",
	New: func() document.Document { return new(DHCPv4Config) },
	Doc: "Runs a DHCPv4 client on a link.",
	Example: `apiVersion: v1alpha1
kind: DHCPv4Config
name: eth0
routeMetric: 1024
clientIdentifier: mac
`,
}

// DHCPv4Config runs a DHCPv4 client.
type DHCPv4Config struct {
	DocName      string `yaml:"name" effect:"yes" change:"live" cut:"network" doc:"Name or alias of the link that asks for a lease."`
	DHCPLease    `yaml:",inline"`
	IgnoreRoutes *bool `yaml:"ignoreRoutes,omitempty" since:"1.14" cut:"network" doc:"Whether routes in the lease are ignored." default:"false"`
	DHCPIdentity `yaml:",inline"`
}

// DHCPLease says what the clients of both IP versions do with a lease.
type DHCPLease struct {
	RouteMetric    uint32 `yaml:"routeMetric,omitempty" effect:"yes" change:"live" cut:"network" doc:"Metric of the routes that the lease brings." default:"1024"`
	IgnoreHostname *bool  `yaml:"ignoreHostname,omitempty" effect:"yes" change:"live" doc:"Whether a host name in the lease is ignored." default:"false"`
}

// DHCPIdentity is what the clients of both IP versions call themselves.
type DHCPIdentity struct {
	ClientIdentifier *ClientIdentifier   `yaml:"clientIdentifier,omitempty" effect:"yes" change:"live" cut:"network" doc:"What the client calls itself towards the server: nothing, its hardware address or a DUID." enum:"none,mac,duid" default:"mac"`
	DUIDRaw          scalar.HardwareAddr `yaml:"duidRaw,omitempty" effect:"yes" change:"live" cut:"network" doc:"DHCP unique identifier in hex bytes with colons; needed with clientIdentifier duid, and only there."`
}

func (c *DHCPIdentity) validate(v *document.Validation) {
	duid := c.ClientIdentifier != nil && *c.ClientIdentifier == ClientIdentifierDUID

	switch {
	case duid && c.DUIDRaw.IsZero():
		v.Errorf("duidRaw", "duidRaw is missing, but clientIdentifier is duid").Fix("add the identifier in hex bytes, or choose mac")
	case !duid && !c.DUIDRaw.IsZero():
		v.Errorf("duidRaw", "duidRaw is given, but clientIdentifier is not duid").Fix("set clientIdentifier: duid, or remove duidRaw")
	}
}

// Kind returns DHCPv4Kind.
func (c *DHCPv4Config) Kind() *document.Kind { return DHCPv4Kind }

// Name is the link's name.
func (c *DHCPv4Config) Name() string { return c.DocName }

// Validate checks the document.
func (c *DHCPv4Config) Validate(v *document.Validation) {
	rules.NameGiven(v, c.DocName)
	c.validate(v)
}
