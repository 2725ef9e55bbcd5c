// Package secrets reads, makes and writes the secrets bundle of a cluster: the
// identity, tokens and authorities from which every machine config of the
// cluster is generated.
//
// A [Bundle] comes from [Generate], from an existing cluster's Kubernetes PKI
// folder ([FromKubernetesPKI]) or from a file ([Read]). It never shows its
// content when it is logged or printed.
package secrets

import (
	"bytes"
	"encoding/base64"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/ichor-os/ichor/atomicfile"
	"github.com/ichor-os/ichor/bounded"
	"github.com/ichor-os/ichor/pki"
)

// Bundle holds the secrets of a cluster.
type Bundle struct {
	Cluster    Cluster    `yaml:"cluster"`
	Secrets    Secrets    `yaml:"secrets"`
	TrustdInfo TrustdInfo `yaml:"trustdinfo"`
	Certs      Certs      `yaml:"certs"`
}

// Cluster identifies the cluster for discovery.
type Cluster struct {
	ID     string `yaml:"id"`     // 32 bytes, base64 with the URL-safe alphabet
	Secret string `yaml:"secret"` // 32 bytes, base64
}

// Secrets are shared by the control plane. One of the encryption secrets is
// set: secretbox, or AES-CBC in clusters that began before contract 1.3.
type Secrets struct {
	BootstrapToken            string `yaml:"bootstraptoken"`
	AESCBCEncryptionSecret    string `yaml:"aescbcencryptionsecret,omitempty"`
	SecretboxEncryptionSecret string `yaml:"secretboxencryptionsecret,omitempty"`
}

// TrustdInfo holds the token with which a machine asks for its certificate.
type TrustdInfo struct {
	Token string `yaml:"token"`
}

// Certs holds the authorities.
type Certs struct {
	Etcd              pki.Pair       `yaml:"etcd"`
	K8s               pki.Pair       `yaml:"k8s"`
	K8sAggregator     pki.Pair       `yaml:"k8saggregator"`
	K8sServiceAccount ServiceAccount `yaml:"k8sserviceaccount"`
	OS                pki.Pair       `yaml:"os"`
}

// ServiceAccount holds the key that signs service account tokens.
type ServiceAccount struct {
	Key PEM `yaml:"key"`
}

// PEM is PEM text that stands in YAML as base64.
type PEM []byte

// MarshalYAML writes base64.
func (p PEM) MarshalYAML() (any, error) {
	return base64.StdEncoding.EncodeToString(p), nil
}

// UnmarshalYAML reads base64.
func (p *PEM) UnmarshalYAML(unmarshal func(any) error) error {
	var text string
	if err := unmarshal(&text); err != nil {
		return err
	}
	decoded, err := base64.StdEncoding.DecodeString(text)
	if err != nil {
		return errors.New("not base64")
	}
	*p = decoded
	return nil
}

// LogValue shows nothing but what kind of value this is.
func (b *Bundle) LogValue() slog.Value { return slog.StringValue(b.String()) }

// String shows nothing but what kind of value this is.
func (b *Bundle) String() string { return "secrets bundle [redacted]" }

// GoString is String, so that %#v shows nothing either.
func (b *Bundle) GoString() string { return b.String() }

// Parse reads a bundle. Keys that it does not know are returned by their paths;
// they are not part of the bundle and the caller shall name them to the user.
func Parse(text []byte) (bundle *Bundle, unknown []string, err error) {
	if err := bounded.YAML(text); err != nil {
		return nil, nil, fmt.Errorf("parse secrets bundle: %w", err)
	}
	var node yaml.Node
	if err := yaml.Unmarshal(text, &node); err != nil {
		return nil, nil, fmt.Errorf("parse secrets bundle: %w", err)
	}
	if len(node.Content) == 0 {
		return nil, nil, errors.New("parse secrets bundle: the file is empty")
	}
	bundle = &Bundle{}
	if err := node.Decode(bundle); err != nil {
		return nil, nil, fmt.Errorf("parse secrets bundle: %w", withoutValues(err))
	}
	return bundle, unknownKeys(node.Content[0], knownKeys(), ""), nil
}

// withoutValues drops the values that the YAML library quotes in type errors.
func withoutValues(err error) error {
	var typeError *yaml.TypeError
	if !errors.As(err, &typeError) {
		return err
	}
	lines := make([]string, len(typeError.Errors))
	for i, message := range typeError.Errors {
		if start := strings.IndexByte(message, '`'); start >= 0 {
			if end := strings.LastIndexByte(message, '`'); end > start {
				message = message[:start] + "[redacted]" + message[end+1:]
			}
		}
		lines[i] = message
	}
	return errors.New(strings.Join(lines, "; "))
}

// keyTree maps a key to the keys below it.
type keyTree map[string]keyTree

func knownKeys() keyTree {
	pair := keyTree{"crt": nil, "key": nil}
	return keyTree{
		"cluster":    {"id": nil, "secret": nil},
		"secrets":    {"bootstraptoken": nil, "aescbcencryptionsecret": nil, "secretboxencryptionsecret": nil},
		"trustdinfo": {"token": nil},
		"certs":      {"etcd": pair, "k8s": pair, "k8saggregator": pair, "k8sserviceaccount": {"key": nil}, "os": pair},
	}
}

func unknownKeys(node *yaml.Node, known keyTree, path string) []string {
	if node.Kind != yaml.MappingNode {
		return nil
	}
	var unknown []string
	for i := 0; i+1 < len(node.Content); i += 2 {
		key := node.Content[i].Value
		below, ok := known[key]
		if !ok {
			unknown = append(unknown, path+key)
			continue
		}
		if below != nil {
			unknown = append(unknown, unknownKeys(node.Content[i+1], below, path+key+".")...)
		}
	}
	slices.Sort(unknown)
	return unknown
}

// Read reads a bundle from a file and checks it.
func Read(path string) (bundle *Bundle, unknown []string, err error) {
	text, err := bounded.ReadFile(path)
	if err != nil {
		return nil, nil, fmt.Errorf("read secrets bundle: %w", err)
	}
	bundle, unknown, err = Parse(text)
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", path, err)
	}
	if err := bundle.Check(); err != nil {
		return nil, nil, fmt.Errorf("%s: %w", path, err)
	}
	return bundle, unknown, nil
}

// Encode writes the bundle as YAML.
func (b *Bundle) Encode() ([]byte, error) {
	var text bytes.Buffer
	encoder := yaml.NewEncoder(&text)
	encoder.SetIndent(4)
	if err := encoder.Encode(b); err != nil {
		return nil, fmt.Errorf("encode secrets bundle: %w", err)
	}
	return text.Bytes(), nil
}

// Create writes the bundle to a new file that only its owner may read. It fails
// with an error that is [fs.ErrExist] if the file exists.
func (b *Bundle) Create(path string) error {
	text, err := b.Encode()
	if err != nil {
		return err
	}
	return atomicfile.Create(path, text, 0o600)
}

// Check reports all that is missing or does not fit together: every value that
// a cluster needs, authorities whose key is not theirs, unreadable keys. It
// does not check the time, so that a bundle of an old cluster can still be read.
func (b *Bundle) Check() error {
	var faults []error
	for _, field := range []struct{ path, value string }{
		{"cluster.id", b.Cluster.ID},
		{"cluster.secret", b.Cluster.Secret},
		{"secrets.bootstraptoken", b.Secrets.BootstrapToken},
		{"trustdinfo.token", b.TrustdInfo.Token},
	} {
		if field.value == "" {
			faults = append(faults, fmt.Errorf("%s is missing", field.path))
		}
	}
	if b.Secrets.SecretboxEncryptionSecret == "" && b.Secrets.AESCBCEncryptionSecret == "" {
		faults = append(faults, errors.New("secrets.secretboxencryptionsecret is missing"))
	}
	for _, authority := range []struct {
		name string
		pair pki.Pair
	}{
		{"etcd", b.Certs.Etcd}, {"k8s", b.Certs.K8s}, {"k8saggregator", b.Certs.K8sAggregator}, {"os", b.Certs.OS},
	} {
		if _, err := pki.LoadAuthority(authority.pair); err != nil {
			faults = append(faults, fmt.Errorf("certs.%s: %w", authority.name, err))
		}
	}
	if _, err := pki.ParseKey(b.Certs.K8sServiceAccount.Key); err != nil {
		faults = append(faults, fmt.Errorf("certs.k8sserviceaccount: %w", err))
	}
	if len(faults) > 0 {
		return fmt.Errorf("the secrets bundle is not complete: %w", errors.Join(faults...))
	}
	return nil
}
