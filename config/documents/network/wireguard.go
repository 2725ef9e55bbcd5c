package network

import (
	"encoding/base64"
	"log/slog"
	"time"

	"github.com/ichor-os/ichor/config/document"
	"github.com/ichor-os/ichor/config/documents/rules"
	"github.com/ichor-os/ichor/config/scalar"
)

const (
	wireguardKeySize = 32
	maxPort          = 65535
)

// WireguardKind is the kind WireguardConfig.
var WireguardKind = &document.Kind{
	APIVersion: document.V1Alpha1, Kind: "WireguardConfig", Named: true, Since: "1.13",
	New:           func() document.Document { return new(WireguardConfig) },
	ConflictsWith: otherLinks("WireguardConfig"),
	Doc:           "Creates a WireGuard link with its peers.",
	Example: `apiVersion: v1alpha1
kind: WireguardConfig
name: wg0
privateKey: GOwBfqWMO6wQCnaqpGBKOCCJWUYG3hcmp9wM1bMfa1I=
listenPort: 51820
peers:
  - publicKey: 2RzKFbGMx5g7fG0BrWCI7JIpGvcwGkqUaCoENYueJw4=
    endpoint: 192.0.2.77:51820
    persistentKeepaliveInterval: 25s
    allowedIPs:
      - 198.51.100.0/24
addresses:
  - address: 198.51.100.1/24
`,
}

// WireguardConfig creates a WireGuard link.
type WireguardConfig struct {
	DocName      string          `yaml:"name" doc:"Name of the link to create."`
	PrivateKey   WireguardKey    `yaml:"privateKey,omitempty" secret:"true" cut:"network" doc:"Private key of the link: 32 bytes in base64."`
	ListenPort   int             `yaml:"listenPort,omitempty" cut:"network" doc:"UDP port to listen on." default:"chosen by the kernel"`
	FirewallMark int             `yaml:"firewallMark,omitempty" doc:"Mark that packets of the tunnel itself carry."`
	Peers        []WireguardPeer `yaml:"peers,omitempty" cut:"network" doc:"Peers that the link talks to."`
	CommonLink   `yaml:",inline"`
}

// WireguardPeer is the other end of a tunnel.
type WireguardPeer struct {
	PublicKey                   string          `yaml:"publicKey,omitempty" doc:"Public key of the peer: 32 bytes in base64."`
	PresharedKey                WireguardKey    `yaml:"presharedKey,omitempty" secret:"true" doc:"Additional key that both ends know: 32 bytes in base64."`
	Endpoint                    scalar.AddrPort `yaml:"endpoint,omitempty" doc:"Address and port of the peer; without it the peer has to call first."`
	PersistentKeepaliveInterval time.Duration   `yaml:"persistentKeepaliveInterval,omitempty" doc:"Interval of packets that keep a path through NAT open; 0 sends none."`
	AllowedIPs                  []scalar.Prefix `yaml:"allowedIPs,omitempty" doc:"Networks that lie behind the peer."`
}

// WireguardKey is a key as base64 text. It does not show in logs.
type WireguardKey string

// LogValue hides the key.
func (k WireguardKey) LogValue() slog.Value { return slog.StringValue("[redacted]") }

// Kind returns WireguardKind.
func (c *WireguardConfig) Kind() *document.Kind { return WireguardKind }

// Name is the link's name.
func (c *WireguardConfig) Name() string { return c.DocName }

// Validate checks the document.
func (c *WireguardConfig) Validate(v *document.Validation) {
	rules.NameGiven(v, c.DocName)

	if rules.Given(v, "privateKey", string(c.PrivateKey)) {
		checkWireguardKey(v, "privateKey", string(c.PrivateKey))
	}

	if c.ListenPort < 0 || c.ListenPort > maxPort {
		v.Errorf("listenPort", "port is out of range: %d", c.ListenPort).Fix("use a number from 0 to %d", maxPort)
	}

	for i, p := range c.Peers {
		at := v.Item("peers", i)

		if rules.Given(at, "publicKey", p.PublicKey) {
			checkWireguardKey(at, "publicKey", p.PublicKey)
		}

		if p.PresharedKey != "" {
			checkWireguardKey(at, "presharedKey", string(p.PresharedKey))
		}

		rules.NotNegative(at, "persistentKeepaliveInterval", p.PersistentKeepaliveInterval)
	}

	c.validate(v)
	c.CommonLink.advise(v)
	adviseLinkName(v, c.DocName)
	c.advisePeers(v)
}

func checkWireguardKey(v *document.Validation, path, key string) {
	if raw, err := base64.StdEncoding.DecodeString(key); err != nil || len(raw) != wireguardKeySize {
		v.Errorf(path, "key is not %d bytes in base64", wireguardKeySize).Fix("make one with: wg genkey")
	}
}
