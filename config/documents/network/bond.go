package network

import (
	"github.com/ichor-os/ichor/config/document"
	"github.com/ichor-os/ichor/config/documents/rules"
	"github.com/ichor-os/ichor/config/scalar"
)

// BondKind is the kind BondConfig.
var BondKind = &document.Kind{
	APIVersion: document.V1Alpha1, Kind: "BondConfig", Named: true, Since: "1.13",
	New:           func() document.Document { return new(BondConfig) },
	ConflictsWith: otherLinks("BondConfig"),
	Doc:           "Creates a bond, which uses several links as one.",
	Example: `apiVersion: v1alpha1
kind: BondConfig
name: bond0
links:
  - eth0
  - eth1
bondMode: 802.3ad
miimon: 100
updelay: 200
downdelay: 200
xmitHashPolicy: layer3+4
lacpRate: fast
addresses:
  - address: 192.0.2.5/24
`,
}

// BondConfig creates a bond. Times are in milliseconds unless said otherwise.
type BondConfig struct {
	DocName         string              `yaml:"name" doc:"Name of the bond to create."`
	HardwareAddr    scalar.HardwareAddr `yaml:"hardwareAddr,omitempty" doc:"Hardware address of the bond, in hex bytes with colons." default:"that of the first member"`
	Links           []string            `yaml:"links,omitempty" cut:"network" doc:"Names or aliases of the links that form the bond."`
	BondMode        *BondMode           `yaml:"bondMode,omitempty" cut:"network" doc:"How packets are spread over the links." enum:"balance-rr,active-backup,balance-xor,broadcast,802.3ad,balance-tlb,balance-alb"`
	MIIMon          *uint32             `yaml:"miimon,omitempty" cut:"network" doc:"Milliseconds between checks of each link's carrier; 0 turns the check off."`
	UpDelay         *uint32             `yaml:"updelay,omitempty" doc:"Milliseconds to wait before a link that came back is used."`
	DownDelay       *uint32             `yaml:"downdelay,omitempty" doc:"Milliseconds to wait before a link that lost its carrier is given up."`
	UseCarrier      *bool               `yaml:"useCarrier,omitempty" doc:"Whether the carrier is asked from the network stack instead of the driver."`
	XmitHashPolicy  *XmitHashPolicy     `yaml:"xmitHashPolicy,omitempty" doc:"Parts of a packet that decide on its link." enum:"layer2,layer3+4,layer2+3,encap2+3,encap3+4"`
	ARPInterval     *uint32             `yaml:"arpInterval,omitempty" cut:"network" doc:"Milliseconds between ARP probes that check the links; 0 turns them off."`
	ARPIPTargets    []scalar.Address    `yaml:"arpIpTargets,omitempty" doc:"IPv4 addresses that ARP probes ask for."`
	NSIP6Targets    []scalar.Address    `yaml:"nsIp6Targets,omitempty" doc:"IPv6 addresses that neighbour solicitations ask for."`
	ARPValidate     *ARPValidate        `yaml:"arpValidate,omitempty" doc:"Links whose ARP probes and replies are checked." enum:"none,active,backup,all,filter,filter-active,filter-backup"`
	ARPAllTargets   *ARPAllTargets      `yaml:"arpAllTargets,omitempty" doc:"Whether any or all targets must answer for a link to count as up." enum:"any,all"`
	LACPRate        *LACPRate           `yaml:"lacpRate,omitempty" doc:"How often the partner is asked to send LACP packets: every 30 s (slow) or every second (fast)." enum:"slow,fast"`
	FailOverMAC     *FailOverMAC        `yaml:"failOverMac,omitempty" doc:"Which hardware address the bond shows after it switched links." enum:"none,active,follow"`
	ADSelect        *ADSelect           `yaml:"adSelect,omitempty" doc:"What decides between aggregators in mode 802.3ad." enum:"stable,bandwidth,count"`
	ADActorSysPrio  *uint16             `yaml:"adActorSysPrio,omitempty" doc:"LACP system priority."`
	ADUserPortKey   *uint16             `yaml:"adUserPortKey,omitempty" doc:"Upper ten bits of the LACP port key."`
	ADLACPActive    *ADLACPActive       `yaml:"adLACPActive,omitempty" cut:"network" doc:"Whether the bond sends LACP packets without being asked." enum:"on,off" default:"on"`
	Primary         string              `yaml:"primary,omitempty" since:"1.14" cut:"network" doc:"Member that is used whenever it is up, in the modes active-backup, balance-tlb and balance-alb."`
	PrimaryReselect *PrimaryReselect    `yaml:"primaryReselect,omitempty" doc:"When the primary link takes over again." enum:"always,better,failure"`
	ResendIGMP      *uint32             `yaml:"resendIGMP,omitempty" doc:"Number of IGMP reports sent after a switch of links."`
	MinLinks        *uint32             `yaml:"minLinks,omitempty" cut:"network" doc:"Number of links that must be up before the bond counts as up."`
	LPInterval      *uint32             `yaml:"lpInterval,omitempty" doc:"Seconds between learning packets to switches."`
	PacketsPerSlave *uint32             `yaml:"packetsPerSlave,omitempty" doc:"Packets sent on one link before the next takes its turn (balance-rr)."`
	NumPeerNotif    *uint8              `yaml:"numPeerNotif,omitempty" doc:"Number of notifications to neighbours after a switch of links."`
	TLBLogicalLB    *uint8              `yaml:"tlbLogicalLb,omitempty" doc:"Whether balance-tlb spreads by load (1) or by hash (0)."`
	AllSlavesActive *uint8              `yaml:"allSlavesActive,omitempty" doc:"Whether duplicate packets on inactive links are passed on (1) or dropped (0)."`
	PeerNotifDelay  *uint32             `yaml:"peerNotifDelay,omitempty" doc:"Milliseconds between notifications to neighbours."`
	MissedMax       *uint8              `yaml:"missedMax,omitempty" doc:"Number of missed ARP answers after which a link counts as down."`
	CommonLink      `yaml:",inline"`
}

// Kind returns BondKind.
func (c *BondConfig) Kind() *document.Kind { return BondKind }

// Name is the bond's name.
func (c *BondConfig) Name() string { return c.DocName }

// LACPActive tells whether the bond starts LACP itself: on unless switched off
// explicitly, as the kernel has it.
func (c *BondConfig) LACPActive() bool {
	return c.ADLACPActive == nil || *c.ADLACPActive != ADLACPActiveOff
}

// Validate checks the document.
func (c *BondConfig) Validate(v *document.Validation) {
	rules.NameGiven(v, c.DocName)

	if len(c.Links) == 0 {
		v.Errorf("links", "bond has no links").Fix("list at least one link")
	}

	switch {
	case c.BondMode == nil:
		v.Errorf("bondMode", "mode is missing").Fix("choose a mode, such as active-backup or 802.3ad")
	case *c.BondMode == BondMode8023AD:
		c.warnLACP(v)
	}

	c.validate(v)
	c.CommonLink.advise(v)
	adviseLinkName(v, c.DocName)
	adviseMembers(v, c.DocName, c.Links)
	c.adviseBond(v)
}

// warnLACP names the timings that an 802.3ad bond should not leave to the kernel.
func (c *BondConfig) warnLACP(v *document.Validation) {
	for _, timing := range []struct {
		key   string
		value *uint32
		usual int
	}{{"miimon", c.MIIMon, 100}, {"updelay", c.UpDelay, 200}, {"downdelay", c.DownDelay, 200}} {
		if timing.value == nil {
			v.Warnf(timing.key, "mode 802.3ad is used without %s", timing.key).Fix("set it; %d is usual", timing.usual)
		}
	}
}
