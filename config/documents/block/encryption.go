package block

import (
	"log/slog"
	"strings"

	"github.com/ichor-os/ichor/config/document"
	"github.com/ichor-os/ichor/config/scalar"
)

// EncryptionProvider is the program that encrypts a volume.
type EncryptionProvider = scalar.Enum[encryptionProviders]

// EncryptionProviderLUKS2 is the only provider there is.
const EncryptionProviderLUKS2 EncryptionProvider = "luks2"

const encryptionProviderNone EncryptionProvider = "none"

type encryptionProviders struct{}

func (encryptionProviders) Words() []string { return []string{"none", "luks2"} }

// Default is the word that is written when no provider was given.
func (encryptionProviders) Default() string { return "none" }

// Encryption says how a volume is encrypted. Without provider and keys the
// section counts as absent, whatever else it holds.
type Encryption struct {
	Provider      EncryptionProvider `yaml:"provider" change:"reboot" doc:"Program that encrypts the volume." enum:"luks2"`
	Keys          []EncryptionKey    `yaml:"keys" change:"reboot" doc:"Keys that open the volume; any one of them is enough."`
	Cipher        string             `yaml:"cipher,omitempty" change:"reboot" doc:"Cipher for a new volume."`
	KeySize       uint               `yaml:"keySize,omitempty" change:"reboot" doc:"Key length for a new volume, in bits."`
	BlockSize     uint64             `yaml:"blockSize,omitempty" change:"reboot" doc:"Encryption sector of a new volume, in bytes."`
	Options       []string           `yaml:"options,omitempty" change:"reboot" doc:"Performance options, named as in cryptsetup, such as no_read_workqueue."`
	AllowDiscards *bool              `yaml:"allowDiscards,omitempty" since:"1.14" change:"reboot" doc:"Whether the disk is told which blocks are unused. It then also shows which they are." default:"false"`
}

// IsZero tells whether the section counts as absent.
func (e Encryption) IsZero() bool {
	return (e.Provider.IsZero() || e.Provider == encryptionProviderNone) && len(e.Keys) == 0
}

// EncryptionKey is one way to open a volume, in a slot of its own.
type EncryptionKey struct {
	Slot        int        `yaml:"slot" doc:"Number of the key slot; each key has its own."`
	Static      *StaticKey `yaml:"static,omitempty" doc:"Key from a passphrase in the config."`
	NodeID      *NodeIDKey `yaml:"nodeID,omitempty" doc:"Key from the machine's identity, which protects a disk that leaves the machine, but not the machine."`
	KMS         *KMSKey    `yaml:"kms,omitempty" doc:"Key sealed by a server on the network."`
	TPM         *TPMKey    `yaml:"tpm,omitempty" doc:"Key sealed by the machine's TPM."`
	LockToState *bool      `yaml:"lockToState,omitempty" doc:"Whether the key also needs a secret on the STATE volume." default:"false"`
}

// StaticKey is a passphrase.
type StaticKey struct {
	Passphrase Passphrase `yaml:"passphrase" secret:"true" doc:"The passphrase."`
}

// Passphrase is a secret text. It does not show in logs.
type Passphrase string

// LogValue hides the passphrase.
func (p Passphrase) LogValue() slog.Value { return slog.StringValue("[redacted]") }

// NodeIDKey is derived from the machine's identity.
type NodeIDKey struct{}

// KMSKey is sealed by a server.
type KMSKey struct {
	Endpoint string `yaml:"endpoint" doc:"URL of the server."`
}

// TPMKey is sealed by the TPM.
type TPMKey struct {
	Options                       *TPMOptions `yaml:"options,omitempty" doc:"What the key is bound to."`
	CheckSecurebootStatusOnEnroll *bool       `yaml:"checkSecurebootStatusOnEnroll,omitempty" doc:"Whether enrolling is refused while Secure Boot is off." default:"false"`
}

// TPMOptions binds a key to measurements.
type TPMOptions struct {
	PCRs []int `yaml:"pcrs,omitempty" doc:"Platform configuration registers, 0 to 23, whose values the key is bound to." default:"7"`
}

const maxPCR = 23

func (e *Encryption) validate(v *document.Validation) {
	if e.IsZero() {
		return
	}

	if e.Provider != EncryptionProviderLUKS2 {
		v.Errorf("provider", "provider is not supported: %s", e.Provider).Fix("use luks2")
	}

	if len(e.Keys) == 0 {
		v.Errorf("keys", "no key is given").Fix("add at least one key")
	}

	slots := map[int]bool{}

	for i, k := range e.Keys {
		at := v.Item("keys", i)

		if slots[k.Slot] {
			at.Errorf("slot", "slot is used twice: %d", k.Slot).Fix("give each key a slot of its own")
		}

		slots[k.Slot] = true

		k.validate(at)
	}

	e.advise(v)
}

func (k *EncryptionKey) validate(v *document.Validation) {
	if k.Static == nil && k.NodeID == nil && k.KMS == nil && k.TPM == nil {
		v.Errorf("", "key has no method").Fix("add static, nodeID, kms or tpm")
	}

	if k.TPM == nil || k.TPM.Options == nil {
		return
	}

	for i, pcr := range k.TPM.Options.PCRs {
		if pcr < 0 || pcr > maxPCR {
			v.At("tpm.options").Item("pcrs", i).Errorf("", "register does not exist: %d", pcr).Fix("use numbers from 0 to %d", maxPCR)
		}
	}
}

// advise names what cryptsetup would refuse when the volume is made.
func (e *Encryption) advise(v *document.Validation) {
	switch e.Cipher {
	case "", "aes-xts-plain64", "xchacha12,aes-adiantum-plain64", "xchacha20,aes-adiantum-plain64":
	default:
		v.Advisef("cipher", "cipher is not known: %q", e.Cipher).Fix("use aes-xts-plain64 or one of the adiantum ciphers")
	}

	if e.KeySize != 0 && e.KeySize%8 != 0 {
		v.Advisef("keySize", "key length is no multiple of 8 bits: %d", e.KeySize)
	}

	if b := e.BlockSize; b != 0 && (b < 512 || b > 4096 || b&(b-1) != 0) {
		v.Advisef("blockSize", "encryption sector cannot have %d bytes", b).Fix("use 512, 1024, 2048 or 4096")
	}

	const maxSlot = 31

	for i, k := range e.Keys {
		at := v.Item("keys", i)

		if k.Slot < 0 || k.Slot > maxSlot {
			at.Advisef("slot", "LUKS2 has the slots 0 to %d", maxSlot)
		}

		if k.Static != nil && k.Static.Passphrase == "" {
			at.Advisef("static.passphrase", "passphrase is empty")
		}

		if k.KMS != nil && !strings.Contains(k.KMS.Endpoint, "://") {
			at.Advisef("kms.endpoint", "endpoint is no URL").Fix("use the form grpc://host:port or https://host:port")
		}
	}
}
