package cache

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/netip"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// Bounds of the server.
const (
	askBound     = 2 * time.Second
	clientBound  = 10 * time.Second
	mostAtOnce   = 1024
	mostTCP      = 128
	largestUDP   = 4096
	memberTTL    = 10
	sickFor      = 10 * time.Second
	sourceSize   = 1 << 16
	transferAXFR = 252
)

// Server answers queries. The zero value listens to nothing; give it addresses
// with Listen and resolvers with Use.
type Server struct {
	Log *slog.Logger
	// Changed is told when a resolver begins or ceases to answer; may be nil.
	Changed func()

	memory memory
	state  atomic.Pointer[settings]

	mu        sync.Mutex
	listening map[netip.AddrPort]func()
	sick      map[netip.AddrPort]time.Time

	queries chan struct{}
	streams chan struct{}
	once    sync.Once
}

// settings are never changed, only replaced.
type settings struct {
	upstreams []netip.AddrPort
	members   map[string][]netip.Addr
}

// Use sets the resolvers to ask, in their order, and the members' addresses by
// name, which are answered for here. Other resolvers make the old answers moot.
func (s *Server) Use(upstreams []netip.AddrPort, members map[string][]netip.Addr) {
	next := &settings{upstreams: slices.Clone(upstreams), members: map[string][]netip.Addr{}}
	for name, addresses := range members {
		next.members[strings.ToLower(strings.TrimSuffix(name, "."))] = addresses
	}
	before := s.state.Swap(next)
	if before != nil && !slices.Equal(before.upstreams, next.upstreams) {
		s.memory.clear()
	}
}

// Healthy tells whether a resolver answered when it was asked last.
func (s *Server) Healthy(upstream netip.AddrPort) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return time.Now().After(s.sick[upstream])
}

func (s *Server) judge(upstream netip.AddrPort, healthy bool) {
	s.mu.Lock()
	_, was := s.sick[upstream]
	if healthy {
		delete(s.sick, upstream)
	} else {
		if s.sick == nil {
			s.sick = map[netip.AddrPort]time.Time{}
		}
		s.sick[upstream] = time.Now().Add(sickFor)
	}
	s.mu.Unlock()
	if was == healthy && s.Changed != nil {
		s.Changed()
	}
}

// Listen serves exactly the addresses, over UDP and TCP. An address that the
// node does not have yet is fine. The error names what cannot be served; the
// others are.
func (s *Server) Listen(addresses ...netip.AddrPort) error {
	s.once.Do(func() {
		s.queries, s.streams = make(chan struct{}, mostAtOnce), make(chan struct{}, mostTCP)
	})
	s.mu.Lock()
	defer s.mu.Unlock()
	for address, stop := range s.listening {
		if !slices.Contains(addresses, address) {
			stop()
			delete(s.listening, address)
		}
	}
	var failed []error
	for _, address := range addresses {
		if _, ok := s.listening[address]; ok {
			continue
		}
		stop, err := s.open(address)
		if err != nil {
			failed = append(failed, fmt.Errorf("serve names on %s: %w", address, err))
			continue
		}
		if s.listening == nil {
			s.listening = map[netip.AddrPort]func(){}
		}
		s.listening[address] = stop
	}
	return errors.Join(failed...)
}

// Listening are the addresses that are served.
func (s *Server) Listening() []netip.AddrPort {
	s.mu.Lock()
	defer s.mu.Unlock()
	var all []netip.AddrPort
	for address := range s.listening {
		all = append(all, address)
	}
	return all
}

func (s *Server) open(address netip.AddrPort) (stop func(), err error) {
	ctx, cancel := context.WithCancel(context.Background())
	config := net.ListenConfig{Control: freeBind}
	udp, err := config.ListenPacket(ctx, "udp", address.String())
	if err != nil {
		cancel()
		return nil, err
	}
	tcp, err := config.Listen(ctx, "tcp", address.String())
	if err != nil {
		cancel()
		return nil, errors.Join(err, udp.Close())
	}
	go s.serveUDP(ctx, udp.(*net.UDPConn))
	go s.serveTCP(ctx, tcp)
	return func() {
		cancel()
		udp.Close()
		tcp.Close()
	}, nil
}

// freeBind lets a socket have an address before the link does.
func freeBind(_, _ string, raw syscall.RawConn) error {
	var failed error
	err := raw.Control(func(fd uintptr) {
		failed = unix.SetsockoptInt(int(fd), unix.SOL_IP, unix.IP_FREEBIND, 1)
	})
	return errors.Join(err, failed)
}

func (s *Server) serveUDP(ctx context.Context, conn *net.UDPConn) {
	buffer := make([]byte, largestUDP)
	for {
		n, from, err := conn.ReadFromUDPAddrPort(buffer)
		if err != nil {
			if ctx.Err() != nil || errors.Is(err, net.ErrClosed) {
				return
			}
			continue
		}
		asked := slices.Clone(buffer[:n])
		select {
		case s.queries <- struct{}{}:
		default:
			continue // the client asks again
		}
		go func() {
			defer func() { <-s.queries }()
			q, err := readQuery(asked)
			if err != nil {
				return
			}
			m := s.answer(ctx, q, asked, "udp")
			if len(m) > q.size {
				m = reply(q, asked, 0)
				m[2] |= flagTruncated >> 8
			}
			if _, err := conn.WriteToUDPAddrPort(m, from); err != nil && ctx.Err() == nil {
				s.Log.Debug("answer to a query is lost", "to", from, "error", err)
			}
		}()
	}
}

func (s *Server) serveTCP(ctx context.Context, listener net.Listener) {
	for {
		conn, err := listener.Accept()
		if err != nil {
			if ctx.Err() != nil || errors.Is(err, net.ErrClosed) {
				return
			}
			time.Sleep(10 * time.Millisecond)
			continue
		}
		select {
		case s.streams <- struct{}{}:
			go func() {
				defer func() { <-s.streams }()
				s.stream(ctx, conn)
			}()
		default:
			conn.Close()
		}
	}
}

func (s *Server) stream(ctx context.Context, conn net.Conn) {
	defer conn.Close()
	stop := context.AfterFunc(ctx, func() { conn.Close() })
	defer stop()
	for {
		if err := conn.SetDeadline(time.Now().Add(clientBound)); err != nil {
			return
		}
		asked, err := readFrame(conn)
		if err != nil {
			return
		}
		q, err := readQuery(asked)
		if err != nil || writeFrame(conn, s.answer(ctx, q, asked, "tcp")) != nil {
			return
		}
	}
}

func readFrame(r io.Reader) ([]byte, error) {
	var size [2]byte
	if _, err := io.ReadFull(r, size[:]); err != nil {
		return nil, err
	}
	m := make([]byte, binary.BigEndian.Uint16(size[:]))
	_, err := io.ReadFull(r, m)
	return m, err
}

func writeFrame(w io.Writer, m []byte) error {
	_, err := w.Write(append(binary.BigEndian.AppendUint16(nil, uint16(len(m))), m...))
	return err
}

// answer answers a query: from what the node knows, from what it remembers, or
// from the first resolver that has an answer.
func (s *Server) answer(ctx context.Context, q query, asked []byte, network string) []byte {
	state := s.state.Load()
	if state == nil || q.kind == transferAXFR {
		return reply(q, asked, rcodeRefused)
	}
	if m, ok := state.member(q, asked); ok {
		return m
	}
	if m, ok := s.memory.get(q, asked, time.Now()); ok {
		return m
	}
	var last []byte
	for _, upstream := range s.inOrder(state.upstreams) {
		m, err := ask(ctx, network, upstream, q, asked)
		// S-09: who cannot or will not answer is not the last to be asked.
		s.judge(upstream, err == nil)
		if err != nil {
			continue
		}
		last = m
		if rcode := binary.BigEndian.Uint16(m[2:]) & maskRcode; rcode != rcodeServer && rcode != rcodeRefused {
			s.memory.put(q, m, time.Now())
			return m
		}
	}
	if last != nil {
		return last
	}
	return reply(q, asked, rcodeServer)
}

// inOrder puts resolvers that did not answer a moment ago last.
func (s *Server) inOrder(all []netip.AddrPort) []netip.AddrPort {
	var well, sick []netip.AddrPort
	for _, upstream := range all {
		if s.Healthy(upstream) {
			well = append(well, upstream)
		} else {
			sick = append(sick, upstream)
		}
	}
	return append(well, sick...)
}

// ask asks one resolver the query as it is, and takes an answer to just that.
func ask(ctx context.Context, network string, upstream netip.AddrPort, q query, asked []byte) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, askBound)
	defer cancel()
	conn, err := (&net.Dialer{}).DialContext(ctx, network, upstream.String())
	if err != nil {
		return nil, err
	}
	defer conn.Close()
	if deadline, ok := ctx.Deadline(); ok {
		if err := conn.SetDeadline(deadline); err != nil {
			return nil, err
		}
	}
	if network == "tcp" {
		if err := writeFrame(conn, asked); err != nil {
			return nil, err
		}
	} else if _, err := conn.Write(asked); err != nil {
		return nil, err
	}
	buffer := make([]byte, sourceSize)
	for {
		m := buffer
		if network == "tcp" {
			m, err = readFrame(conn)
		} else {
			var n int
			n, err = conn.Read(buffer)
			m = buffer[:n]
		}
		if err != nil {
			return nil, err
		}
		if matches(q, m) {
			return m, nil
		}
		if network == "tcp" {
			return nil, errMessage
		}
	}
}

// matches tells whether a message answers the query.
func matches(q query, m []byte) bool {
	if len(m) < headerSize || binary.BigEndian.Uint16(m) != q.id || binary.BigEndian.Uint16(m[2:])&flagResponse == 0 {
		return false
	}
	got, err := readQuestion(m)
	return err == nil && got == q.question
}

// member answers for the name of a node of the cluster.
func (s *settings) member(q query, asked []byte) ([]byte, bool) {
	addresses, ok := s.members[q.name]
	if !ok || q.class != classIN {
		return nil, false
	}
	m := reply(q, asked, rcodeSuccess)
	count := uint16(0)
	for _, a := range addresses {
		if q.kind != typeA && q.kind != typeAAAA || a.Is4() != (q.kind == typeA) {
			continue
		}
		m = append(m, 0xc0, headerSize)
		m = binary.BigEndian.AppendUint16(m, q.kind)
		m = binary.BigEndian.AppendUint16(m, classIN)
		m = binary.BigEndian.AppendUint32(m, memberTTL)
		raw := a.AsSlice()
		m = binary.BigEndian.AppendUint16(m, uint16(len(raw)))
		m = append(m, raw...)
		count++
	}
	binary.BigEndian.PutUint16(m[6:], count)
	return m, true
}
