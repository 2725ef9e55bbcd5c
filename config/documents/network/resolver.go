package network

import (
	"github.com/ichor-os/ichor/config/document"
	"github.com/ichor-os/ichor/config/scalar"
)

// ResolverKind is the kind ResolverConfig.
var ResolverKind = &document.Kind{
	APIVersion: document.V1Alpha1, Kind: "ResolverConfig", Since: "1.13",
	New: func() document.Document { return new(ResolverConfig) },
	Doc: "Sets the name servers and search domains of the node; they replace those of DHCP and of the platform.",
	Example: `apiVersion: v1alpha1
kind: ResolverConfig
nameservers:
  - address: 192.0.2.53
  - address: 2001:db8::53
searchDomains:
  domains:
    - example.com
`,
}

// ResolverConfig sets up name resolution.
type ResolverConfig struct {
	Nameservers   []Nameserver  `yaml:"nameservers,omitempty" cut:"network" doc:"Name servers, in the order they are asked."`
	SearchDomains SearchDomains `yaml:"searchDomains,omitempty" doc:"Domains that short names are looked up in."`
	HostDNS       *HostDNS      `yaml:"hostDNS,omitempty" since:"1.14" doc:"Caching name server on the machine; takes the place of machine.features.hostDNS."`
}

// Nameserver is a name server.
type Nameserver struct {
	Address       scalar.Address `yaml:"address" effect:"yes" doc:"Address of the name server."`
	Protocol      DNSProtocol    `yaml:"protocol,omitempty" since:"1.14" doc:"How the server is asked: in the clear, over TLS or over HTTPS." enum:"Do53,DoT,DoH" default:"Do53"`
	TLSServerName string         `yaml:"tlsServerName,omitempty" since:"1.14" doc:"Name in the server's certificate, with DoT and DoH."`
}

// HostDNS is the caching name server on the machine.
type HostDNS struct {
	Enabled              *bool `yaml:"enabled,omitempty" doc:"Whether the server runs." default:"false"`
	ForwardKubeDNSToHost *bool `yaml:"forwardKubeDNSToHost,omitempty" doc:"Whether the cluster's name service asks this server. It needs enabled." default:"false"`
	ResolveMemberNames   *bool `yaml:"resolveMemberNames,omitempty" doc:"Whether it answers for the names of the cluster's machines." default:"false"`
}

// SearchDomains sets up the lookup of short names.
type SearchDomains struct {
	Domains        []string `yaml:"domains,omitempty" effect:"yes" doc:"Search domains, in the order they are tried."`
	DisableDefault *bool    `yaml:"disableDefault,omitempty" effect:"yes" doc:"Whether the domain of the host name is left out of the search list." default:"false"`
}

// Kind returns ResolverKind.
func (c *ResolverConfig) Kind() *document.Kind { return ResolverKind }

// Name is empty: there is one such document.
func (c *ResolverConfig) Name() string { return "" }

// Validate checks the document; each address was checked on reading.
func (c *ResolverConfig) Validate(v *document.Validation) {
	if h := c.HostDNS; h != nil && h.ForwardKubeDNSToHost != nil && *h.ForwardKubeDNSToHost && (h.Enabled == nil || !*h.Enabled) {
		v.Errorf("hostDNS.forwardKubeDNSToHost", "hostDNS.forwardKubeDNSToHost is on, but hostDNS.enabled is not").
			Fix("set hostDNS.enabled: true, or remove forwardKubeDNSToHost")
	}

	c.advise(v)
}
