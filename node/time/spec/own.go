package spec

import (
	"time"

	"github.com/ichor-os/ichor/resource"
)

// SyncID is the id of the one resource of [Syncs], [Sources], [TimeStatuses] and
// [AdjtimeStatuses].
const SyncID = "node"

// SyncSpec says how the clock is to be kept in step.
type SyncSpec struct {
	Servers  []string `yaml:"servers,omitempty" protobuf:"1"`
	Disabled bool     `yaml:"disabled" protobuf:"2"`
	// BootTimeout bounds how long others wait for the first time; 0 is for ever.
	BootTimeout time.Duration `yaml:"bootTimeout" protobuf:"3"`
	// Problem is why what the config asks for cannot be done.
	Problem string `yaml:"problem,omitempty" protobuf:"4"`
}

// Where the time comes from.
const (
	SourceHost     = "host"     // the computer that the node runs on keeps the clock
	SourceServer   = "server"   // a time server
	SourcePeer     = "peer"     // another node, as no time server answers
	SourceNone     = "none"     // nobody has answered yet
	SourceDisabled = "disabled" // the config leaves the clock alone
)

// SourceSpec says where the time comes from.
type SourceSpec struct {
	Source string `yaml:"source" protobuf:"1"`
	Server string `yaml:"server,omitempty" protobuf:"2"`
	// Problem is why no time comes at present; the clock may be in step still.
	Problem string `yaml:"problem,omitempty" protobuf:"3"`
	// TimedOut says that others wait no longer, although no time came.
	TimedOut bool `yaml:"timedOut,omitempty" protobuf:"4"`
}

// The kinds that clients of other systems do not know.
var (
	// Syncs: how the clock is to be kept in step.
	Syncs = resource.Define[SyncSpec]("TimeSyncs.ichor.dev",
		resource.Namespace("runtime"), resource.DisplayType("TimeSync"), resource.Columns(
			resource.Column{Name: "Servers", Path: "{.servers}"},
			resource.Column{Name: "Disabled", Path: "{.disabled}"},
		))
	// Sources: where the time comes from.
	Sources = resource.Define[SourceSpec]("TimeSources.ichor.dev",
		resource.Namespace("runtime"), resource.DisplayType("TimeSource"), resource.Columns(
			resource.Column{Name: "Source", Path: "{.source}"},
			resource.Column{Name: "Server", Path: "{.server}"},
			resource.Column{Name: "Problem", Path: "{.problem}"},
		))
)

// Own lists them.
func Own() []resource.AnyKind { return []resource.AnyKind{Syncs, Sources} }
