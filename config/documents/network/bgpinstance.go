package network

import (
	"time"

	"github.com/ichor-os/ichor/config/document"
	"github.com/ichor-os/ichor/config/documents/rules"
	"github.com/ichor-os/ichor/config/scalar"
)

// BGPInstanceKind is the kind BGPInstanceConfig.
var BGPInstanceKind = &document.Kind{
	APIVersion: document.V1Alpha1, Kind: "BGPInstanceConfig", Named: true, Since: "1.14",
	New: func() document.Document { return new(BGPInstanceConfig) },
	Doc: "Runs a BGP speaker: its neighbours, what it announces to them and what it takes from them.",
	Example: `apiVersion: v1alpha1
kind: BGPInstanceConfig
name: main
localASN: 64512
routerID: 192.0.2.5
advertise:
  - dummy0
neighbors:
  - address: 192.0.2.1
    peerASN: 64513
    bfd:
      transmitInterval: 300ms
      receiveInterval: 300ms
      detectMultiplier: 3
`,
}

// BGPInstanceConfig runs a BGP speaker.
type BGPInstanceConfig struct {
	DocName       string         `yaml:"name" doc:"Name of the speaker."`
	VRF           string         `yaml:"vrf,omitempty" cut:"network" doc:"VRF link that the speaker belongs to." default:"none: the main routing table"`
	LocalASN      uint32         `yaml:"localASN" cut:"network" doc:"Number of the node's own autonomous system."`
	RouterID      scalar.Address `yaml:"routerID,omitempty" cut:"network" doc:"Identifier of the speaker, in the form of an IPv4 address." default:"an address of the node"`
	RouteSource   scalar.Address `yaml:"routeSource,omitempty" cut:"network" doc:"Own address that packets on learned routes carry as their source."`
	Advertise     []string       `yaml:"advertise,omitempty" cut:"network" doc:"Links whose addresses are announced."`
	Multipath     *bool          `yaml:"multipath,omitempty" cut:"network" doc:"Whether several equally good routes are used at once." default:"false"`
	MaxPaths      uint32         `yaml:"maxPaths,omitempty" cut:"network" doc:"Largest number of routes to use at once."`
	InstallRoutes *bool          `yaml:"installRoutes,omitempty" cut:"network" doc:"Whether learned routes go into the kernel." default:"true"`
	ImportRoutes  []BGPImport    `yaml:"importRoutes,omitempty" cut:"network" doc:"Routes to take over from other speakers of this node."`
	Neighbors     []BGPNeighbor  `yaml:"neighbors,omitempty" cut:"network" doc:"Speakers to talk to."`
}

// BGPImport takes routes over from another speaker of the node.
type BGPImport struct {
	BGPInstance string          `yaml:"bgpInstance" doc:"Name of the other speaker."`
	Prefixes    []scalar.Prefix `yaml:"prefixes" doc:"Networks whose routes are taken over."`
}

// BGPNeighbor is a speaker to talk to.
type BGPNeighbor struct {
	Address  scalar.Address `yaml:"address,omitempty" doc:"Address of the neighbour. Excludes link."`
	Link     string         `yaml:"link,omitempty" doc:"Link on which the neighbour is found by itself. Excludes address."`
	PeerASN  uint32         `yaml:"peerASN,omitempty" doc:"Number of the neighbour's autonomous system." default:"any"`
	LocalASN uint32         `yaml:"localASN,omitempty" doc:"Number of the own autonomous system towards this neighbour." default:"that of the speaker"`
	Passive  *bool          `yaml:"passive,omitempty" doc:"Whether the speaker waits for the neighbour to connect." default:"false"`
	HoldTime time.Duration  `yaml:"holdTime,omitempty" doc:"Time without a message after which the neighbour counts as gone." default:"1m30s"`
	BFD      *BGPBFD        `yaml:"bfd,omitempty" doc:"Faster detection of a neighbour that is gone."`
}

// BGPBFD sets up bidirectional forwarding detection.
type BGPBFD struct {
	TransmitInterval time.Duration `yaml:"transmitInterval,omitempty" doc:"Time between packets sent."`
	ReceiveInterval  time.Duration `yaml:"receiveInterval,omitempty" doc:"Time between packets asked for."`
	DetectMultiplier uint8         `yaml:"detectMultiplier,omitempty" doc:"Number of missed packets after which the neighbour counts as gone."`
}

// Kind returns BGPInstanceKind.
func (c *BGPInstanceConfig) Kind() *document.Kind { return BGPInstanceKind }

// Name is the speaker's name.
func (c *BGPInstanceConfig) Name() string { return c.DocName }

// Validate checks the document.
func (c *BGPInstanceConfig) Validate(v *document.Validation) {
	rules.NameGiven(v, c.DocName)

	if c.LocalASN == 0 {
		v.Errorf("localASN", "number of the autonomous system is missing").Fix("use a number from 1 to 4294967295")
	}

	if c.RouterID.IsValid() && !c.RouterID.Is4() {
		v.Errorf("routerID", "identifier is no IPv4 address: %s", c.RouterID).Fix("write 192.0.2.1")
	}

	for i, r := range c.ImportRoutes {
		at := v.Item("importRoutes", i)
		rules.Given(at, "bgpInstance", r.BGPInstance)

		if len(r.Prefixes) == 0 {
			at.Errorf("prefixes", "no network is given").Fix("list at least one network")
		}
	}

	for i, n := range c.Neighbors {
		n.validate(v.Item("neighbors", i))
	}
}

func (n *BGPNeighbor) validate(v *document.Validation) {
	if n.Address.IsZero() == (n.Link == "") {
		v.Errorf("address", "a neighbour has either an address or a link").Fix("give one of the two")
	}

	if rules.NotNegative(v, "holdTime", n.HoldTime) && n.HoldTime > 0 && n.HoldTime < minHoldTime {
		v.Errorf("holdTime", "time is too short: %s", n.HoldTime).Fix("use 0 or at least %s", minHoldTime)
	}

	if n.BFD != nil {
		rules.NotNegative(v, "bfd.transmitInterval", n.BFD.TransmitInterval)
		rules.NotNegative(v, "bfd.receiveInterval", n.BFD.ReceiveInterval)
	}
}

// minHoldTime is the shortest time that the protocol allows (RFC 4271).
const minHoldTime = 3 * time.Second
