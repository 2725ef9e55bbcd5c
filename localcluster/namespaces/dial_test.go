package namespaces

import (
	"io"
	"net"
	"time"
)

// dial connects and reads all that the other side says.
func dial(address string) string {
	conn, err := net.DialTimeout("tcp4", address, time.Second)
	if err != nil {
		return ""
	}
	defer conn.Close()
	_ = conn.SetDeadline(time.Now().Add(time.Second))
	text, _ := io.ReadAll(conn)
	return string(text)
}
