package access

import (
	"context"
	"errors"
	"fmt"
	"net"

	"golang.org/x/sys/unix"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/peer"
)

// A Peer is the process at the other end of a unix socket, as the kernel knew
// it when it connected.
type Peer struct {
	PID int32
	UID uint32
	GID uint32
}

// localInfo is the credentials.AuthInfo of a connection with a known Peer.
type localInfo struct {
	credentials.CommonAuthInfo
	peer Peer
}

func (localInfo) AuthType() string { return "peercred" }

// PeerFromContext returns the caller of a method on a server that has
// LocalCredentials.
func PeerFromContext(ctx context.Context) (Peer, bool) {
	p, ok := peer.FromContext(ctx)
	if !ok {
		return Peer{}, false
	}

	info, ok := p.AuthInfo.(localInfo)

	return info.peer, ok
}

// LocalCredentials returns server credentials for a unix socket: they ask the
// kernel (SO_PEERCRED) who connected, and refuse connections of other kinds.
func LocalCredentials() credentials.TransportCredentials { return localCredentials{} }

type localCredentials struct{}

func (localCredentials) ServerHandshake(conn net.Conn) (net.Conn, credentials.AuthInfo, error) {
	sock, ok := conn.(*net.UnixConn)
	if !ok {
		return nil, nil, fmt.Errorf("identify peer: %s: not a unix socket", conn.RemoteAddr().Network())
	}

	raw, err := sock.SyscallConn()
	if err != nil {
		return nil, nil, fmt.Errorf("identify peer: %w", err)
	}

	var (
		cred    *unix.Ucred
		credErr error
	)

	if err := raw.Control(func(fd uintptr) {
		cred, credErr = unix.GetsockoptUcred(int(fd), unix.SOL_SOCKET, unix.SO_PEERCRED)
	}); err != nil {
		return nil, nil, fmt.Errorf("identify peer: %w", err)
	}

	if credErr != nil {
		return nil, nil, fmt.Errorf("identify peer: %w", credErr)
	}

	info := localInfo{
		CommonAuthInfo: credentials.CommonAuthInfo{SecurityLevel: credentials.NoSecurity},
		peer:           Peer{PID: cred.Pid, UID: cred.Uid, GID: cred.Gid},
	}

	return conn, info, nil
}

func (localCredentials) ClientHandshake(context.Context, string, net.Conn) (net.Conn, credentials.AuthInfo, error) {
	return nil, nil, errors.New("local credentials are for servers")
}

func (localCredentials) Info() credentials.ProtocolInfo {
	return credentials.ProtocolInfo{SecurityProtocol: "peercred"}
}

func (c localCredentials) Clone() credentials.TransportCredentials { return c }

func (localCredentials) OverrideServerName(string) error { return nil }
