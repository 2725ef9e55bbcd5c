// Package applyconfig names what this system adds to the call ApplyConfiguration:
// metadata, which clients and nodes that know nothing of it leave alone.
package applyconfig

import (
	"crypto/sha256"
	"encoding/hex"
)

// Keys of metadata.
const (
	// BaseKey: the [Digest] of the persistent config that a change began with. A
	// node that has another one by now refuses the change with the code Aborted.
	BaseKey = "ichor-config-base"
	// BoundKey: how long a config that may cut the network off waits for
	// confirmation, such as "90s". In the header of the answer: it does wait.
	BoundKey = "ichor-confirm-timeout"
)

// Ids of the diagnostics about a config, in the namespace runtime.
const (
	// Unconfirmed is there while a config waits for confirmation.
	Unconfirmed = "config-unconfirmed"
	// Reverted is there after a config was taken back.
	Reverted = "config-reverted"
)

// Digest names a config by its text as the resource MachineConfig holds it: the
// SHA-256 in hexadecimal digits.
func Digest(text []byte) string {
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}
