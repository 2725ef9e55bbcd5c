package v1alpha1

import (
	"time"

	"github.com/ichor-os/ichor/config/document"
	"github.com/ichor-os/ichor/config/scalar"
)

// ClusterConfig is the section cluster.
type ClusterConfig struct {
	ID                            string                       `yaml:"id,omitempty" effect:"yes" change:"reboot" doc:"Id of the cluster, the same on all its machines. Discovery sorts machines by it."`
	Secret                        string                       `yaml:"secret,omitempty" secret:"true" effect:"yes" change:"reboot" doc:"Secret of the cluster, the same on all its machines. Discovery seals its records with it."`
	ControlPlane                  *ControlPlaneConfig          `yaml:"controlPlane" effect:"yes" doc:"How the control plane is reached."`
	ClusterName                   string                       `yaml:"clusterName,omitempty" effect:"yes" doc:"Name of the cluster."`
	Network                       *ClusterNetworkConfig        `yaml:"network,omitempty" doc:"Networks inside the cluster."`
	Token                         string                       `yaml:"token,omitempty" secret:"true" effect:"yes" doc:"Bootstrap token with which kubelets join."`
	AESCBCEncryptionSecret        string                       `yaml:"aescbcEncryptionSecret,omitempty" secret:"true" change:"restart=kube-apiserver" effect:"yes" doc:"Older key for Kubernetes secrets at rest."`
	SecretboxEncryptionSecret     string                       `yaml:"secretboxEncryptionSecret,omitempty" since:"1.3" secret:"true" effect:"yes" change:"restart=kube-apiserver" doc:"Key for Kubernetes secrets at rest: 32 bytes, base64."`
	CA                            *scalar.CertificateAndKey    `yaml:"ca,omitempty" merge:"replace" effect:"yes" doc:"Authority of Kubernetes. Workers hold the certificate alone."`
	AcceptedCAs                   []*scalar.Certificate        `yaml:"acceptedCAs,omitempty" effect:"yes" change:"restart=kubelet,kube-controller-manager" doc:"Further authorities that Kubernetes accepts. Used while an authority is replaced."`
	AggregatorCA                  *scalar.CertificateAndKey    `yaml:"aggregatorCA,omitempty" merge:"replace" effect:"yes" doc:"Authority of the API server's aggregation layer."`
	ServiceAccount                *scalar.Key                  `yaml:"serviceAccount,omitempty" merge:"replace" effect:"yes" doc:"Key that signs service account tokens."`
	APIServer                     *APIServerConfig             `yaml:"apiServer,omitempty" change:"restart=kube-apiserver" doc:"The API server."`
	ControllerManager             *ControllerManagerConfig     `yaml:"controllerManager,omitempty" change:"restart=kube-controller-manager" doc:"The controller manager."`
	Proxy                         *ProxyConfig                 `yaml:"proxy,omitempty" doc:"kube-proxy, as a daemon set."`
	Scheduler                     *SchedulerConfig             `yaml:"scheduler,omitempty" change:"restart=kube-scheduler" doc:"The scheduler."`
	Discovery                     *ClusterDiscoveryConfig      `yaml:"discovery,omitempty" doc:"How machines of a cluster find each other."`
	Etcd                          *EtcdConfig                  `yaml:"etcd,omitempty" change:"restart=etcd" doc:"etcd."`
	CoreDNS                       *CoreDNS                     `yaml:"coreDNS,omitempty" doc:"The cluster's name service."`
	ExternalCloudProvider         *ExternalCloudProviderConfig `yaml:"externalCloudProvider,omitempty" change:"restart=kubelet,kube-apiserver,kube-controller-manager" doc:"A cloud controller outside Kubernetes itself."`
	ExtraManifests                []string                     `yaml:"extraManifests,omitempty" effect:"yes" doc:"URLs of manifests that bootstrap applies."`
	ExtraManifestHeaders          map[string]string            `yaml:"extraManifestHeaders,omitempty" secret:"true" effect:"yes" doc:"HTTP headers for these URLs."`
	InlineManifests               []ClusterInlineManifest      `yaml:"inlineManifests,omitempty" doc:"Manifests that bootstrap applies."`
	AdminKubeconfig               *AdminKubeconfigConfig       `yaml:"adminKubeconfig,omitempty" doc:"The kubeconfig that the machine API hands out."`
	AllowSchedulingOnMasters      *bool                        `yaml:"allowSchedulingOnMasters,omitempty" default:"false" effect:"yes" doc:"Older name of allowSchedulingOnControlPlanes."`
	AllowSchedulingOnControlPlane *bool                        `yaml:"allowSchedulingOnControlPlanes,omitempty" default:"false" effect:"yes" doc:"Run workloads on control plane machines."`
}

// ControlPlaneConfig says how the control plane is reached.
type ControlPlaneConfig struct {
	Endpoint           *scalar.URL `yaml:"endpoint" cut:"network" effect:"yes" change:"restart=kubelet,kube-apiserver" doc:"URL of the Kubernetes API, as every machine and client reaches it: https://host:6443."`
	LocalAPIServerPort int         `yaml:"localAPIServerPort,omitempty" default:"6443" effect:"yes" change:"restart=kube-apiserver,kubelet" doc:"Port that the API server itself listens on."`
}

// ClusterNetworkConfig is the section cluster.network.
type ClusterNetworkConfig struct {
	CNI            *CNIConfig `yaml:"cni,omitempty" doc:"Who makes the pod network."`
	DNSDomain      string     `yaml:"dnsDomain" effect:"yes" default:"cluster.local" change:"restart=kubelet" doc:"Domain of the cluster's names."`
	PodSubnets     []string   `yaml:"podSubnets" effect:"yes" merge:"replace" change:"restart=kube-controller-manager" default:"10.244.0.0/16" doc:"Subnets of pods, one a family."`
	ServiceSubnets []string   `yaml:"serviceSubnets" effect:"yes" merge:"replace" change:"restart=kube-apiserver,kube-controller-manager" default:"10.96.0.0/12" doc:"Subnets of services, one a family."`
}

// CNIConfig says who makes the pod network.
type CNIConfig struct {
	Name    string            `yaml:"name,omitempty" effect:"yes" enum:"flannel,custom,none" default:"flannel" doc:"flannel is made by the system; custom comes from urls; none leaves it to you."`
	URLs    []string          `yaml:"urls,omitempty" effect:"yes" doc:"Manifests of a custom one."`
	Flannel *FlannelCNIConfig `yaml:"flannel,omitempty" doc:"Settings of flannel."`
}

// FlannelCNIConfig holds settings of flannel.
type FlannelCNIConfig struct {
	ExtraArgs                  []string `yaml:"extraArgs,omitempty" effect:"yes" doc:"Further flags of flanneld."`
	KubeNetworkPoliciesEnabled *bool    `yaml:"kubeNetworkPoliciesEnabled,omitempty" default:"false" doc:"Enforce network policies."`
}

// ClusterDiscoveryConfig is the section cluster.discovery.
type ClusterDiscoveryConfig struct {
	Enabled    *bool                     `yaml:"enabled,omitempty" effect:"yes" change:"reboot" default:"false" doc:"Look for the other machines, through the control plane itself."`
	Registries DiscoveryRegistriesConfig `yaml:"registries" doc:"Where to look."`
}

// DiscoveryRegistriesConfig says where machines look for each other.
type DiscoveryRegistriesConfig struct {
	Kubernetes RegistryKubernetesConfig `yaml:"kubernetes" doc:"Annotations of Kubernetes nodes."`
	Service    RegistryServiceConfig    `yaml:"service" doc:"A discovery service outside the cluster."`
}

// RegistryKubernetesConfig is discovery through Kubernetes.
type RegistryKubernetesConfig struct {
	Disabled *bool `yaml:"disabled,omitempty" default:"false" doc:"Do not look there."`
}

// RegistryServiceConfig is discovery through a service.
type RegistryServiceConfig struct {
	Disabled *bool  `yaml:"disabled,omitempty" effect:"yes" default:"false" doc:"Do not look there."`
	Endpoint string `yaml:"endpoint,omitempty" doc:"URL of the service."`
}

// ExternalCloudProviderConfig is a cloud controller.
type ExternalCloudProviderConfig struct {
	Enabled   *bool    `yaml:"enabled,omitempty" default:"false" effect:"yes" change:"restart=kubelet,kube-controller-manager" doc:"Leave cloud work to it."`
	Manifests []string `yaml:"manifests,omitempty" effect:"yes" change:"live" doc:"URLs of its manifests."`
}

// AdminKubeconfigConfig is the administrators' kubeconfig.
type AdminKubeconfigConfig struct {
	CertLifetime time.Duration `yaml:"certLifetime,omitempty" default:"8760h" effect:"yes" doc:"Lifetime of its certificate."`
}

// ClusterInlineManifest is one manifest.
type ClusterInlineManifest struct {
	Name     string `yaml:"name" effect:"yes" doc:"Name, unique in the list."`
	Contents string `yaml:"contents" effect:"yes" doc:"The manifest, YAML."`
}

// CoreDNS is the cluster's name service.
type CoreDNS struct {
	Disabled *bool  `yaml:"disabled,omitempty" default:"false" effect:"yes" doc:"Do not install it."`
	Image    string `yaml:"image,omitempty" effect:"yes" doc:"Its image."`
}

// APIServerConfig is the section cluster.apiServer.
type APIServerConfig struct {
	Image                    string                   `yaml:"image,omitempty" effect:"yes" doc:"Its image."`
	ExtraArgs                map[string]Argument      `yaml:"extraArgs,omitempty" merge:"perkey" effect:"yes" doc:"Further flags, name to value. A list gives the flag several times."`
	ExtraVolumes             []VolumeMountConfig      `yaml:"extraVolumes,omitempty" effect:"yes" doc:"Further mounts."`
	Env                      map[string]string        `yaml:"env,omitempty" secret:"true" effect:"yes" doc:"Environment variables."`
	CertSANs                 []string                 `yaml:"certSANs,omitempty" effect:"yes" change:"live" doc:"Further addresses and names in its certificate."`
	DisablePodSecurityPolicy *bool                    `yaml:"disablePodSecurityPolicy,omitempty" default:"true" effect:"yes" doc:"Kept for older configs: Kubernetes has no pod security policies any more."`
	AdmissionControl         []*AdmissionPluginConfig `yaml:"admissionControl,omitempty" since:"1.1" merge:"key=name" effect:"yes" doc:"Settings of admission plugins."`
	AuditPolicy              document.Freeform        `yaml:"auditPolicy,omitempty" since:"1.3" merge:"replace" effect:"yes" doc:"Audit policy of Kubernetes."`
	Resources                *ResourcesConfig         `yaml:"resources,omitempty" effect:"yes" doc:"CPU and memory."`
	AuthorizationConfig      []*AuthorizerConfig      `yaml:"authorizationConfig,omitempty" effect:"yes" doc:"Authorizers besides Node and RBAC, in their order."`
}

// AdmissionPluginConfig holds settings of one admission plugin.
type AdmissionPluginConfig struct {
	Name          string            `yaml:"name" effect:"yes" doc:"Name of the plugin."`
	Configuration document.Freeform `yaml:"configuration" effect:"yes" doc:"Its settings, in its own form."`
}

// AuthorizerConfig is one authorizer.
type AuthorizerConfig struct {
	Type    string            `yaml:"type" enum:"Node,RBAC,Webhook" effect:"yes" change:"live" doc:"Sort of authorizer."`
	Name    string            `yaml:"name" effect:"yes" change:"live" doc:"Its name."`
	Webhook document.Freeform `yaml:"webhook,omitempty" effect:"yes" change:"live" doc:"Settings of a webhook, in Kubernetes' own form."`
}

// ControllerManagerConfig is the section cluster.controllerManager.
type ControllerManagerConfig struct {
	Image        string              `yaml:"image,omitempty" effect:"yes" doc:"Its image."`
	ExtraArgs    map[string]Argument `yaml:"extraArgs,omitempty" merge:"perkey" effect:"yes" doc:"Further flags, name to value."`
	ExtraVolumes []VolumeMountConfig `yaml:"extraVolumes,omitempty" effect:"yes" doc:"Further mounts."`
	Env          map[string]string   `yaml:"env,omitempty" secret:"true" effect:"yes" doc:"Environment variables."`
	Resources    *ResourcesConfig    `yaml:"resources,omitempty" effect:"yes" doc:"CPU and memory."`
}

// ProxyConfig is the section cluster.proxy.
type ProxyConfig struct {
	Disabled  *bool               `yaml:"disabled,omitempty" default:"false" effect:"yes" doc:"Do not install it."`
	Image     string              `yaml:"image,omitempty" effect:"yes" doc:"Its image."`
	Mode      string              `yaml:"mode,omitempty" enum:"iptables,ipvs,nftables" default:"nftables" effect:"yes" doc:"How it directs packets."`
	ExtraArgs map[string]Argument `yaml:"extraArgs,omitempty" merge:"perkey" effect:"yes" doc:"Further flags, name to value."`
}

// SchedulerConfig is the section cluster.scheduler.
type SchedulerConfig struct {
	Image        string              `yaml:"image,omitempty" effect:"yes" doc:"Its image."`
	ExtraArgs    map[string]Argument `yaml:"extraArgs,omitempty" merge:"perkey" effect:"yes" doc:"Further flags, name to value."`
	ExtraVolumes []VolumeMountConfig `yaml:"extraVolumes,omitempty" effect:"yes" doc:"Further mounts."`
	Env          map[string]string   `yaml:"env,omitempty" secret:"true" effect:"yes" doc:"Environment variables."`
	Resources    *ResourcesConfig    `yaml:"resources,omitempty" effect:"yes" doc:"CPU and memory."`
	Config       document.Freeform   `yaml:"config,omitempty" effect:"yes" doc:"KubeSchedulerConfiguration, in Kubernetes' own form."`
}

// EtcdConfig is the section cluster.etcd.
type EtcdConfig struct {
	Image             string                    `yaml:"image,omitempty" effect:"yes" doc:"Its image."`
	CA                *scalar.CertificateAndKey `yaml:"ca" merge:"replace" effect:"yes" doc:"Authority of etcd."`
	ExtraArgs         map[string]Argument       `yaml:"extraArgs,omitempty" merge:"perkey" effect:"yes" doc:"Further flags, name to value."`
	Subnet            string                    `yaml:"subnet,omitempty" effect:"yes" doc:"Older form of advertisedSubnets, one subnet."`
	AdvertisedSubnets []string                  `yaml:"advertisedSubnets,omitempty" effect:"yes" doc:"Subnets or addresses from which the address told to others is taken; a leading ! excludes."`
	ListenSubnets     []string                  `yaml:"listenSubnets,omitempty" default:"as advertisedSubnets" effect:"yes" doc:"Subnets or addresses to listen on; a leading ! excludes."`
}

// ResourcesConfig is CPU and memory of a part.
type ResourcesConfig struct {
	Requests document.Freeform `yaml:"requests,omitempty" doc:"What is set aside: cpu, memory."`
	Limits   document.Freeform `yaml:"limits,omitempty" doc:"The most it may take: cpu, memory."`
}

// VolumeMountConfig is a mount into a static pod.
type VolumeMountConfig struct {
	HostPath  string `yaml:"hostPath" effect:"yes" doc:"Path on the machine."`
	MountPath string `yaml:"mountPath" effect:"yes" doc:"Path in the pod."`
	ReadOnly  bool   `yaml:"readonly,omitempty" default:"false" effect:"yes" doc:"No writing."`
}
