package spec

import (
	"net/url"
)

// KmsgLogConfigSpec is the spec of [KmsgLogConfigs].
type KmsgLogConfigSpec struct {
	Destinations []*url.URL `yaml:"destinations" protobuf:"1"`
}

// EventSinkConfigSpec is the spec of [EventSinkConfigs].
type EventSinkConfigSpec struct {
	Endpoint string `yaml:"endpoint" protobuf:"1"`
}
