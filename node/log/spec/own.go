package spec

import "github.com/ichor-os/ichor/resource"

// What a destination gets.
const (
	ContentServices = "services" // logs of services, and the audit trail
	ContentKernel   = "kernel"   // the kernel's log
	ContentEvents   = "events"   // the node's events
)

// DestinationSpec says where something is to be sent.
type DestinationSpec struct {
	// Endpoint is a URL with the scheme tcp, udp or tls.
	Endpoint string            `yaml:"endpoint" protobuf:"1"`
	Content  string            `yaml:"content" protobuf:"2"`
	Tags     map[string]string `yaml:"tags,omitempty" protobuf:"3"`
	// Authorities are trusted beside those of the system, as PEM.
	Authorities string `yaml:"authorities,omitempty" protobuf:"4"`
	// Refused is why nothing is sent, if so.
	Refused string `yaml:"refused,omitempty" protobuf:"5"`
}

// States of a destination.
const (
	StateConnecting = "connecting"
	StateConnected  = "connected"
	StateWaiting    = "waiting" // for the next attempt
	StateRefused    = "refused" // nothing is sent
)

// DestinationStatusSpec says how the sending goes.
type DestinationStatusSpec struct {
	Endpoint string `yaml:"endpoint" protobuf:"1"`
	Content  string `yaml:"content" protobuf:"2"`
	State    string `yaml:"state" protobuf:"3"`
	// Problem is why the last attempt failed.
	Problem string `yaml:"problem,omitempty" protobuf:"4"`
	// Sent, Lost and Queued count lines.
	Sent   uint64 `yaml:"sent" protobuf:"5"`
	Lost   uint64 `yaml:"lost" protobuf:"6"`
	Queued uint64 `yaml:"queued" protobuf:"7"`
}

// The kinds that clients of other systems do not know.
var (
	// Destinations: where logs and events are to be sent.
	Destinations = resource.Define[DestinationSpec]("LogDestinations.ichor.dev",
		resource.Namespace("runtime"), resource.DisplayType("LogDestination"), resource.Columns(
			resource.Column{Name: "Content", Path: "{.content}"},
			resource.Column{Name: "Endpoint", Path: "{.endpoint}"},
		))
	// DestinationStatuses: how the sending goes.
	DestinationStatuses = resource.Define[DestinationStatusSpec]("LogDestinationStatuses.ichor.dev",
		resource.Namespace("runtime"), resource.DisplayType("LogDestinationStatus"), resource.Columns(
			resource.Column{Name: "Content", Path: "{.content}"},
			resource.Column{Name: "State", Path: "{.state}"},
			resource.Column{Name: "Sent", Path: "{.sent}"},
			resource.Column{Name: "Lost", Path: "{.lost}"},
			resource.Column{Name: "Problem", Path: "{.problem}"},
		))
)

// Own lists them.
func Own() []resource.AnyKind { return []resource.AnyKind{Destinations, DestinationStatuses} }
