package v1alpha1

import "github.com/ichor-os/ichor/config/scalar"

// InstallConfig is the section machine.install.
type InstallConfig struct {
	Disk              string                   `yaml:"disk,omitempty" doc:"Device path of the disk to install to."`
	DiskSelector      *InstallDiskSelector     `yaml:"diskSelector,omitempty" doc:"Find the disk by its properties instead. Exactly one disk must match."`
	ExtraKernelArgs   []string                 `yaml:"extraKernelArgs,omitempty" doc:"Further kernel arguments; a leading - removes one. They have no place in a signed kernel image."`
	Image             string                   `yaml:"image,omitempty" doc:"Installer image."`
	Extensions        []InstallExtensionConfig `yaml:"extensions,omitempty" doc:"System extensions by image. Installer images that hold them are the newer way."`
	Bootloader        *bool                    `yaml:"bootloader,omitempty" default:"true" doc:"Kept for older configs."`
	Wipe              *bool                    `yaml:"wipe" default:"false" doc:"Wipe the disk before the installation."`
	LegacyBIOSSupport *bool                    `yaml:"legacyBIOSSupport,omitempty" default:"false" doc:"Mark the partition table bootable for old firmware."`
	GrubUseUKICmdline *bool                    `yaml:"grubUseUKICmdline,omitempty" since:"1.12" default:"false" doc:"Take the kernel arguments from the kernel image also where GRUB boots it."`
}

// InstallDiskSelector finds a disk by its properties; all that are given must match.
type InstallDiskSelector struct {
	Size     *SizeMatcher `yaml:"size,omitempty" doc:"Comparison with a size: '>= 100GB'."`
	Name     string       `yaml:"name,omitempty" doc:"Known to the format, refused by validation."`
	Model    string       `yaml:"model,omitempty" doc:"Model; * stands for anything."`
	Serial   string       `yaml:"serial,omitempty" doc:"Serial number."`
	Modalias string       `yaml:"modalias,omitempty" doc:"Kernel modalias; * stands for anything."`
	UUID     string       `yaml:"uuid,omitempty" doc:"UUID."`
	WWID     string       `yaml:"wwid,omitempty" doc:"World-wide id."`
	Type     string       `yaml:"type,omitempty" enum:"ssd,hdd,nvme,sd" doc:"Sort of disk."`
	BusPath  string       `yaml:"busPath,omitempty" doc:"Place on the bus; * stands for anything."`
}

// InstallExtensionConfig is one system extension.
type InstallExtensionConfig struct {
	Image string `yaml:"image" doc:"Image of the extension."`
}

// MachineDisk is one further disk.
type MachineDisk struct {
	Device     string           `yaml:"device,omitempty" doc:"Device path."`
	Partitions []*DiskPartition `yaml:"partitions,omitempty" doc:"Partitions, in their order on the disk."`
}

// DiskPartition is one partition of a further disk.
type DiskPartition struct {
	Size       DiskSize `yaml:"size,omitempty" doc:"Size; the last partition may lack one and takes the rest."`
	MountPoint string   `yaml:"mountpoint,omitempty" doc:"Where it is mounted, below /var."`
}

// SystemDiskEncryptionConfig encrypts the system's partitions.
type SystemDiskEncryptionConfig struct {
	State     *EncryptionConfig `yaml:"state,omitempty" doc:"The partition that keeps the config."`
	Ephemeral *EncryptionConfig `yaml:"ephemeral,omitempty" doc:"The partition below /var."`
}

// EncryptionConfig says how a partition is encrypted.
type EncryptionConfig struct {
	Provider  string           `yaml:"provider" enum:"luks2" doc:"Format of the encryption."`
	Keys      []*EncryptionKey `yaml:"keys" doc:"Keys, each in its slot; any of them opens the partition."`
	Cipher    string           `yaml:"cipher,omitempty" doc:"Cipher: aes-xts-plain64, or the adiantum ones for processors without AES."`
	KeySize   uint             `yaml:"keySize,omitempty" doc:"Size of the key, in bits."`
	BlockSize uint64           `yaml:"blockSize,omitempty" doc:"Size of the encrypted sectors, in bytes."`
	Options   []string         `yaml:"options,omitempty" enum:"no_read_workqueue,no_write_workqueue,same_cpu_crypt" doc:"Speed options of dm-crypt."`
}

// EncryptionKey is one key of an encrypted partition.
type EncryptionKey struct {
	Static *EncryptionKeyStatic `yaml:"static,omitempty" doc:"A passphrase in the config."`
	NodeID *EncryptionKeyNodeID `yaml:"nodeID,omitempty" doc:"A key derived from the machine's id."`
	KMS    *EncryptionKeyKMS    `yaml:"kms,omitempty" doc:"A key sealed by a key management service."`
	Slot   int                  `yaml:"slot" doc:"LUKS2 slot."`
	TPM    *EncryptionKeyTPM    `yaml:"tpm,omitempty" doc:"A key sealed by the TPM."`
}

// EncryptionKeyStatic is a passphrase.
type EncryptionKeyStatic struct {
	Passphrase string `yaml:"passphrase,omitempty" secret:"true" doc:"The passphrase."`
}

// EncryptionKeyNodeID has no settings.
type EncryptionKeyNodeID struct{}

// EncryptionKeyKMS is a key management service.
type EncryptionKeyKMS struct {
	Endpoint string `yaml:"endpoint" doc:"Address of the service."`
}

// EncryptionKeyTPM is a key in the TPM.
type EncryptionKeyTPM struct {
	CheckSecurebootStatusOnEnroll *bool `yaml:"checkSecurebootStatusOnEnroll,omitempty" default:"false" doc:"Refuse to enrol the key while Secure Boot is off."`
}

// RegistriesConfig is the section machine.registries.
type RegistriesConfig struct {
	Mirrors map[string]*RegistryMirrorConfig `yaml:"mirrors,omitempty" doc:"Mirrors by registry; * is every other registry."`
	Config  map[string]*RegistryConfig       `yaml:"config,omitempty" doc:"TLS and credentials by registry host."`
}

// RegistryMirrorConfig lists the mirrors of a registry.
type RegistryMirrorConfig struct {
	Endpoints    []string `yaml:"endpoints" doc:"URLs of mirrors, asked in their order."`
	OverridePath *bool    `yaml:"overridePath,omitempty" default:"false" doc:"Take the URLs' paths as they are, without /v2 added."`
	SkipFallback *bool    `yaml:"skipFallback,omitempty" default:"false" doc:"Never ask the registry itself."`
}

// RegistryConfig is how a registry is spoken to.
type RegistryConfig struct {
	TLS  *RegistryTLSConfig  `yaml:"tls,omitempty" doc:"TLS."`
	Auth *RegistryAuthConfig `yaml:"auth,omitempty" doc:"Credentials."`
}

// RegistryAuthConfig holds credentials.
type RegistryAuthConfig struct {
	Username      string `yaml:"username,omitempty" doc:"User name."`
	Password      string `yaml:"password,omitempty" secret:"true" doc:"Password."`
	Auth          string `yaml:"auth,omitempty" secret:"true" doc:"User name and password, joined by a colon, base64."`
	IdentityToken string `yaml:"identityToken,omitempty" secret:"true" doc:"Token instead of a password."`
}

// RegistryTLSConfig is how a registry's TLS is checked.
type RegistryTLSConfig struct {
	ClientIdentity     *scalar.CertificateAndKey `yaml:"clientIdentity,omitempty" merge:"replace" doc:"Client certificate and key, base64 of PEM."`
	CA                 scalar.Base64             `yaml:"ca,omitempty" doc:"Authorities to trust besides the system's, base64 of PEM."`
	InsecureSkipVerify *bool                     `yaml:"insecureSkipVerify,omitempty" default:"false" doc:"Accept any certificate."`
}
