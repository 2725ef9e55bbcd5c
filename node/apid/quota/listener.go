package quota

import (
	"net"
	"net/netip"
)

// A Listener turns away connections of sources that are not admitted or have
// too many, before anything is spent on them.
type Listener struct {
	net.Listener
	// Connections counts them.
	Connections *Quota
	// Admit tells whether a source may connect at all.
	Admit func(netip.Addr) bool
}

// Accept returns the next connection that is let in.
func (l Listener) Accept() (net.Conn, error) {
	for {
		conn, err := l.Listener.Accept()
		if err != nil {
			return nil, err
		}

		source := Source(conn.RemoteAddr())

		if l.Admit(source) {
			if release, ok := l.Connections.Take(source); ok {
				return &countedConn{Conn: conn, release: release}, nil
			}
		}

		// Reset, so that no state of the connection stays behind.
		if tcp, ok := conn.(*net.TCPConn); ok {
			_ = tcp.SetLinger(0)
		}

		_ = conn.Close()
	}
}

// countedConn gives its place back when it is closed.
type countedConn struct {
	net.Conn
	release func()
}

func (c *countedConn) Close() error {
	c.release()

	return c.Conn.Close()
}
