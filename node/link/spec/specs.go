package spec

import (
	"log/slog"
	"net/netip"
	"time"

	"github.com/ichor-os/ichor/resource/value"
)

// LinkSpecSpec is the spec of [LinkSpecs].
type LinkSpecSpec struct {
	Name         string             `yaml:"name" protobuf:"1"`
	Logical      bool               `yaml:"logical" protobuf:"2"`
	Up           bool               `yaml:"up" protobuf:"3"`
	MTU          uint32             `yaml:"mtu" protobuf:"4"`
	Kind         string             `yaml:"kind" protobuf:"5"`
	Type         LinkType           `yaml:"type" protobuf:"6"`
	HardwareAddr value.HardwareAddr `yaml:"hardwareAddr,omitempty" protobuf:"15"`
	ParentName   string             `yaml:"parentName,omitempty" protobuf:"7"`
	BondSlave    BondSlave          `yaml:",omitempty,inline" protobuf:"8"`
	BridgeSlave  BridgeSlave        `yaml:"bridgeSlave,omitempty" protobuf:"9"`
	VRFSlave     VRFSlave           `yaml:"vrfSlave,omitempty" protobuf:"18"`
	VLAN         VLANSpec           `yaml:"vlan,omitempty" protobuf:"10"`
	BondMaster   BondMasterSpec     `yaml:"bondMaster,omitempty" protobuf:"11"`
	BridgeMaster BridgeMasterSpec   `yaml:"bridgeMaster,omitempty" protobuf:"12"`
	VRFMaster    VRFMasterSpec      `yaml:"vrfMaster,omitempty" protobuf:"17"`
	Wireguard    WireguardSpec      `yaml:"wireguard,omitempty" protobuf:"13"`
	Layer        value.Layer        `yaml:"layer" protobuf:"14"`
	Multicast    *bool              `yaml:"multicast,omitempty" protobuf:"16"`
}

// LogValue keeps secrets out of logs.
func (LinkSpecSpec) LogValue() slog.Value { return slog.StringValue("redacted") }

// BondSlave is a part of [LinkSpecSpec].
type BondSlave struct {
	MasterName string `yaml:"masterName,omitempty" protobuf:"1"`
	SlaveIndex int    `yaml:"slaveIndex,omitempty" protobuf:"2"`
}

// BridgeSlave is a part of [LinkSpecSpec].
type BridgeSlave struct {
	MasterName string `yaml:"masterName,omitempty" protobuf:"1"`
}

// VRFSlave is a part of [LinkSpecSpec].
type VRFSlave struct {
	MasterName string `yaml:"masterName,omitempty" protobuf:"1"`
}

// VLANSpec is a part of [LinkSpecSpec].
type VLANSpec struct {
	VLANID       uint16       `yaml:"vlanID" protobuf:"1"`
	VLANProtocol VLANProtocol `yaml:"vlanProtocol" protobuf:"2"`
}

// BondMasterSpec is a part of [LinkSpecSpec].
type BondMasterSpec struct {
	Mode            BondMode           `yaml:"mode" protobuf:"1"`
	XmitHashPolicy  BondXmitHashPolicy `yaml:"xmitHashPolicy" protobuf:"2"`
	LACPRate        LACPRate           `yaml:"lacpRate" protobuf:"3"`
	ARPValidate     ARPValidate        `yaml:"arpValidate" protobuf:"4"`
	ARPAllTargets   ARPAllTargets      `yaml:"arpAllTargets" protobuf:"5"`
	Primary         *uint32            `yaml:"primary,omitempty" protobuf:"6"`
	PrimaryReselect PrimaryReselect    `yaml:"primaryReselect" protobuf:"7"`
	FailOverMAC     FailOverMAC        `yaml:"failOverMac" protobuf:"8"`
	ADSelect        ADSelect           `yaml:"adSelect,omitempty" protobuf:"9"`
	MIIMon          uint32             `yaml:"miimon,omitempty" protobuf:"10"`
	Updelay         uint32             `yaml:"updelay,omitempty" protobuf:"11"`
	Downdelay       uint32             `yaml:"downdelay,omitempty" protobuf:"12"`
	ARPInterval     uint32             `yaml:"arpInterval,omitempty" protobuf:"13"`
	ResendIGMP      uint32             `yaml:"resendIgmp,omitempty" protobuf:"14"`
	MinLinks        uint32             `yaml:"minLinks,omitempty" protobuf:"15"`
	LPInterval      uint32             `yaml:"lpInterval,omitempty" protobuf:"16"`
	PacketsPerSlave uint32             `yaml:"packetsPerSlave,omitempty" protobuf:"17"`
	NumPeerNotif    uint8              `yaml:"numPeerNotif,omitempty" protobuf:"18"`
	TLBLogicalLB    uint8              `yaml:"tlbLogicalLb,omitempty" protobuf:"19"`
	AllSlavesActive uint8              `yaml:"allSlavesActive,omitempty" protobuf:"20"`
	UseCarrier      bool               `yaml:"useCarrier,omitempty" protobuf:"21"`
	ADActorSysPrio  uint16             `yaml:"adActorSysPrio,omitempty" protobuf:"22"`
	ADUserPortKey   uint16             `yaml:"adUserPortKey,omitempty" protobuf:"23"`
	PeerNotifyDelay uint32             `yaml:"peerNotifyDelay,omitempty" protobuf:"24"`
	ARPIPTargets    []netip.Addr       `yaml:"arpIpTargets,omitempty" protobuf:"25"`
	NsIp6Targets    []netip.Addr       `yaml:"nsIp6Targets,omitempty" protobuf:"26"`
	ADLACPActive    *ADLACPActive      `yaml:"adLacpActive,omitempty" protobuf:"27"`
	MissedMax       uint8              `yaml:"missedMax,omitempty" protobuf:"28"`
}

// BridgeMasterSpec is a part of [LinkSpecSpec].
type BridgeMasterSpec struct {
	STP  STPSpec        `yaml:"stp,omitempty" protobuf:"1"`
	VLAN BridgeVLANSpec `yaml:"vlan,omitempty" protobuf:"2"`
}

// STPSpec is a part of [BridgeMasterSpec].
type STPSpec struct {
	Enabled bool `yaml:"enabled" protobuf:"1"`
}

// BridgeVLANSpec is a part of [BridgeMasterSpec].
type BridgeVLANSpec struct {
	FilteringEnabled bool `yaml:"filteringEnabled" protobuf:"1"`
}

// VRFMasterSpec is a part of [LinkSpecSpec].
type VRFMasterSpec struct {
	Table RoutingTable `yaml:"table" protobuf:"1"`
}

// WireguardSpec is a part of [LinkSpecSpec].
type WireguardSpec struct {
	PrivateKey   string          `yaml:"privateKey,omitempty" protobuf:"1"`
	PublicKey    string          `yaml:"publicKey,omitempty" protobuf:"2"`
	ListenPort   int             `yaml:"listenPort" protobuf:"3"`
	FirewallMark int             `yaml:"firewallMark" protobuf:"4"`
	Peers        []WireguardPeer `yaml:"peers" protobuf:"5"`
}

// WireguardPeer is a part of [WireguardSpec].
type WireguardPeer struct {
	PublicKey                   string         `yaml:"publicKey" protobuf:"1"`
	PresharedKey                string         `yaml:"presharedKey" protobuf:"2"`
	Endpoint                    string         `yaml:"endpoint" protobuf:"3"`
	PersistentKeepaliveInterval time.Duration  `yaml:"persistentKeepaliveInterval" protobuf:"4"`
	AllowedIPs                  []netip.Prefix `yaml:"allowedIPs" protobuf:"5"`
}

// LinkStatusSpec is the spec of [LinkStatuses].
type LinkStatusSpec struct {
	Alias            string             `yaml:"alias,omitempty" protobuf:"31"`
	AltNames         []string           `yaml:"altNames,omitempty" protobuf:"32"`
	Index            uint32             `yaml:"index" protobuf:"1"`
	Type             LinkType           `yaml:"type" protobuf:"2"`
	LinkIndex        uint32             `yaml:"linkIndex" protobuf:"3"`
	Flags            LinkFlags          `yaml:"flags" protobuf:"4"`
	HardwareAddr     value.HardwareAddr `yaml:"hardwareAddr" protobuf:"5"`
	PermanentAddr    value.HardwareAddr `yaml:"permanentAddr" protobuf:"30"`
	BroadcastAddr    value.HardwareAddr `yaml:"broadcastAddr" protobuf:"6"`
	MTU              uint32             `yaml:"mtu" protobuf:"7"`
	QueueDisc        string             `yaml:"queueDisc" protobuf:"8"`
	MasterIndex      uint32             `yaml:"masterIndex,omitempty" protobuf:"9"`
	OperationalState OperationalState   `yaml:"operationalState" protobuf:"10"`
	Kind             string             `yaml:"kind" protobuf:"11"`
	SlaveKind        string             `yaml:"slaveKind" protobuf:"12"`
	BusPath          string             `yaml:"busPath,omitempty" protobuf:"13"`
	PCIID            string             `yaml:"pciID,omitempty" protobuf:"14"`
	Driver           string             `yaml:"driver,omitempty" protobuf:"15"`
	DriverVersion    string             `yaml:"driverVersion,omitempty" protobuf:"16"`
	FirmwareVersion  string             `yaml:"firmwareVersion,omitempty" protobuf:"17"`
	ProductID        string             `yaml:"productID,omitempty" protobuf:"18"`
	VendorID         string             `yaml:"vendorID,omitempty" protobuf:"19"`
	Product          string             `yaml:"product,omitempty" protobuf:"20"`
	Vendor           string             `yaml:"vendor,omitempty" protobuf:"21"`
	LinkState        bool               `yaml:"linkState" protobuf:"22"`
	SpeedMbit        int                `yaml:"speedMbit,omitempty" protobuf:"23"`
	Port             Port               `yaml:"port" protobuf:"24"`
	Duplex           Duplex             `yaml:"duplex" protobuf:"25"`
	VLAN             VLANSpec           `yaml:"vlan,omitempty" protobuf:"26"`
	BridgeMaster     BridgeMasterSpec   `yaml:"bridgeMaster,omitempty" protobuf:"27"`
	BondMaster       BondMasterSpec     `yaml:"bondMaster,omitempty" protobuf:"28"`
	VRFMaster        VRFMasterSpec      `yaml:"vrfMaster,omitempty" protobuf:"33"`
	Wireguard        WireguardSpec      `yaml:"wireguard,omitempty" protobuf:"29"`
}

// LinkAliasSpecSpec is the spec of [LinkAliasSpecs].
type LinkAliasSpecSpec struct {
	Alias string `yaml:"alias" protobuf:"1"`
}

// LinkRefreshSpec is the spec of [LinkRefreshes].
type LinkRefreshSpec struct {
	Generation int `yaml:"generation" protobuf:"1"`
}

// AddressSpecSpec is the spec of [AddressSpecs].
type AddressSpecSpec struct {
	Address         netip.Prefix `yaml:"address" protobuf:"1"`
	LinkName        string       `yaml:"linkName" protobuf:"2"`
	Family          value.Family `yaml:"family" protobuf:"3"`
	Scope           Scope        `yaml:"scope" protobuf:"4"`
	Flags           AddressFlags `yaml:"flags" protobuf:"5"`
	AnnounceWithARP bool         `yaml:"announceWithARP,omitempty" protobuf:"6"`
	Priority        uint32       `yaml:"priority,omitempty" protobuf:"8"`
	Layer           value.Layer  `yaml:"layer" protobuf:"7"`
}

// AddressStatusSpec is the spec of [AddressStatuses].
type AddressStatusSpec struct {
	Address   netip.Prefix `yaml:"address" protobuf:"1"`
	Local     netip.Addr   `yaml:"local" protobuf:"2"`
	Broadcast netip.Addr   `yaml:"broadcast" protobuf:"3"`
	Anycast   netip.Addr   `yaml:"anycast" protobuf:"4"`
	Multicast netip.Addr   `yaml:"multicast" protobuf:"5"`
	LinkIndex uint32       `yaml:"linkIndex" protobuf:"6"`
	LinkName  string       `yaml:"linkName" protobuf:"7"`
	Family    value.Family `yaml:"family" protobuf:"8"`
	Scope     Scope        `yaml:"scope" protobuf:"9"`
	Flags     AddressFlags `yaml:"flags" protobuf:"10"`
	Priority  uint32       `yaml:"priority" protobuf:"11"`
}

// RouteSpecSpec is the spec of [RouteSpecs].
type RouteSpecSpec struct {
	Family      value.Family  `yaml:"family" protobuf:"1"`
	Dst         netip.Prefix  `yaml:"dst" protobuf:"2"`
	Src         netip.Addr    `yaml:"src" protobuf:"3"`
	Gateway     netip.Addr    `yaml:"gateway" protobuf:"4"`
	OutLinkName string        `yaml:"outLinkName,omitempty" protobuf:"5"`
	Table       RoutingTable  `yaml:"table" protobuf:"6"`
	Priority    uint32        `yaml:"priority,omitempty" protobuf:"7"`
	Scope       Scope         `yaml:"scope" protobuf:"8"`
	Type        RouteType     `yaml:"type" protobuf:"9"`
	Flags       RouteFlags    `yaml:"flags" protobuf:"10"`
	Protocol    RouteProtocol `yaml:"protocol" protobuf:"11"`
	Layer       value.Layer   `yaml:"layer" protobuf:"12"`
	MTU         uint32        `yaml:"mtu,omitempty" protobuf:"13"`
}

// RouteStatusSpec is the spec of [RouteStatuses].
type RouteStatusSpec struct {
	Family       value.Family  `yaml:"family" protobuf:"1"`
	Dst          netip.Prefix  `yaml:"dst" protobuf:"2"`
	Src          netip.Addr    `yaml:"src" protobuf:"3"`
	Gateway      netip.Addr    `yaml:"gateway" protobuf:"4"`
	OutLinkIndex uint32        `yaml:"outLinkIndex,omitempty" protobuf:"5"`
	OutLinkName  string        `yaml:"outLinkName,omitempty" protobuf:"6"`
	Table        RoutingTable  `yaml:"table" protobuf:"7"`
	Priority     uint32        `yaml:"priority" protobuf:"8"`
	Scope        Scope         `yaml:"scope" protobuf:"9"`
	Type         RouteType     `yaml:"type" protobuf:"10"`
	Flags        RouteFlags    `yaml:"flags" protobuf:"11"`
	Protocol     RouteProtocol `yaml:"protocol" protobuf:"12"`
	MTU          uint32        `yaml:"mtu,omitempty" protobuf:"13"`
}

// RoutingRuleSpecSpec is the spec of [RoutingRuleSpecs].
type RoutingRuleSpecSpec struct {
	Family   value.Family      `yaml:"family" protobuf:"1"`
	Src      netip.Prefix      `yaml:"src" protobuf:"2"`
	Dst      netip.Prefix      `yaml:"dst" protobuf:"3"`
	Table    RoutingTable      `yaml:"table" protobuf:"4"`
	Priority uint32            `yaml:"priority" protobuf:"5"`
	Action   RoutingRuleAction `yaml:"action" protobuf:"6"`
	IIFName  string            `yaml:"iifName,omitempty" protobuf:"7"`
	OIFName  string            `yaml:"oifName,omitempty" protobuf:"8"`
	FwMark   uint32            `yaml:"fwMark,omitempty" protobuf:"9"`
	FwMask   uint32            `yaml:"fwMask,omitempty" protobuf:"10"`
	Layer    value.Layer       `yaml:"layer" protobuf:"11"`
}

// RoutingRuleStatusSpec is the spec of [RoutingRuleStatuses].
type RoutingRuleStatusSpec struct {
	Family   value.Family      `yaml:"family" protobuf:"1"`
	Src      netip.Prefix      `yaml:"src" protobuf:"2"`
	Dst      netip.Prefix      `yaml:"dst" protobuf:"3"`
	Table    RoutingTable      `yaml:"table" protobuf:"4"`
	Priority uint32            `yaml:"priority" protobuf:"5"`
	Action   RoutingRuleAction `yaml:"action" protobuf:"6"`
	IIFName  string            `yaml:"iifName,omitempty" protobuf:"7"`
	OIFName  string            `yaml:"oifName,omitempty" protobuf:"8"`
	FwMark   uint32            `yaml:"fwMark,omitempty" protobuf:"9"`
	FwMask   uint32            `yaml:"fwMask,omitempty" protobuf:"10"`
}

// OperatorSpecSpec is the spec of [OperatorSpecs].
type OperatorSpecSpec struct {
	Operator  Operator          `yaml:"operator" protobuf:"1"`
	LinkName  string            `yaml:"linkName" protobuf:"2"`
	RequireUp bool              `yaml:"requireUp" protobuf:"3"`
	Dhcp4     DHCP4OperatorSpec `yaml:"dhcp4,omitempty" protobuf:"4"`
	Dhcp6     DHCP6OperatorSpec `yaml:"dhcp6,omitempty" protobuf:"5"`
	VIP       VIPOperatorSpec   `yaml:"vip,omitempty" protobuf:"6"`
	Layer     value.Layer       `yaml:"layer" protobuf:"7"`
}

// LogValue keeps secrets out of logs.
func (OperatorSpecSpec) LogValue() slog.Value { return slog.StringValue("redacted") }

// DHCP4OperatorSpec is a part of [OperatorSpecSpec].
type DHCP4OperatorSpec struct {
	RouteMetric         uint32               `yaml:"routeMetric" protobuf:"1"`
	SkipHostnameRequest bool                 `yaml:"skipHostnameRequest,omitempty" protobuf:"2"`
	ClientIdentifier    ClientIdentifierSpec `yaml:"clientIdentifier,omitempty" protobuf:"3"`
}

// ClientIdentifierSpec is a part of [DHCP4OperatorSpec].
type ClientIdentifierSpec struct {
	ClientIdentifier ClientIdentifier `yaml:"clientIdentifier" protobuf:"1"`
	DUIDRawHex       string           `yaml:"duidRawHex,omitempty" protobuf:"2"`
}

// DHCP6OperatorSpec is a part of [OperatorSpecSpec].
type DHCP6OperatorSpec struct {
	RouteMetric         uint32               `yaml:"routeMetric" protobuf:"2"`
	SkipHostnameRequest bool                 `yaml:"skipHostnameRequest,omitempty" protobuf:"3"`
	ClientIdentifier    ClientIdentifierSpec `yaml:"clientIdentifier,omitempty" protobuf:"4"`
}

// VIPOperatorSpec is a part of [OperatorSpecSpec].
type VIPOperatorSpec struct {
	IP            netip.Addr          `yaml:"ip" protobuf:"1"`
	GratuitousARP bool                `yaml:"gratuitousARP" protobuf:"2"`
	EquinixMetal  VIPEquinixMetalSpec `yaml:"equinixMetal,omitempty" protobuf:"3"`
	HCloud        VIPHCloudSpec       `yaml:"hcloud,omitempty" protobuf:"4"`
}

// VIPEquinixMetalSpec is a part of [VIPOperatorSpec].
type VIPEquinixMetalSpec struct {
	ProjectID string `yaml:"projectID" protobuf:"1"`
	DeviceID  string `yaml:"deviceID" protobuf:"2"`
	APIToken  string `yaml:"apiToken" protobuf:"3"`
}

// VIPHCloudSpec is a part of [VIPOperatorSpec].
type VIPHCloudSpec struct {
	DeviceID  int64  `yaml:"deviceID" protobuf:"1"`
	NetworkID int64  `yaml:"networkID" protobuf:"2"`
	APIToken  string `yaml:"apiToken" protobuf:"3"`
}

// NodeAddressSpec is the spec of [NodeAddresses].
type NodeAddressSpec struct {
	Addresses     []netip.Prefix       `yaml:"addresses" protobuf:"1"`
	SortAlgorithm AddressSortAlgorithm `yaml:"sortAlgorithm" protobuf:"2"`
}

// NodeAddressFilterSpec is the spec of [NodeAddressFilters].
type NodeAddressFilterSpec struct {
	IncludeSubnets []netip.Prefix `yaml:"includeSubnets" protobuf:"1"`
	ExcludeSubnets []netip.Prefix `yaml:"excludeSubnets" protobuf:"2"`
}

// NodeAddressSortAlgorithmSpec is the spec of [NodeAddressSortAlgorithms].
type NodeAddressSortAlgorithmSpec struct {
	Algorithm AddressSortAlgorithm `yaml:"algorithm" protobuf:"1"`
}

// HardwareAddressSpec is the spec of [HardwareAddresses].
type HardwareAddressSpec struct {
	Name         string             `yaml:"name" protobuf:"1"`
	HardwareAddr value.HardwareAddr `yaml:"hardwareAddr" protobuf:"2"`
}

// PlatformConfigSpec is the spec of [PlatformConfigs].
type PlatformConfigSpec struct {
	Addresses   []AddressSpecSpec     `yaml:"addresses" protobuf:"1"`
	Links       []LinkSpecSpec        `yaml:"links" protobuf:"2"`
	Routes      []RouteSpecSpec       `yaml:"routes" protobuf:"3"`
	Hostnames   []HostnameSpecSpec    `yaml:"hostnames" protobuf:"4"`
	Resolvers   []ResolverSpecSpec    `yaml:"resolvers" protobuf:"5"`
	TimeServers []TimeServerSpecSpec  `yaml:"timeServers" protobuf:"6"`
	Operators   []OperatorSpecSpec    `yaml:"operators" protobuf:"7"`
	ExternalIPs []netip.Addr          `yaml:"externalIPs" protobuf:"8"`
	Probes      []ProbeSpecSpec       `yaml:"probes,omitempty" protobuf:"9"`
	Metadata    *PlatformMetadataSpec `yaml:"metadata,omitempty" protobuf:"10"`
}

// HostnameSpecSpec is a part of [PlatformConfigSpec].
type HostnameSpecSpec struct {
	Hostname   string      `yaml:"hostname" protobuf:"1"`
	Domainname string      `yaml:"domainname" protobuf:"2"`
	Layer      value.Layer `yaml:"layer" protobuf:"3"`
}

// ResolverSpecSpec is a part of [PlatformConfigSpec].
type ResolverSpecSpec struct {
	DNSServers    []netip.Addr `yaml:"dnsServers" protobuf:"1"`
	Layer         value.Layer  `yaml:"layer" protobuf:"2"`
	SearchDomains []string     `yaml:"searchDomains,omitempty" protobuf:"3"`
}

// TimeServerSpecSpec is a part of [PlatformConfigSpec].
type TimeServerSpecSpec struct {
	TimeServers []string    `yaml:"timeServers" protobuf:"1"`
	Layer       value.Layer `yaml:"layer" protobuf:"2"`
}

// ProbeSpecSpec is the spec of [ProbeSpecs].
type ProbeSpecSpec struct {
	Interval         time.Duration `yaml:"interval" protobuf:"1"`
	FailureThreshold int           `yaml:"failureThreshold" protobuf:"2"`
	TCP              TCPProbeSpec  `yaml:"tcp,omitempty" protobuf:"3"`
	Layer            value.Layer   `yaml:"layer" protobuf:"4"`
}

// TCPProbeSpec is a part of [ProbeSpecSpec].
type TCPProbeSpec struct {
	Endpoint string        `yaml:"endpoint" protobuf:"1"`
	Timeout  time.Duration `yaml:"timeout" protobuf:"2"`
}

// PlatformMetadataSpec is a part of [PlatformConfigSpec].
type PlatformMetadataSpec struct {
	Platform     string            `yaml:"platform,omitempty" protobuf:"1"`
	Hostname     string            `yaml:"hostname,omitempty" protobuf:"2"`
	Region       string            `yaml:"region,omitempty" protobuf:"3"`
	Zone         string            `yaml:"zone,omitempty" protobuf:"4"`
	InstanceType string            `yaml:"instanceType,omitempty" protobuf:"5"`
	InstanceID   string            `yaml:"instanceId,omitempty" protobuf:"6"`
	ProviderID   string            `yaml:"providerId,omitempty" protobuf:"7"`
	Spot         bool              `yaml:"spot,omitempty" protobuf:"8"`
	InternalDNS  string            `yaml:"internalDNS,omitempty" protobuf:"9"`
	ExternalDNS  string            `yaml:"externalDNS,omitempty" protobuf:"10"`
	Tags         map[string]string `yaml:"tags,omitempty" protobuf:"11"`
}

// NetworkStatusSpec is the spec of [NetworkStatuses].
type NetworkStatusSpec struct {
	AddressReady      bool `yaml:"addressReady" protobuf:"1"`
	ConnectivityReady bool `yaml:"connectivityReady" protobuf:"2"`
	HostnameReady     bool `yaml:"hostnameReady" protobuf:"3"`
	EtcFilesReady     bool `yaml:"etcFilesReady" protobuf:"4"`
}

// EthernetSpecSpec is the spec of [EthernetSpecs].
type EthernetSpecSpec struct {
	Rings     EthernetRingsSpec    `yaml:"rings,omitempty" protobuf:"1"`
	Features  map[string]bool      `yaml:"features,omitempty" protobuf:"2"`
	Channels  EthernetChannelsSpec `yaml:"channels,omitempty" protobuf:"3"`
	WakeOnLan []WOLMode            `yaml:"wakeOnLan,omitempty" protobuf:"4"`
}

// EthernetRingsSpec is a part of [EthernetSpecSpec].
type EthernetRingsSpec struct {
	RX           *uint32 `yaml:"rx,omitempty" protobuf:"1"`
	TX           *uint32 `yaml:"tx,omitempty" protobuf:"4"`
	RXMini       *uint32 `yaml:"rx-mini,omitempty" protobuf:"2"`
	RXJumbo      *uint32 `yaml:"rx-jumbo,omitempty" protobuf:"3"`
	RXBufLen     *uint32 `yaml:"rx-buf-len,omitempty" protobuf:"5"`
	CqeSize      *uint32 `yaml:"cqe-size,omitempty" protobuf:"6"`
	TXPush       *bool   `yaml:"tx-push,omitempty" protobuf:"7"`
	RXPush       *bool   `yaml:"rx-push,omitempty" protobuf:"8"`
	TXPushBufLen *uint32 `yaml:"tx-push-buf-len,omitempty" protobuf:"9"`
	TCPDataSplit *bool   `yaml:"tcp-data-split,omitempty" protobuf:"10"`
}
