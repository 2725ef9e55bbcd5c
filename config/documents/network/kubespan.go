package network

import (
	"github.com/ichor-os/ichor/config/document"
	"github.com/ichor-os/ichor/config/scalar"
)

const minKubeSpanMTU = 1280

// KubeSpanKind is the kind KubeSpanConfig.
var KubeSpanKind = &document.Kind{
	APIVersion: document.V1Alpha1, Kind: "KubeSpanConfig", Since: "1.13",
	New: func() document.Document { return new(KubeSpanConfig) },
	Doc: "Connects all nodes of the cluster by an encrypted mesh network.",
	Example: `apiVersion: v1alpha1
kind: KubeSpanConfig
enabled: true
mtu: 1420
filters:
  endpoints:
    - 0.0.0.0/0
    - '!198.51.100.0/24'
`,
}

// KubeSpanConfig sets up the mesh network.
type KubeSpanConfig struct {
	Enabled                     *bool            `yaml:"enabled,omitempty" cut:"network" doc:"Whether the node takes part in the mesh." default:"false"`
	AdvertiseKubernetesNetworks *bool            `yaml:"advertiseKubernetesNetworks,omitempty" cut:"network" doc:"Whether pod traffic goes through the mesh directly, instead of through the CNI's own tunnel." default:"false"`
	AllowDownPeerBypass         *bool            `yaml:"allowDownPeerBypass,omitempty" cut:"network" doc:"Whether traffic to a peer whose tunnel is down goes out unencrypted." default:"false"`
	HarvestExtraEndpoints       *bool            `yaml:"harvestExtraEndpoints,omitempty" doc:"Whether endpoints that peers were seen at are told to the other nodes." default:"false"`
	MTU                         *uint32          `yaml:"mtu,omitempty" cut:"network" doc:"Largest packet inside the mesh, in bytes; at least 1280." default:"1420"`
	Filters                     *KubeSpanFilters `yaml:"filters,omitempty" cut:"network" doc:"Addresses and networks to leave out."`
}

// KubeSpanFilters limits what a node announces.
type KubeSpanFilters struct {
	Endpoints                 []string        `yaml:"endpoints,omitempty" doc:"Networks or addresses that the node's own endpoints must lie in; a leading ! excludes."`
	ExcludeAdvertisedNetworks []scalar.Prefix `yaml:"excludeAdvertisedNetworks,omitempty" doc:"Networks that the node does not announce to its peers."`
}

// Kind returns KubeSpanKind.
func (c *KubeSpanConfig) Kind() *document.Kind { return KubeSpanKind }

// Name is empty: there is one such document.
func (c *KubeSpanConfig) Name() string { return "" }

// Validate checks the document.
func (c *KubeSpanConfig) Validate(v *document.Validation) {
	if c.MTU != nil && *c.MTU < minKubeSpanMTU {
		v.Errorf("mtu", "MTU is too small: %d", *c.MTU).Fix("use %d or more", minKubeSpanMTU)
	}

	if c.Filters == nil {
		return
	}

	for i, f := range c.Filters.Endpoints {
		if err := scalar.CheckSubnetFilter(f); err != nil {
			v.At("filters").Item("endpoints", i).Errorf("", "%s", err).Fix("write 10.0.0.0/8 or 10.0.0.1, with ! in front to exclude")
		}
	}
}
