// Package v1alpha1 is the main config document: the sections machine and
// cluster, with every key that it ever had. Keys that have become documents of
// their own are kept, and say so.
package v1alpha1

import (
	"time"

	"github.com/ichor-os/ichor/config/document"
	"github.com/ichor-os/ichor/config/scalar"
)

// Kind describes the main document.
var Kind = &document.Kind{
	Kind:    document.MainKind,
	Since:   "1.0",
	New:     func() document.Document { return new(Config) },
	Doc:     "The main document: what the machine is (machine) and the cluster it belongs to (cluster). A machine needs exactly one to join a cluster. It carries neither apiVersion nor kind.",
	Example: example,
}

// Config is the main document.
type Config struct {
	Version string         `yaml:"version" effect:"yes" enum:"v1alpha1" doc:"Version of the document's layout. It is not checked; write v1alpha1."`
	Debug   *bool          `yaml:"debug,omitempty" effect:"yes" doc:"Send all log lines of the machine to its console."`
	Persist *bool          `yaml:"persist,omitempty" effect:"yes" default:"true" doc:"Has to be true where it is given: a config is always kept across reboots."`
	Machine *MachineConfig `yaml:"machine" doc:"What this machine is and does."`
	Cluster *ClusterConfig `yaml:"cluster" doc:"The cluster that this machine belongs to. It is the same on all machines of one role."`
}

// Kind returns the description of the main document.
func (c *Config) Kind() *document.Kind { return Kind }

// Name is empty: there is one main document.
func (c *Config) Name() string { return "" }

// MachineConfig is the section machine.
type MachineConfig struct {
	Type         string                     `yaml:"type" change:"reboot" effect:"yes" enum:"controlplane,worker,init" doc:"Role of the machine. controlplane runs etcd and the Kubernetes control plane, worker only workloads; init is an older word for the first control plane machine."`
	Token        string                     `yaml:"token" secret:"true" effect:"yes" change:"reboot" doc:"Shared secret with which a machine asks the control plane machines for its API certificate."`
	CA           *scalar.CertificateAndKey  `yaml:"ca,omitempty" merge:"replace" effect:"yes" change:"reboot" doc:"Authority of the machine API. Control plane machines hold certificate and key, workers the certificate alone."`
	AcceptedCAs  []*scalar.Certificate      `yaml:"acceptedCAs,omitempty" effect:"yes" change:"reboot" doc:"Further authorities whose certificates the machine API accepts. Used while an authority is replaced."`
	CertSANs     []string                   `yaml:"certSANs" effect:"yes" change:"reboot" doc:"Further addresses and names in the certificate of the machine API."`
	ControlPlane *MachineControlPlaneConfig `yaml:"controlPlane,omitempty" doc:"Control plane parts that this machine leaves out."`
	Kubelet      *KubeletConfig             `yaml:"kubelet,omitempty" change:"restart=kubelet" doc:"The Kubernetes node agent."`
	Pods         []document.Freeform        `yaml:"pods,omitempty" effect:"yes" doc:"Static pods in Kubernetes' own form; the kubelet runs them without the API server."`
	Network      *NetworkConfig             `yaml:"network,omitempty" cut:"network" doc:"Host name, links, addresses, routes and name servers, in the older style; documents such as LinkConfig say the same."`
	Disks        []*MachineDisk             `yaml:"disks,omitempty" change:"reboot" doc:"Further disks that are partitioned, formatted and mounted. UserVolumeConfig is the newer form."`
	Install      *InstallConfig             `yaml:"install,omitempty" doc:"Where and how the system is installed. It counts at the next installation or upgrade."`
	Files        []*MachineFile             `yaml:"files,omitempty" change:"reboot" effect:"yes" doc:"Files written at boot, below /var, or parts of the container runtime's config."`
	Env          map[string]string          `yaml:"env,omitempty" change:"reboot" effect:"yes" secret:"true" doc:"Environment variables of system services, proxies above all. EnvironmentConfig is the newer form."`
	Time         *TimeConfig                `yaml:"time,omitempty" effect:"yes" doc:"Time servers. TimeSyncConfig is the newer form."`
	Sysctls      map[string]string          `yaml:"sysctls,omitempty" effect:"yes" doc:"Kernel parameters, as sysctl names them."`
	Sysfs        map[string]string          `yaml:"sysfs,omitempty" effect:"yes" doc:"Values written below /sys, with dots instead of slashes."`
	Registries   RegistriesConfig           `yaml:"registries,omitempty" doc:"Image registries: mirrors, credentials and TLS. The documents RegistryMirrorConfig, RegistryAuthConfig and RegistryTLSConfig are the newer form."`

	SystemDiskEncryption     *SystemDiskEncryptionConfig `yaml:"systemDiskEncryption,omitempty" change:"reboot" doc:"Encryption of the system's own partitions. VolumeConfig is the newer form."`
	Features                 *FeaturesConfig             `yaml:"features,omitempty" doc:"Switches for behaviour that not every cluster wants."`
	Udev                     *UdevConfig                 `yaml:"udev,omitempty" doc:"Rules for device nodes."`
	Logging                  *LoggingConfig              `yaml:"logging,omitempty" effect:"yes" change:"live" doc:"Where the logs of services are sent."`
	Kernel                   *KernelConfig               `yaml:"kernel,omitempty" effect:"yes" doc:"Kernel modules to load."`
	SeccompProfiles          []*MachineSeccompProfile    `yaml:"seccompProfiles,omitempty" doc:"Seccomp profiles, placed where the kubelet looks for local profiles."`
	BaseRuntimeSpecOverrides document.Freeform           `yaml:"baseRuntimeSpecOverrides,omitempty" change:"reboot" doc:"Changes to the OCI runtime spec that every container starts from."`
	NodeLabels               map[string]string           `yaml:"nodeLabels,omitempty" effect:"yes" doc:"Labels of the Kubernetes node."`
	NodeAnnotations          map[string]string           `yaml:"nodeAnnotations,omitempty" effect:"yes" doc:"Annotations of the Kubernetes node."`
	NodeTaints               map[string]string           `yaml:"nodeTaints,omitempty" effect:"yes" doc:"Taints of the Kubernetes node; the value is [value:]effect."`
}

// MachineSeccompProfile is one seccomp profile.
type MachineSeccompProfile struct {
	Name  string            `yaml:"name" doc:"File name of the profile."`
	Value document.Freeform `yaml:"value" doc:"The profile, in the form of the OCI runtime."`
}

// MachineControlPlaneConfig switches control plane parts off.
type MachineControlPlaneConfig struct {
	ControllerManager *MachineControllerManagerConfig `yaml:"controllerManager,omitempty" doc:"The controller manager on this machine."`
	Scheduler         *MachineSchedulerConfig         `yaml:"scheduler,omitempty" doc:"The scheduler on this machine."`
}

// MachineControllerManagerConfig switches the controller manager off.
type MachineControllerManagerConfig struct {
	Disabled *bool `yaml:"disabled,omitempty" default:"false" effect:"yes" doc:"Do not run the controller manager on this machine."`
}

// MachineSchedulerConfig switches the scheduler off.
type MachineSchedulerConfig struct {
	Disabled *bool `yaml:"disabled,omitempty" default:"false" effect:"yes" doc:"Do not run the scheduler on this machine."`
}

// TimeConfig is the older form of TimeSyncConfig.
type TimeConfig struct {
	Disabled    *bool         `yaml:"disabled,omitempty" default:"false" doc:"Leave the clock alone."`
	Servers     []string      `yaml:"servers,omitempty" doc:"NTP servers, or paths of PTP devices."`
	BootTimeout time.Duration `yaml:"bootTimeout,omitempty" default:"0s: wait without end" doc:"How long the boot waits for the first synchronisation."`
}

// MachineFile is one file written at boot.
type MachineFile struct {
	Content     string          `yaml:"content" secret:"true" doc:"What the file holds."`
	Permissions scalar.FileMode `yaml:"permissions" doc:"Permission bits, such as 0o644."`
	Path        string          `yaml:"path" doc:"Where the file lies; below /var, or a part below /etc/cri/conf.d."`
	Op          string          `yaml:"op" enum:"create,append,overwrite" doc:"create: only where there is none; append; overwrite."`
}

// UdevConfig holds device rules.
type UdevConfig struct {
	Rules []string `yaml:"rules,omitempty" doc:"Rules in the syntax of udev."`
}

// LoggingConfig says where logs go.
type LoggingConfig struct {
	Destinations []LoggingDestination `yaml:"destinations" doc:"Receivers; each gets every line."`
}

// LoggingDestination is one receiver of logs.
type LoggingDestination struct {
	Endpoint  *scalar.URL       `yaml:"endpoint" doc:"Address of the receiver: tcp://host:port, udp://host:port or tls://host:port."`
	Format    string            `yaml:"format" enum:"json_lines" doc:"Form of the lines."`
	ExtraTags map[string]string `yaml:"extraTags,omitempty" doc:"Keys and values added to each line."`
}

// KernelConfig lists kernel modules.
type KernelConfig struct {
	Modules []*KernelModuleConfig `yaml:"modules,omitempty" doc:"Modules to load at boot."`
}

// KernelModuleConfig is one kernel module.
type KernelModuleConfig struct {
	Name       string   `yaml:"name" doc:"Name of the module."`
	Parameters []string `yaml:"parameters,omitempty" change:"reboot" doc:"Parameters, each key=value."`
}
