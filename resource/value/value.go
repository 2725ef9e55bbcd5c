// Package value holds the field types that specs of several nouns share: bytes
// with a text form, certificates and keys, and the words of the contract that
// are no single noun's.
package value

import (
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"log/slog"
	"net"
	"strings"

	"go.yaml.in/yaml/v3"
)

// Base64 is bytes that are base64 (RFC 4648, with padding) in YAML.
type Base64 []byte

// MarshalYAML gives the base64 text.
func (b Base64) MarshalYAML() (any, error) { return base64.StdEncoding.EncodeToString(b), nil }

// UnmarshalYAML reads it.
func (b *Base64) UnmarshalYAML(node *yaml.Node) error {
	data, err := base64.StdEncoding.DecodeString(node.Value)
	if err != nil {
		return fmt.Errorf("line %d: %w", node.Line, err)
	}
	*b = data
	return nil
}

// Text is bytes that are a plain string in YAML.
type Text []byte

// MarshalYAML gives the string.
func (t Text) MarshalYAML() (any, error) { return string(t), nil }

// UnmarshalYAML reads it.
func (t *Text) UnmarshalYAML(node *yaml.Node) error {
	var s string
	if err := node.Decode(&s); err != nil {
		return err
	}
	*t = Text(s)
	return nil
}

// HardwareAddr is a hardware address, such as a MAC address: bytes that are
// hex with colons in YAML.
type HardwareAddr []byte

// String gives the usual text.
func (a HardwareAddr) String() string { return net.HardwareAddr(a).String() }

// MarshalText gives the usual text; none for no address.
func (a HardwareAddr) MarshalText() ([]byte, error) { return []byte(a.String()), nil }

// UnmarshalText reads it. Any length is fine, because not every link is
// Ethernet.
func (a *HardwareAddr) UnmarshalText(text []byte) error {
	b, err := hex.DecodeString(strings.ReplaceAll(string(text), ":", ""))
	if err != nil {
		return fmt.Errorf("hardware address %q: %w", text, err)
	}
	*a = nil
	if len(b) > 0 {
		*a = b
	}
	return nil
}

// Certificate is a certificate in PEM.
type Certificate struct {
	Crt Base64 `yaml:"crt" protobuf:"1"`
}

// Key is a private key in PEM.
type Key struct {
	Key Base64 `yaml:"key" protobuf:"1"`
}

// LogValue keeps the key out of logs.
func (Key) LogValue() slog.Value { return slog.StringValue("redacted") }

// CertificateAndKey is a certificate with its private key, both in PEM.
type CertificateAndKey struct {
	Crt Base64 `yaml:"crt" protobuf:"1"`
	Key Base64 `yaml:"key" protobuf:"2"`
}

// LogValue keeps the key out of logs.
func (CertificateAndKey) LogValue() slog.Value { return slog.StringValue("redacted") }

// Mount is a mount of a container, in the terms of the OCI runtime
// specification.
type Mount struct {
	Destination string      `yaml:"destination" protobuf:"1"`
	Type        string      `yaml:"type,omitempty" protobuf:"2"`
	Source      string      `yaml:"source,omitempty" protobuf:"3"`
	Options     []string    `yaml:"options,omitempty" protobuf:"4"`
	UIDMappings []IDMapping `yaml:"uidmappings,omitempty" protobuf:"5"`
	GIDMappings []IDMapping `yaml:"gidmappings,omitempty" protobuf:"6"`
}

// IDMapping maps a range of user or group ids of a container to the node's.
type IDMapping struct {
	ContainerID uint32 `yaml:"containerid" protobuf:"1"`
	HostID      uint32 `yaml:"hostid" protobuf:"2"`
	Size        uint32 `yaml:"size" protobuf:"3"`
}
