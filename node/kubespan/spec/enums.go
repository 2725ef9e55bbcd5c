package spec

import "github.com/ichor-os/ichor/resource/enum"

// PeerState is whether a peer answers.
type PeerState int32

// The values of PeerState.
const (
	PeerStateUnknown PeerState = 0
	PeerStateUp      PeerState = 1
	PeerStateDown    PeerState = 2
)

var peerStateNames = enum.New(map[PeerState]string{
	PeerStateUnknown: "unknown",
	PeerStateUp:      "up",
	PeerStateDown:    "down",
})

// String gives the word.
func (v PeerState) String() string { return peerStateNames.Text(v) }

// MarshalText gives the word.
func (v PeerState) MarshalText() ([]byte, error) { return []byte(v.String()), nil }

// UnmarshalText reads a word, or a number that has none.
func (v *PeerState) UnmarshalText(text []byte) error { return peerStateNames.Parse(text, v) }
