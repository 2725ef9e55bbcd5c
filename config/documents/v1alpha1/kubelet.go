package v1alpha1

import "github.com/ichor-os/ichor/config/document"

// KubeletConfig is the section machine.kubelet.
type KubeletConfig struct {
	Image                    string               `yaml:"image,omitempty" effect:"yes" doc:"Image of the kubelet; its tag is the Kubernetes version of the node."`
	ClusterDNS               []string             `yaml:"clusterDNS,omitempty" default:"tenth address of each service subnet" effect:"yes" doc:"Addresses of the cluster's name service, as pods see it."`
	ExtraArgs                map[string]Argument  `yaml:"extraArgs,omitempty" merge:"perkey" effect:"yes" doc:"Further flags, name to value. A list gives the flag several times."`
	ExtraMounts              []ExtraMount         `yaml:"extraMounts,omitempty" doc:"Further mounts into the kubelet's container."`
	ExtraConfig              document.Freeform    `yaml:"extraConfig,omitempty" effect:"yes" doc:"Further keys of KubeletConfiguration. Keys that the system sets itself are refused."`
	CredentialProviderConfig document.Freeform    `yaml:"credentialProviderConfig,omitempty" effect:"yes" doc:"CredentialProviderConfig of Kubernetes, for image pulls with short-lived credentials."`
	DefaultRuntimeSeccomp    *bool                `yaml:"defaultRuntimeSeccompProfileEnabled,omitempty" since:"1.2" default:"false" effect:"yes" doc:"Give pods the runtime's seccomp profile where they ask for none."`
	RegisterWithFQDN         *bool                `yaml:"registerWithFQDN,omitempty" default:"false" effect:"yes" doc:"Register the node under its full host name."`
	NodeIP                   *KubeletNodeIPConfig `yaml:"nodeIP,omitempty" doc:"Which of the machine's addresses the node has."`
	SkipNodeRegistration     *bool                `yaml:"skipNodeRegistration,omitempty" default:"false" effect:"yes" doc:"Run without an API server, static pods only."`
	DisableManifests         *bool                `yaml:"disableManifestsDirectory,omitempty" since:"1.3" default:"false" effect:"yes" doc:"Ignore static pods from files in /etc/kubernetes/manifests."`
}

// KubeletNodeIPConfig chooses the node's addresses.
type KubeletNodeIPConfig struct {
	ValidSubnets []string `yaml:"validSubnets,omitempty" effect:"yes" doc:"Subnets or addresses to choose from; a leading ! excludes."`
}

// ExtraMount is a mount in the form of the OCI runtime.
type ExtraMount struct {
	Destination string           `yaml:"destination" effect:"yes" doc:"Path in the container."`
	Type        string           `yaml:"type,omitempty" effect:"yes" doc:"Type of the mount, mostly bind."`
	Source      string           `yaml:"source,omitempty" effect:"yes" doc:"Path on the machine."`
	Options     []string         `yaml:"options,omitempty" effect:"yes" doc:"Mount options."`
	UIDMappings []LinuxIDMapping `yaml:"uidMappings,omitempty" doc:"How user ids map."`
	GIDMappings []LinuxIDMapping `yaml:"gidMappings,omitempty" doc:"How group ids map."`
}

// LinuxIDMapping maps a range of ids.
type LinuxIDMapping struct {
	ContainerID uint32 `yaml:"containerID" doc:"First id in the container."`
	HostID      uint32 `yaml:"hostID" doc:"First id on the machine."`
	Size        uint32 `yaml:"size" doc:"How many ids."`
}
