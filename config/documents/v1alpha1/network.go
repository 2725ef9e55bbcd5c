package v1alpha1

import (
	"time"
)

// NetworkConfig is the section machine.network.
type NetworkConfig struct {
	Hostname            string           `yaml:"hostname,omitempty" effect:"yes" change:"restart=kubelet" doc:"Name of the machine. HostnameConfig is the newer form."`
	Interfaces          []*Device        `yaml:"interfaces,omitempty" merge:"key=interface|deviceSelector" effect:"yes" cut:"network" doc:"Links with their addresses and routes."`
	NameServers         []string         `yaml:"nameservers,omitempty" effect:"yes" cut:"network" doc:"Addresses of name servers. ResolverConfig is the newer form."`
	Searches            []string         `yaml:"searchDomains,omitempty" effect:"yes" doc:"Search domains."`
	ExtraHostEntries    []*ExtraHost     `yaml:"extraHostEntries,omitempty" doc:"Lines for /etc/hosts. StaticHostConfig is the newer form."`
	KubeSpan            *NetworkKubeSpan `yaml:"kubespan,omitempty" doc:"Encrypted mesh between the machines of a cluster. KubeSpanConfig is the newer form."`
	DisableSearchDomain *bool            `yaml:"disableSearchDomain,omitempty" effect:"yes" default:"false" doc:"Do not make a search domain from the host name."`
}

// ExtraHost is a line of /etc/hosts.
type ExtraHost struct {
	IP      string   `yaml:"ip" effect:"yes" doc:"Address."`
	Aliases []string `yaml:"aliases" effect:"yes" doc:"Names for it."`
}

// NetworkKubeSpan is the older form of KubeSpanConfig.
type NetworkKubeSpan struct {
	Enabled                     *bool            `yaml:"enabled,omitempty" default:"false" doc:"Switch the mesh on."`
	AdvertiseKubernetesNetworks *bool            `yaml:"advertiseKubernetesNetworks,omitempty" default:"false" doc:"Carry pod traffic of the node in the mesh too."`
	AllowDownPeerBypass         *bool            `yaml:"allowDownPeerBypass,omitempty" default:"false" doc:"Send traffic in the clear to peers whose tunnel is down."`
	HarvestExtraEndpoints       *bool            `yaml:"harvestExtraEndpoints,omitempty" default:"false" doc:"Learn further endpoints of peers from their traffic."`
	MTU                         *uint32          `yaml:"mtu,omitempty" default:"1420" doc:"MTU of the mesh's link."`
	Filters                     *KubeSpanFilters `yaml:"filters,omitempty" doc:"Which addresses take part."`
}

// KubeSpanFilters narrows what the mesh uses.
type KubeSpanFilters struct {
	Endpoints                 []string `yaml:"endpoints,omitempty" doc:"Subnets of endpoints; a leading ! excludes."`
	ExcludeAdvertisedNetworks []string `yaml:"excludeAdvertisedNetworks,omitempty" doc:"Subnets that are never carried."`
}

// NetworkDeviceSelector finds a link by its hardware.
type NetworkDeviceSelector struct {
	BusPath       string `yaml:"busPath,omitempty" doc:"Place on the bus; * stands for anything."`
	HardwareAddr  string `yaml:"hardwareAddr,omitempty" doc:"MAC address; * stands for anything, case does not matter."`
	PermanentAddr string `yaml:"permanentAddr,omitempty" doc:"MAC address from the factory; * stands for anything."`
	PCIID         string `yaml:"pciID,omitempty" doc:"Vendor and product: 8086:1521."`
	Driver        string `yaml:"driver,omitempty" doc:"Kernel driver."`
	Physical      *bool  `yaml:"physical,omitempty" doc:"Only links that are hardware (true) or are not (false)."`
}

// Device is one link.
type Device struct {
	Interface      string                 `yaml:"interface,omitempty" doc:"Name of the link."`
	DeviceSelector *NetworkDeviceSelector `yaml:"deviceSelector,omitempty" doc:"Find the link by its hardware instead of its name."`
	Addresses      []string               `yaml:"addresses,omitempty" doc:"Addresses, with or without prefix length."`
	CIDR           string                 `yaml:"cidr,omitempty" doc:"One address; addresses is the newer form."`
	Routes         []*Route               `yaml:"routes,omitempty" doc:"Routes through the link."`
	Bond           *Bond                  `yaml:"bond,omitempty" effect:"no" doc:"Make the link a bond of others."`
	Bridge         *Bridge                `yaml:"bridge,omitempty" effect:"no" doc:"Make the link a bridge of others."`
	BridgePort     *BridgePort            `yaml:"bridgePort,omitempty" effect:"no" doc:"Make the link a port of a bridge."`
	Vlans          []*Vlan                `yaml:"vlans,omitempty" merge:"key=vlanId" effect:"no" doc:"VLANs on the link."`
	MTU            int                    `yaml:"mtu,omitempty" doc:"MTU of the link."`
	DHCP           *bool                  `yaml:"dhcp,omitempty" change:"live" default:"false" doc:"Ask for addresses by DHCP."`
	Ignore         *bool                  `yaml:"ignore,omitempty" default:"false" doc:"Leave the link alone."`
	Dummy          *bool                  `yaml:"dummy,omitempty" default:"false" doc:"Make the link a dummy."`
	DHCPOptions    *DHCPOptions           `yaml:"dhcpOptions,omitempty" change:"live" doc:"How DHCP asks."`
	Wireguard      *DeviceWireguardConfig `yaml:"wireguard,omitempty" effect:"no" doc:"Make the link a WireGuard tunnel."`
	VIP            *DeviceVIPConfig       `yaml:"vip,omitempty" doc:"Address shared by the control plane machines."`
}

// DHCPOptions says how DHCP asks.
type DHCPOptions struct {
	RouteMetric uint32 `yaml:"routeMetric" doc:"Metric of the routes that it brings."`
	IPv4        *bool  `yaml:"ipv4,omitempty" default:"true" doc:"Ask for IPv4."`
	IPv6        *bool  `yaml:"ipv6,omitempty" default:"false" doc:"Ask for IPv6."`
	DUIDv6      string `yaml:"duidv6,omitempty" doc:"Client identifier for DHCPv6, hexadecimal."`
}

// DeviceWireguardConfig is a WireGuard tunnel.
type DeviceWireguardConfig struct {
	PrivateKey   string                 `yaml:"privateKey,omitempty" secret:"true" doc:"Private key, base64."`
	ListenPort   int                    `yaml:"listenPort,omitempty" doc:"UDP port to listen on."`
	FirewallMark int                    `yaml:"firewallMark,omitempty" doc:"Mark of the tunnel's own packets."`
	Peers        []*DeviceWireguardPeer `yaml:"peers,omitempty" doc:"The other ends."`
}

// DeviceWireguardPeer is the other end of a tunnel.
type DeviceWireguardPeer struct {
	PublicKey                   string        `yaml:"publicKey,omitempty" doc:"Public key, base64."`
	Endpoint                    string        `yaml:"endpoint,omitempty" doc:"Address and port."`
	PersistentKeepaliveInterval time.Duration `yaml:"persistentKeepaliveInterval,omitempty" doc:"How often to send when there is nothing to send."`
	AllowedIPs                  []string      `yaml:"allowedIPs,omitempty" doc:"Subnets behind the peer."`
}

// DeviceVIPConfig is an address shared by the control plane machines.
type DeviceVIPConfig struct {
	IP           string                 `yaml:"ip,omitempty" doc:"The address."`
	EquinixMetal *VIPEquinixMetalConfig `yaml:"equinixMetal,omitempty" effect:"no" doc:"Move the address through Equinix Metal's API."`
	HCloud       *VIPHCloudConfig       `yaml:"hcloud,omitempty" effect:"no" doc:"Move the address through Hetzner Cloud's API."`
}

// VIPEquinixMetalConfig holds access to Equinix Metal.
type VIPEquinixMetalConfig struct {
	APIToken string `yaml:"apiToken" secret:"true" doc:"API token."`
}

// VIPHCloudConfig holds access to Hetzner Cloud.
type VIPHCloudConfig struct {
	APIToken string `yaml:"apiToken" secret:"true" doc:"API token."`
}

// STP is the spanning tree protocol of a bridge.
type STP struct {
	Enabled *bool `yaml:"enabled,omitempty" default:"false" doc:"Run the protocol."`
}

// BridgeVLAN is VLAN filtering of a bridge.
type BridgeVLAN struct {
	Filtering *bool `yaml:"vlanFiltering,omitempty" default:"false" doc:"Filter by VLAN."`
}

// Bridge makes a link a bridge.
type Bridge struct {
	Interfaces []string    `yaml:"interfaces" doc:"Links that are its ports."`
	STP        *STP        `yaml:"stp,omitempty" doc:"Spanning tree protocol."`
	VLAN       *BridgeVLAN `yaml:"vlan,omitempty" doc:"VLAN filtering."`
}

// BridgePort makes a link a port.
type BridgePort struct {
	Master string `yaml:"master,omitempty" doc:"Name of the bridge."`
}

// Vlan is a VLAN on a link.
type Vlan struct {
	Addresses   []string         `yaml:"addresses,omitempty" doc:"Addresses, with or without prefix length."`
	CIDR        string           `yaml:"cidr,omitempty" doc:"One address; addresses is the newer form."`
	Routes      []*Route         `yaml:"routes" doc:"Routes through the VLAN."`
	DHCP        *bool            `yaml:"dhcp,omitempty" default:"false" doc:"Ask for addresses by DHCP."`
	ID          uint16           `yaml:"vlanId" doc:"Number of the VLAN."`
	MTU         uint32           `yaml:"mtu,omitempty" doc:"MTU of the VLAN."`
	VIP         *DeviceVIPConfig `yaml:"vip,omitempty" doc:"Address shared by the control plane machines."`
	DHCPOptions *DHCPOptions     `yaml:"dhcpOptions,omitempty" doc:"How DHCP asks."`
}

// Route is one route.
type Route struct {
	Network string `yaml:"network" doc:"Destination; empty: everything."`
	Gateway string `yaml:"gateway" doc:"Next hop."`
	Source  string `yaml:"source,omitempty" doc:"Source address of packets that take the route."`
	Metric  uint32 `yaml:"metric,omitempty" doc:"Metric; lower wins."`
	MTU     uint32 `yaml:"mtu,omitempty" doc:"MTU of the route."`
}

// Bond makes a link a bond.
type Bond struct {
	Interfaces      []string                `yaml:"interfaces" doc:"Names of the links in the bond."`
	DeviceSelectors []NetworkDeviceSelector `yaml:"deviceSelectors,omitempty" doc:"Find the links by their hardware instead."`
	ARPIPTarget     []string                `yaml:"arpIPTarget,omitempty" doc:"Known to the format, refused by validation."`
	Mode            string                  `yaml:"mode" enum:"balance-rr,active-backup,balance-xor,broadcast,802.3ad,balance-tlb,balance-alb" doc:"How the links share the traffic."`
	HashPolicy      string                  `yaml:"xmitHashPolicy,omitempty" enum:"layer2,layer3+4,layer2+3,encap2+3,encap3+4" doc:"What decides on the link for a packet."`
	LACPRate        string                  `yaml:"lacpRate,omitempty" enum:"slow,fast" doc:"How often LACP speaks."`
	ADActorSystem   string                  `yaml:"adActorSystem,omitempty" doc:"Known to the format, refused by validation."`
	ARPValidate     string                  `yaml:"arpValidate,omitempty" enum:"none,active,backup,all,filter,filter-active,filter-backup" doc:"Which ARP replies count."`
	ARPAllTargets   string                  `yaml:"arpAllTargets,omitempty" enum:"any,all" doc:"How many ARP targets must answer."`
	Primary         string                  `yaml:"primary,omitempty" doc:"Link that is preferred."`
	PrimaryReselect string                  `yaml:"primaryReselect,omitempty" enum:"always,better,failure" doc:"When the preferred link is taken again."`
	FailOverMac     string                  `yaml:"failOverMac,omitempty" enum:"none,active,follow" doc:"What happens to the MAC address when the link changes."`
	ADSelect        string                  `yaml:"adSelect,omitempty" enum:"stable,bandwidth,count" doc:"How LACP chooses among groups."`
	MIIMon          uint32                  `yaml:"miimon,omitempty" doc:"How often links are checked, in milliseconds."`
	UpDelay         uint32                  `yaml:"updelay,omitempty" doc:"Wait before a link counts as up, in milliseconds; a multiple of miimon."`
	DownDelay       uint32                  `yaml:"downdelay,omitempty" doc:"Wait before a link counts as down, in milliseconds; a multiple of miimon."`
	ARPInterval     uint32                  `yaml:"arpInterval,omitempty" doc:"How often ARP asks, in milliseconds."`
	ResendIGMP      uint32                  `yaml:"resendIgmp,omitempty" doc:"How many IGMP reports follow a change of link."`
	MinLinks        uint32                  `yaml:"minLinks,omitempty" doc:"How many links must be up."`
	LPInterval      uint32                  `yaml:"lpInterval,omitempty" doc:"Seconds between learning packets."`
	PacketsPerSlave uint32                  `yaml:"packetsPerSlave,omitempty" doc:"Packets on one link before the next is taken."`
	NumPeerNotif    uint8                   `yaml:"numPeerNotif,omitempty" doc:"How many announcements follow a change of link."`
	TLBDynamicLB    uint8                   `yaml:"tlbDynamicLb,omitempty" doc:"Move flows between links by load."`
	AllSlavesActive uint8                   `yaml:"allSlavesActive,omitempty" doc:"Accept packets on resting links."`
	UseCarrier      *bool                   `yaml:"useCarrier,omitempty" doc:"Ask the driver whether a link is up."`
	ADActorSysPrio  uint16                  `yaml:"adActorSysPrio,omitempty" doc:"System priority in LACP."`
	ADUserPortKey   uint16                  `yaml:"adUserPortKey,omitempty" doc:"Upper bits of the port key in LACP."`
	PeerNotifyDelay uint32                  `yaml:"peerNotifyDelay,omitempty" doc:"Wait between announcements, in milliseconds."`
}
