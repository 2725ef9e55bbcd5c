package kubernetes

import (
	"github.com/ichor-os/ichor/config/document"
	"github.com/ichor-os/ichor/config/scalar"
)

// NetworkKind is the kind KubeNetworkConfig.
var NetworkKind = &document.Kind{
	APIVersion: document.V1Alpha1, Kind: "KubeNetworkConfig", Since: "1.14",
	New: func() document.Document { return new(NetworkConfig) },
	Doc: "Sets the networks of pods and services.",
	Example: `apiVersion: v1alpha1
kind: KubeNetworkConfig
dnsDomain: cluster.local
podSubnets:
  - 10.244.0.0/16
serviceSubnets:
  - 10.96.0.0/12
`,
}

// NetworkConfig sets the networks of pods and services.
type NetworkConfig struct {
	DNSDomain            string          `yaml:"dnsDomain,omitempty" change:"reboot" doc:"Domain of the cluster's own names." default:"cluster.local"`
	PodSubnets           []scalar.Prefix `yaml:"podSubnets" merge:"replace" change:"reboot" doc:"Networks of pods."`
	ServiceSubnets       []scalar.Prefix `yaml:"serviceSubnets" merge:"replace" change:"reboot" doc:"Networks of services."`
	NodeCIDRMaskSizeIPv4 int             `yaml:"nodeCIDRMaskSizeIPv4,omitempty" change:"reboot" doc:"Length of each node's part of the IPv4 pod network." default:"24"`
	NodeCIDRMaskSizeIPv6 int             `yaml:"nodeCIDRMaskSizeIPv6,omitempty" change:"reboot" doc:"Length of each node's part of the IPv6 pod network." default:"80"`
}

// Kind returns NetworkKind.
func (c *NetworkConfig) Kind() *document.Kind { return NetworkKind }

// Name is empty: there is one such document.
func (c *NetworkConfig) Name() string { return "" }

// Validate checks the document.
func (c *NetworkConfig) Validate(v *document.Validation) {
	for _, list := range []struct {
		key      string
		networks []scalar.Prefix
	}{{"podSubnets", c.PodSubnets}, {"serviceSubnets", c.ServiceSubnets}} {
		if len(list.networks) == 0 {
			v.Errorf(list.key, "no network is given").Fix("list at least one network")
		}

		for i, n := range list.networks {
			if n.IsZero() {
				v.Item(list.key, i).Errorf("", "network is empty").Fix("write 10.244.0.0/16, or remove the item")
			}
		}
	}

	for _, length := range []struct {
		key        string
		value, max int
	}{{"nodeCIDRMaskSizeIPv4", c.NodeCIDRMaskSizeIPv4, 32}, {"nodeCIDRMaskSizeIPv6", c.NodeCIDRMaskSizeIPv6, 128}} {
		if length.value < 0 || length.value > length.max {
			v.Errorf(length.key, "length is out of range: %d", length.value).Fix("use a number from 1 to %d", length.max)
		}
	}

	c.adviseOverlaps(v)
}

// adviseOverlaps names pod networks that share addresses with service networks,
// and pod networks that are smaller than one node's part.
func (c *NetworkConfig) adviseOverlaps(v *document.Validation) {
	for i, p := range c.PodSubnets {
		at := v.Item("podSubnets", i)

		for _, s := range c.ServiceSubnets {
			if p.IsValid() && s.IsValid() && p.Overlaps(s.Prefix) {
				at.Advisef("", "pod network %s overlaps the service network %s", p, s)
			}
		}

		if size := c.NodeCIDRMaskSizeIPv4; p.IsValid() && p.Addr().Is4() && size != 0 && size < p.Bits() {
			at.Advisef("", "pod network %s is smaller than one node's part of it (/%d)", p, size)
		}
	}
}
