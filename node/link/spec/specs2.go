package spec

// EthernetChannelsSpec is a part of [EthernetSpecSpec].
type EthernetChannelsSpec struct {
	RX       *uint32 `yaml:"rx,omitempty" protobuf:"1"`
	TX       *uint32 `yaml:"tx,omitempty" protobuf:"2"`
	Other    *uint32 `yaml:"other,omitempty" protobuf:"3"`
	Combined *uint32 `yaml:"combined,omitempty" protobuf:"4"`
}

// EthernetStatusSpec is the spec of [EthernetStatuses].
type EthernetStatusSpec struct {
	LinkState *bool                   `yaml:"linkState,omitempty" protobuf:"1"`
	SpeedMbit int                     `yaml:"speedMbit,omitempty" protobuf:"2"`
	Port      Port                    `yaml:"port" protobuf:"3"`
	Duplex    Duplex                  `yaml:"duplex" protobuf:"4"`
	OurModes  []string                `yaml:"ourModes,omitempty" protobuf:"5"`
	PeerModes []string                `yaml:"peerModes,omitempty" protobuf:"6"`
	Rings     *EthernetRingsStatus    `yaml:"rings,omitempty" protobuf:"7"`
	Features  []EthernetFeatureStatus `yaml:"features,omitempty" protobuf:"8"`
	Channels  *EthernetChannelsStatus `yaml:"channels,omitempty" protobuf:"9"`
	WakeOnLAN []WOLMode               `yaml:"wakeOnLAN,omitempty" protobuf:"10"`
}

// EthernetRingsStatus is a part of [EthernetStatusSpec].
type EthernetRingsStatus struct {
	RXMax           *uint32 `yaml:"rx-max,omitempty" protobuf:"1"`
	RXMiniMax       *uint32 `yaml:"rx-mini-max,omitempty" protobuf:"2"`
	RXJumboMax      *uint32 `yaml:"rx-jumbo-max,omitempty" protobuf:"3"`
	TXMax           *uint32 `yaml:"tx-max,omitempty" protobuf:"4"`
	TXPushBufLenMax *uint32 `yaml:"tx-push-buf-len-max,omitempty" protobuf:"5"`
	RX              *uint32 `yaml:"rx,omitempty" protobuf:"6"`
	RXMini          *uint32 `yaml:"rx-mini,omitempty" protobuf:"7"`
	RXJumbo         *uint32 `yaml:"rx-jumbo,omitempty" protobuf:"8"`
	TX              *uint32 `yaml:"tx,omitempty" protobuf:"9"`
	RXBufLen        *uint32 `yaml:"rx-buf-len,omitempty" protobuf:"10"`
	CqeSize         *uint32 `yaml:"cqe-size,omitempty" protobuf:"11"`
	TXPush          *bool   `yaml:"tx-push,omitempty" protobuf:"12"`
	RXPush          *bool   `yaml:"rx-push,omitempty" protobuf:"13"`
	TXPushBufLen    *uint32 `yaml:"tx-push-buf-len,omitempty" protobuf:"14"`
	TCPDataSplit    *bool   `yaml:"tcp-data-split,omitempty" protobuf:"15"`
}

// EthernetFeatureStatus is a part of [EthernetStatusSpec].
type EthernetFeatureStatus struct {
	Name   string `yaml:"name" protobuf:"1"`
	Status string `yaml:"status" protobuf:"2"`
}

// EthernetChannelsStatus is a part of [EthernetStatusSpec].
type EthernetChannelsStatus struct {
	RXMax       *uint32 `yaml:"rx-max,omitempty" protobuf:"1"`
	TXMax       *uint32 `yaml:"tx-max,omitempty" protobuf:"2"`
	OtherMax    *uint32 `yaml:"other-max,omitempty" protobuf:"3"`
	CombinedMax *uint32 `yaml:"combined-max,omitempty" protobuf:"4"`
	RX          *uint32 `yaml:"rx,omitempty" protobuf:"5"`
	TX          *uint32 `yaml:"tx,omitempty" protobuf:"6"`
	Other       *uint32 `yaml:"other,omitempty" protobuf:"7"`
	Combined    *uint32 `yaml:"combined,omitempty" protobuf:"8"`
}

// ProbeStatusSpec is the spec of [ProbeStatuses].
type ProbeStatusSpec struct {
	Success   bool   `yaml:"success" protobuf:"1"`
	LastError string `yaml:"lastError" protobuf:"2"`
}
