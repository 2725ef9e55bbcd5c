package v1alpha1

import "cmp"

// FeaturesConfig is the section machine.features.
type FeaturesConfig struct {
	RBAC                     *bool                           `yaml:"rbac,omitempty" default:"true" doc:"Kept for older configs: roles are always checked."`
	StableHostname           *bool                           `yaml:"stableHostname,omitempty" since:"1.2" default:"false" doc:"Make the host name from the machine's id. HostnameConfig with auto: stable is the newer form."`
	KubernetesTalosAPIAccess *KubernetesTalosAPIAccessConfig `yaml:"kubernetesTalosAPIAccess,omitempty" doc:"Access to the machine API from pods."`
	ApidCheckExtKeyUsage     *bool                           `yaml:"apidCheckExtKeyUsage,omitempty" since:"1.3" default:"true" doc:"Kept for older configs: the key usage of client certificates is always checked."`
	DiskQuotaSupport         *bool                           `yaml:"diskQuotaSupport,omitempty" since:"1.5" change:"reboot" default:"false" doc:"Project quotas on the partition below /var, so that ephemeral storage limits of pods are exact."`
	KubePrism                *KubePrism                      `yaml:"kubePrism,omitempty" since:"1.6" doc:"Balancer on each machine in front of all API servers."`
	HostDNS                  *HostDNSConfig                  `yaml:"hostDNS,omitempty" since:"1.7" doc:"Caching name server on the machine."`
	ImageCache               *ImageCacheConfig               `yaml:"imageCache,omitempty" doc:"Images shipped with the system."`
	NodeAddressSortAlgorithm string                          `yaml:"nodeAddressSortAlgorithm,omitempty" effect:"yes" enum:"v1,v2" default:"v1" doc:"In which order addresses of the node stand."`
}

// KubePrism is the local balancer in front of the API servers.
type KubePrism struct {
	Enabled *bool `yaml:"enabled,omitempty" effect:"yes" change:"restart=kubelet" default:"false" doc:"Run the balancer."`
	Port    int   `yaml:"port,omitempty" effect:"yes" change:"restart=kubelet" default:"7445" doc:"Port on the loopback address."`
}

// KubePrismPort is where the balancer of a machine with this config listens on
// the loopback address; 0 where it is off.
func (c *Config) KubePrismPort() int {
	if c.Machine == nil || c.Machine.Features == nil || c.Machine.Features.KubePrism == nil {
		return 0
	}
	prism := c.Machine.Features.KubePrism
	if prism.Enabled == nil || !*prism.Enabled {
		return 0
	}
	return cmp.Or(prism.Port, 7445)
}

// ImageCacheConfig is the image cache shipped with the system.
type ImageCacheConfig struct {
	LocalEnabled *bool `yaml:"localEnabled,omitempty" default:"false" doc:"Use the cache."`
}

// KubernetesTalosAPIAccessConfig is access to the machine API from pods.
type KubernetesTalosAPIAccessConfig struct {
	Enabled                     *bool    `yaml:"enabled,omitempty" default:"false" doc:"Allow it. Control plane machines only."`
	AllowedRoles                []string `yaml:"allowedRoles,omitempty" enum:"os:admin,os:operator,os:reader,os:etcd:backup" doc:"Roles that can be granted."`
	AllowedKubernetesNamespaces []string `yaml:"allowedKubernetesNamespaces,omitempty" doc:"Namespaces that may ask."`
}

// HostDNSConfig is the caching name server on the machine.
type HostDNSConfig struct {
	Enabled              *bool `yaml:"enabled,omitempty" effect:"yes" change:"live" default:"false" doc:"Run the server."`
	ForwardKubeDNSToHost *bool `yaml:"forwardKubeDNSToHost,omitempty" since:"1.8" effect:"yes" change:"live" default:"false" doc:"Let the cluster's name service ask this server. It needs enabled."`
	ResolveMemberNames   *bool `yaml:"resolveMemberNames,omitempty" effect:"yes" change:"live" default:"false" doc:"Answer for the names of the cluster's machines."`
}
