package discovery

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"strings"
	"sync"
	"syscall"

	"golang.org/x/sys/unix"
	"google.golang.org/protobuf/proto"

	ichorpb "github.com/ichor-os/ichor/api/ichor"
)

// Groups that nodes of one link hear each other in. Both stay on the link: the
// first by its time to live of 1, the second by its scope.
var (
	groupV4 = netip.MustParseAddr("239.255.73.67")
	groupV6 = netip.MustParseAddr("ff02::4943:4f52")
)

// largestBeacon fits into one packet of the smallest link of IPv6.
const largestBeacon = 1200

// A Link tells the nodes of the same links of this one, and hears of them: two
// control planes that nobody has told of each other meet there. Records are
// sealed, so others on the link learn nothing and cannot pose as nodes.
type Link struct {
	Table *Table
	Port  int
	// Use tells which links are the node's own; pods' are not.
	Use func(name string) bool

	mu     sync.Mutex
	listen map[string]*net.UDPConn
}

// OwnLinks are the links that are not made for pods.
func OwnLinks(name string) bool {
	for _, prefix := range []string{"lo", "cni", "flannel", "veth", "cilium", "lxc", "cali", "kube-", "docker", "br-"} {
		if strings.HasPrefix(name, prefix) {
			return false
		}
	}
	return true
}

// Send tells of the node on all its links, and begins to listen on those that
// are new. Links on which that is not possible are left out; the error names
// them.
func (l *Link) Send(ctx context.Context) error {
	records := l.Table.Records(l.Table.self)
	if len(records) == 0 {
		return nil
	}
	text, err := proto.Marshal(records[0])
	if err != nil || len(text) > largestBeacon {
		return err
	}
	links, err := net.Interfaces()
	if err != nil {
		return fmt.Errorf("list links: %w", err)
	}
	var failed []error
	for _, link := range links {
		if link.Flags&net.FlagUp == 0 || link.Flags&net.FlagMulticast == 0 || !l.Use(link.Name) {
			continue
		}
		for _, group := range []netip.Addr{groupV4, groupV6} {
			if !hasFamily(link, group.Is4()) {
				continue
			}
			l.hear(ctx, link, group)
			if err := l.send(link, group, text); err != nil {
				failed = append(failed, fmt.Errorf("tell %s on %s: %w", group, link.Name, err))
			}
		}
	}
	return errors.Join(failed...)
}

func hasFamily(link net.Interface, v4 bool) bool {
	addresses, err := link.Addrs()
	if err != nil {
		return false
	}
	for _, a := range addresses {
		if prefix, err := netip.ParsePrefix(a.String()); err == nil && prefix.Addr().Is4() == v4 {
			return true
		}
	}
	return false
}

// send sends text to a group of one link.
func (l *Link) send(link net.Interface, group netip.Addr, text []byte) error {
	network, to := "udp4", &net.UDPAddr{IP: group.AsSlice(), Port: l.Port}
	if group.Is6() {
		network, to.Zone = "udp6", link.Name
	}
	config := net.ListenConfig{Control: func(_, _ string, raw syscall.RawConn) error {
		var failed error
		err := raw.Control(func(fd uintptr) {
			if group.Is4() {
				failed = unix.SetsockoptIPMreqn(int(fd), unix.IPPROTO_IP, unix.IP_MULTICAST_IF, &unix.IPMreqn{Ifindex: int32(link.Index)})
			} else {
				failed = unix.SetsockoptInt(int(fd), unix.IPPROTO_IPV6, unix.IPV6_MULTICAST_IF, link.Index)
			}
		})
		return errors.Join(err, failed)
	}}
	conn, err := config.ListenPacket(context.Background(), network, ":0")
	if err != nil {
		return err
	}
	defer conn.Close()
	_, err = conn.WriteTo(text, to)
	return err
}

// hear listens on a link once, until ctx ends. A link that goes away ends it,
// and it begins anew when the link is there again.
func (l *Link) hear(ctx context.Context, link net.Interface, group netip.Addr) {
	key := fmt.Sprintf("%d %s", link.Index, group)
	l.mu.Lock()
	defer l.mu.Unlock()
	if _, ok := l.listen[key]; ok {
		return
	}
	network := "udp4"
	if group.Is6() {
		network = "udp6"
	}
	conn, err := net.ListenMulticastUDP(network, &link, &net.UDPAddr{IP: group.AsSlice(), Port: l.Port})
	if err != nil {
		return
	}
	if l.listen == nil {
		l.listen = map[string]*net.UDPConn{}
	}
	l.listen[key] = conn
	stop := context.AfterFunc(ctx, func() { conn.Close() })
	go func() {
		defer stop()
		l.read(conn)
		l.mu.Lock()
		defer l.mu.Unlock()
		delete(l.listen, key)
	}()
}

func (l *Link) read(conn *net.UDPConn) {
	defer conn.Close()
	buffer := make([]byte, largestBeacon+1)
	for {
		n, err := conn.Read(buffer)
		if err != nil {
			return
		}
		record := &ichorpb.Record{}
		if n > largestBeacon || proto.Unmarshal(buffer[:n], record) != nil {
			continue
		}
		// Other clusters may be on the link: what is not ours is no news.
		if a, err := l.Table.seal.Open(record); err == nil {
			l.Table.take(record, a)
		}
	}
}
