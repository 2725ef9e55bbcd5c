package apid

import "time"

// Limits bound what one source, or all of them together, can take from a node.
// A source is an IPv4 address or an IPv6 network of 64 bits.
type Limits struct {
	// Message is the size of the largest message, in bytes.
	Message int
	// Request is the size of the largest request to methods that need no
	// large ones, in bytes.
	Request int
	// Receiving is the number of requests of one source that are on their way
	// in at a time, and AllReceiving that of all; more have to wait.
	Receiving, AllReceiving int
	// Receive is how long a request may take to come in, waiting included.
	Receive time.Duration
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
	// Calls is the number of calls of one source at a time, and AllCalls that
	// of all. Nodes, who call for others, have NodeCalls, and a source in
	// maintenance MaintenanceCalls.
	Calls, AllCalls, NodeCalls, MaintenanceCalls int
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
		Request:          128 << 10,
		Receiving:        8,
		AllReceiving:     64,
		Receive:          2 * time.Minute,
		Streams:          1024,
		Connections:      64,
		AllConnections:   1024,
		Handshakes:       8,
		AllHandshakes:    64,
		Handshake:        10 * time.Second,
		Calls:            256,
		AllCalls:         8192,
		NodeCalls:        1024,
		MaintenanceCalls: 16,
		Stall:            10 * time.Minute,
		Targets:          256,
	}
}
