package network

import (
	"github.com/ichor-os/ichor/config/document"
	"github.com/ichor-os/ichor/config/documents/rules"
	"github.com/ichor-os/ichor/config/scalar"
)

// EthernetKind is the kind EthernetConfig.
var EthernetKind = &document.Kind{
	APIVersion: document.V1Alpha1, Kind: "EthernetConfig", Named: true, Since: "1.13",
	New: func() document.Document { return new(EthernetConfig) },
	Doc: "Tunes a network card the way ethtool does.",
	Example: `apiVersion: v1alpha1
kind: EthernetConfig
name: eth0
features:
  rx-gro: true
rings:
  rx: 2048
  tx: 2048
channels:
  combined: 8
wakeOnLan:
  - magic
`,
}

// EthernetConfig tunes a network card.
type EthernetConfig struct {
	DocName   string                   `yaml:"name" doc:"Name or alias of the link."`
	Features  map[string]scalar.Switch `yaml:"features,omitempty" cut:"network" doc:"Offloads to switch on or off, by the names that the kernel gives them."`
	Rings     *EthernetRings           `yaml:"rings,omitempty" doc:"Sizes of the receive and transmit rings."`
	Channels  *EthernetChannels        `yaml:"channels,omitempty" doc:"Numbers of queues."`
	WakeOnLAN []WakeOnLANMode          `yaml:"wakeOnLan,omitempty" doc:"Events that wake the machine through this card." enum:"phy,unicast,multicast,broadcast,magic,magicsecure,filter"`
}

// EthernetRings holds ring sizes. Keys are named as in the kernel.
type EthernetRings struct {
	RX           *uint32 `yaml:"rx,omitempty" doc:"Entries of the receive ring."`
	TX           *uint32 `yaml:"tx,omitempty" doc:"Entries of the transmit ring."`
	RXMini       *uint32 `yaml:"rx-mini,omitempty" doc:"Entries of the receive ring for small packets."`
	RXJumbo      *uint32 `yaml:"rx-jumbo,omitempty" doc:"Entries of the receive ring for large packets."`
	RXBufLen     *uint32 `yaml:"rx-buf-len,omitempty" doc:"Bytes of each receive buffer."`
	CQESize      *uint32 `yaml:"cqe-size,omitempty" doc:"Bytes of each completion queue entry."`
	TXPush       *bool   `yaml:"tx-push,omitempty" doc:"Whether packets are pushed to the card for transmission."`
	RXPush       *bool   `yaml:"rx-push,omitempty" doc:"Whether the card pushes received packets."`
	TXPushBufLen *uint32 `yaml:"tx-push-buf-len,omitempty" doc:"Bytes of the buffer for pushed packets."`
	TCPDataSplit *bool   `yaml:"tcp-data-split,omitempty" doc:"Whether headers and data of TCP packets go to separate buffers."`
}

// EthernetChannels holds numbers of queues.
type EthernetChannels struct {
	RX       *uint32 `yaml:"rx,omitempty" doc:"Receive queues."`
	TX       *uint32 `yaml:"tx,omitempty" doc:"Transmit queues."`
	Other    *uint32 `yaml:"other,omitempty" doc:"Queues for other events."`
	Combined *uint32 `yaml:"combined,omitempty" doc:"Queues that both receive and transmit."`
}

// Kind returns EthernetKind.
func (c *EthernetConfig) Kind() *document.Kind { return EthernetKind }

// Name is the link's name.
func (c *EthernetConfig) Name() string { return c.DocName }

// Validate checks the document.
func (c *EthernetConfig) Validate(v *document.Validation) { rules.NameGiven(v, c.DocName) }
