package link

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"net/netip"
	"os"
	"runtime"
	"slices"
	"sync"
	"time"

	"github.com/vishvananda/netlink"
	"github.com/vishvananda/netns"
	"golang.org/x/net/bpf"
	"golang.org/x/sys/unix"
)

// The kernel finds out by itself whether another machine has an IPv6 address of
// ours; for IPv4 a conflicts does. It asks once when an address is new (an ARP
// probe of RFC 5227) and then only listens, so that a node without conflicts
// sends nothing. While there is a conflict it asks again each probeEvery, and
// without an answer for probeLost the conflict is over.
type conflicts struct {
	mu sync.Mutex
	// ours are the IPv4 addresses with the links they are on.
	ours map[at]netlinkAddr
	// own are the hardware addresses of this machine: a packet of ours that
	// comes back by a bridge is no conflict.
	own []netlinkAddr
	// seen is when another machine last had an address of ours.
	seen map[at]time.Time
}

const (
	probeEvery = 30 * time.Second
	probeLost  = 2*probeEvery + 5*time.Second
)

// at is an address on a link.
type at struct {
	link int
	addr netip.Addr
}

// netlinkAddr is the hardware address from which we ask.
type netlinkAddr [6]byte

func newConflicts() *conflicts {
	return &conflicts{ours: map[at]netlinkAddr{}, seen: map[at]time.Time{}}
}

// has tells whether another machine has the address.
func (c *conflicts) has(link int, a netip.Addr) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	_, ok := c.seen[at{link, a}]
	return ok
}

// watch listens until ctx ends, and calls changed when conflicts begin or end.
func (k *Kernel) watch(ctx context.Context, listed <-chan struct{}, changed func()) error {
	socket, err := k.openARP()
	if err != nil {
		return err
	}
	heard, ended := make(chan claim), make(chan error, 1)
	go func() { ended <- socket.listen(ctx, heard) }()
	defer func() { socket.file.Close(); <-ended }()
	tick := time.NewTicker(probeEvery)
	defer tick.Stop()
	for {
		news := false
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-listed:
			if err := k.ask(socket); err != nil {
				return err
			}
		case c := <-heard:
			news = k.conflicts.hear(c)
		case now := <-tick.C:
			news = k.conflicts.forget(now, socket)
		case err := <-ended:
			ended <- err
			return err
		}
		if news {
			changed()
		}
	}
}

// ask takes over the addresses of the last listing and asks for new ones.
func (k *Kernel) ask(socket *arpSocket) error {
	links, err := again(k.handle.LinkList)
	if err != nil {
		return fmt.Errorf("list links: %w", err)
	}
	now := map[at]netlinkAddr{}
	var own []netlinkAddr
	for _, l := range links {
		a := l.Attrs()
		if len(a.HardwareAddr) != 6 || a.EncapType != "ether" {
			continue
		}
		own = append(own, netlinkAddr(a.HardwareAddr))
		if a.RawFlags&(unix.IFF_RUNNING|unix.IFF_NOARP) != unix.IFF_RUNNING {
			continue // nobody can be asked yet
		}
		list, err := again(func() ([]netlink.Addr, error) { return k.handle.AddrList(l, netlink.FAMILY_V4) })
		if err != nil {
			continue // the link has gone
		}
		for _, found := range list {
			now[at{a.Index, addr(found.IP)}] = netlinkAddr(a.HardwareAddr)
		}
	}
	c := k.conflicts
	c.mu.Lock()
	before := c.ours
	c.ours, c.own = now, own
	maps.DeleteFunc(c.seen, func(key at, _ time.Time) bool { _, ok := now[key]; return !ok })
	c.mu.Unlock()
	if maps.Equal(before, now) {
		return nil
	}
	if err := socket.listenFor(now); err != nil {
		return err
	}
	for key, from := range now {
		if _, ok := before[key]; !ok {
			socket.probe(key, from)
		}
	}
	return nil
}

// claim is a machine that says to have an address.
type claim struct {
	at
	by netlinkAddr
}

// hear tells whether a claim is a conflict that is new.
func (c *conflicts) hear(said claim) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if _, ours := c.ours[said.at]; !ours || slices.Contains(c.own, said.by) {
		return false
	}
	_, known := c.seen[said.at]
	c.seen[said.at] = time.Now()
	return !known
}

// forget ends conflicts that nobody shows any more, tells whether there were
// any, and asks about the others.
func (c *conflicts) forget(now time.Time, socket *arpSocket) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	ended := false
	for key, last := range c.seen {
		if now.Sub(last) > probeLost {
			delete(c.seen, key)
			ended = true
			continue
		}
		socket.probe(key, c.ours[key])
	}
	return ended
}

// inside runs f in the kernel's network namespace.
func (k *Kernel) inside(f func() error) error {
	if k.ns == netns.None() {
		return f()
	}
	runtime.LockOSThread()
	before, err := netns.Get()
	if err != nil {
		return err
	}
	defer before.Close()
	if err := netns.Set(k.ns); err != nil {
		return err
	}
	err = f()
	if back := netns.Set(before); back != nil {
		return back // the thread stays locked, and ends with its goroutine
	}
	runtime.UnlockOSThread()
	return err
}

// arpSocket sends and hears ARP (RFC 826) without its link header.
type arpSocket struct {
	file *os.File
	fd   int
}

// Offsets in an ARP packet for IPv4 over Ethernet.
const (
	arpLength   = 28
	arpSender   = 8
	arpSenderIP = 14
)

func (k *Kernel) openARP() (*arpSocket, error) {
	s := &arpSocket{}
	err := k.inside(func() (err error) {
		s.fd, err = unix.Socket(unix.AF_PACKET, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC|unix.SOCK_NONBLOCK, 0)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("open ARP socket: %w", err)
	}
	s.file = os.NewFile(uintptr(s.fd), "arp")
	return s, nil
}

// listen passes on what is heard until the socket is closed.
func (s *arpSocket) listen(ctx context.Context, heard chan<- claim) error {
	raw, err := s.file.SyscallConn()
	if err != nil {
		return fmt.Errorf("listen to ARP: %w", err)
	}
	for {
		var said claim
		var failed error
		ok := false
		if err := raw.Read(func(fd uintptr) bool {
			said, ok, failed = receive(int(fd))
			return !errors.Is(failed, unix.EAGAIN)
		}); err != nil {
			return fmt.Errorf("listen to ARP: %w", err)
		}
		if failed != nil && !errors.Is(failed, unix.EINTR) && !errors.Is(failed, unix.ENETDOWN) && !errors.Is(failed, unix.ENOBUFS) {
			return fmt.Errorf("listen to ARP: %w", failed)
		}
		if !ok {
			continue
		}
		select {
		case heard <- said:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// receive reads one packet; false for one that says nothing of another machine.
func receive(fd int) (claim, bool, error) {
	var packet [64]byte
	n, from, err := unix.Recvfrom(fd, packet[:], 0)
	if err != nil {
		return claim{}, false, err
	}
	where, ok := from.(*unix.SockaddrLinklayer)
	if !ok || n < arpLength || where.Pkttype == unix.PACKET_OUTGOING {
		return claim{}, false, nil
	}
	return claim{
		at: at{where.Ifindex, netip.AddrFrom4([4]byte(packet[arpSenderIP : arpSenderIP+4]))},
		by: netlinkAddr(packet[arpSender:arpSenderIP]),
	}, true, nil
}

// listenFor has the kernel pass only packets whose sender has one of the
// addresses: the broadcasts of a large network wake nobody.
func (s *arpSocket) listenFor(ours map[at]netlinkAddr) error {
	var addresses []netip.Addr
	for key := range ours {
		if !slices.Contains(addresses, key.addr) {
			addresses = append(addresses, key.addr)
		}
	}
	program := []bpf.Instruction{bpf.LoadAbsolute{Off: arpSenderIP, Size: 4}}
	for _, a := range addresses {
		ip := a.As4()
		program = append(program,
			bpf.JumpIf{Cond: bpf.JumpNotEqual, Val: binary.BigEndian.Uint32(ip[:]), SkipTrue: 1},
			bpf.RetConstant{Val: arpLength})
	}
	raw, err := bpf.Assemble(append(program, bpf.RetConstant{Val: 0}))
	if err != nil {
		return fmt.Errorf("make ARP filter: %w", err)
	}
	filter := make([]unix.SockFilter, len(raw))
	for i, r := range raw {
		filter[i] = unix.SockFilter{Code: r.Op, Jt: r.Jt, Jf: r.Jf, K: r.K}
	}
	if err := unix.SetsockoptSockFprog(s.fd, unix.SOL_SOCKET, unix.SO_ATTACH_FILTER, &unix.SockFprog{Len: uint16(len(filter)), Filter: &filter[0]}); err != nil {
		return fmt.Errorf("set ARP filter: %w", err)
	}
	// Only now: without a filter the socket would hear everything.
	if err := unix.Bind(s.fd, &unix.SockaddrLinklayer{Protocol: networkOrder(unix.ETH_P_ARP)}); err != nil {
		return fmt.Errorf("listen to ARP: %w", err)
	}
	return nil
}

func networkOrder(v uint16) uint16 {
	return binary.NativeEndian.Uint16(binary.BigEndian.AppendUint16(nil, v))
}

// probe asks who has an address, without saying that we do. A lost one is no
// harm: whoever has the address is heard when it speaks.
func (s *arpSocket) probe(key at, from netlinkAddr) {
	_ = s.send(key, from, netip.IPv4Unspecified())
}

// send asks a link who has an address, in the name of a sender.
func (s *arpSocket) send(key at, from netlinkAddr, sender netip.Addr) error {
	packet := []byte{0, 1, 8, 0, 6, 4, 0, 1} // Ethernet, IPv4, request
	packet = append(packet, from[:]...)
	packet = append(packet, sender.AsSlice()...)
	packet = append(packet, make([]byte, 6)...) // no target's hardware address
	packet = append(packet, key.addr.AsSlice()...)
	to := &unix.SockaddrLinklayer{Protocol: networkOrder(unix.ETH_P_ARP), Ifindex: key.link, Halen: 6}
	copy(to.Addr[:], []byte{0xff, 0xff, 0xff, 0xff, 0xff, 0xff})
	return unix.Sendto(s.fd, packet, 0, to)
}

// announce tells the neighbours of a link that an address is here now, twice, as
// packets get lost. IPv6 needs none of that: the kernel announces.
func (k *Kernel) announce(link int, from netlinkAddr, address netip.Addr) error {
	if !address.Is4() {
		return nil
	}
	socket, err := k.openARP()
	if err != nil {
		return err
	}
	defer socket.file.Close()
	for range 2 {
		if err := socket.send(at{link, address}, from, address); err != nil {
			return fmt.Errorf("announce address: %s: %w", address, err)
		}
	}
	return nil
}
