package service

import (
	"context"
	"net"
)

// Connects gives a health check: something listens on the TCP address.
func Connects(address string) func(context.Context) error {
	return func(ctx context.Context) error {
		conn, err := (&net.Dialer{}).DialContext(ctx, "tcp", address)
		if err != nil {
			return err
		}
		return conn.Close()
	}
}
