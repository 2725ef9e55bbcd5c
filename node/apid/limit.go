package apid

import "time"

// Limits bound what one source, or all of them together, can take from a node.
// A source is an IPv4 address or an IPv6 network of 64 bits.
type Limits struct {
	// Message is the size of the largest message, in bytes.
	Message int
	// Streams is the number of calls at a time on one connection.
	Streams uint32
	// Connections is the number of connections of one source, and
	// AllConnections that of all.
	Connections, AllConnections int
	// Handshakes is the number of TLS handshakes of one source at a time,
	// and AllHandshakes that of all; more have to wait.
	Handshakes, AllHandshakes int
	// Handshake is how long a handshake may take, waiting included.
	Handshake time.Duration
	// Calls is the number of calls of one source at a time. Nodes, who call
	// for others, have NodeCalls, and a source in maintenance MaintenanceCalls.
	Calls, NodeCalls, MaintenanceCalls int
	// Stall is how long a message may wait for a caller to read it.
	Stall time.Duration
	// Targets is the number of nodes that one call may name.
	Targets int
}

// DefaultLimits are generous for people and scripts, and small against what
// would hurt a node.
func DefaultLimits() Limits {
	return Limits{
		Message:          32 << 20,
		Streams:          1024,
		Connections:      64,
		AllConnections:   1024,
		Handshakes:       8,
		AllHandshakes:    64,
		Handshake:        10 * time.Second,
		Calls:            256,
		NodeCalls:        1024,
		MaintenanceCalls: 16,
		Stall:            10 * time.Minute,
		Targets:          256,
	}
}
