package cache

import (
	"context"
	"encoding/binary"
	"log/slog"
	"net"
	"net/netip"
	"slices"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"golang.org/x/net/dns/dnsmessage"
)

// upstream is a resolver that counts what it is asked.
type upstream struct {
	address netip.AddrPort
	asked   atomic.Int32
}

func startUpstream(t *testing.T, answer func(dnsmessage.Question, *dnsmessage.Message)) *upstream {
	t.Helper()
	conn, err := net.ListenUDP("udp", &net.UDPAddr{IP: net.IPv4(127, 0, 0, 1)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	u := &upstream{address: conn.LocalAddr().(*net.UDPAddr).AddrPort()}
	go func() {
		buffer := make([]byte, 4096)
		for {
			n, from, err := conn.ReadFromUDPAddrPort(buffer)
			if err != nil {
				return
			}
			u.asked.Add(1)
			var m dnsmessage.Message
			if m.Unpack(buffer[:n]) != nil {
				continue
			}
			m.Response, m.RecursionAvailable = true, true
			answer(m.Questions[0], &m)
			if text, err := m.Pack(); err == nil {
				conn.WriteToUDPAddrPort(text, from)
			}
		}
	}()
	return u
}

func addressAnswer(q dnsmessage.Question, m *dnsmessage.Message) {
	m.Answers = append(m.Answers, dnsmessage.Resource{
		Header: dnsmessage.ResourceHeader{Name: q.Name, Class: dnsmessage.ClassINET, TTL: 300},
		Body:   &dnsmessage.AResource{A: [4]byte{192, 0, 2, 7}},
	})
}

func rcode(code dnsmessage.RCode) func(dnsmessage.Question, *dnsmessage.Message) {
	return func(_ dnsmessage.Question, m *dnsmessage.Message) { m.RCode = code }
}

func start(t *testing.T, members map[string][]netip.Addr, upstreams ...*upstream) (*Server, *net.Resolver) {
	t.Helper()
	s := &Server{Log: slog.New(slog.DiscardHandler)}
	var all []netip.AddrPort
	for _, u := range upstreams {
		all = append(all, u.address)
	}
	s.Use(all, members)
	free, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := free.LocalAddr().(*net.UDPAddr).AddrPort()
	free.Close()
	if err := s.Listen(address); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Listen(); err != nil {
			t.Error(err)
		}
	})
	return s, &net.Resolver{PreferGo: true, Dial: func(ctx context.Context, network, _ string) (net.Conn, error) {
		return (&net.Dialer{}).DialContext(ctx, network, address.String())
	}}
}

func lookup(t *testing.T, r *net.Resolver, name string) ([]string, error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	addresses, err := r.LookupNetIP(ctx, "ip4", name)
	var all []string
	for _, a := range addresses {
		all = append(all, a.Unmap().String())
	}
	return all, err
}

func TestAnswersAreRemembered(t *testing.T) {
	u := startUpstream(t, addressAnswer)
	_, r := start(t, nil, u)
	for _, name := range []string{"a.example.com.", "A.example.com.", "a.EXAMPLE.com."} {
		got, err := lookup(t, r, name)
		if err != nil || !slices.Equal(got, []string{"192.0.2.7"}) {
			t.Fatalf("%s: %v, %v", name, got, err)
		}
	}
	if n := u.asked.Load(); n != 1 {
		t.Errorf("the resolver was asked %d times for one name", n)
	}
}

func TestS09_NextIsAskedOnServfailAndRefused(t *testing.T) {
	for _, code := range []dnsmessage.RCode{dnsmessage.RCodeServerFailure, dnsmessage.RCodeRefused} {
		t.Run(code.String(), func(t *testing.T) {
			bad, good := startUpstream(t, rcode(code)), startUpstream(t, addressAnswer)
			_, r := start(t, nil, bad, good)
			got, err := lookup(t, r, "a.example.com.")
			if err != nil || !slices.Equal(got, []string{"192.0.2.7"}) {
				t.Errorf("%v, %v", got, err)
			}
			if bad.asked.Load() == 0 {
				t.Error("the first resolver was not asked")
			}
		})
	}
}

func TestS09_NegativeAnswersAreRememberedForTenSecondsAtMost(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := dnsmessage.Message{
			Header:    dnsmessage.Header{ID: 1, Response: true, RCode: dnsmessage.RCodeNameError},
			Questions: []dnsmessage.Question{{Name: dnsmessage.MustNewName("no.example.com."), Type: dnsmessage.TypeA, Class: dnsmessage.ClassINET}},
			Authorities: []dnsmessage.Resource{{
				Header: dnsmessage.ResourceHeader{Name: dnsmessage.MustNewName("example.com."), Class: dnsmessage.ClassINET, TTL: 3600},
				Body:   &dnsmessage.SOAResource{NS: dnsmessage.MustNewName("ns."), MBox: dnsmessage.MustNewName("m."), MinTTL: 3600},
			}},
		}
		text, err := m.Pack()
		if err != nil {
			t.Fatal(err)
		}
		asked := slices.Clone(text[:headerSize])
		binary.BigEndian.PutUint16(asked[2:], flagWanted)
		binary.BigEndian.PutUint16(asked[8:], 0)
		full, err := readQuestion(text)
		if err != nil {
			t.Fatal(err)
		}
		asked = append(asked, text[headerSize:full.end]...)
		q, err := readQuery(asked)
		if err != nil {
			t.Fatal(err)
		}
		var c memory
		c.put(q, text, time.Now())
		time.Sleep(9 * time.Second)
		if _, ok := c.get(q, asked, time.Now()); !ok {
			t.Error("a negative answer is not remembered at all")
		}
		time.Sleep(2 * time.Second)
		if _, ok := c.get(q, asked, time.Now()); ok {
			t.Error("a negative answer is remembered for more than 10 s")
		}
	})
}

func TestTimesToLiveRunDown(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		question := dnsmessage.Question{Name: dnsmessage.MustNewName("a.example.com."), Type: dnsmessage.TypeA, Class: dnsmessage.ClassINET}
		query := dnsmessage.Message{Header: dnsmessage.Header{ID: 7, RecursionDesired: true}, Questions: []dnsmessage.Question{question}}
		asked, err := query.Pack()
		if err != nil {
			t.Fatal(err)
		}
		response := query
		response.Response = true
		addressAnswer(question, &response)
		text, err := response.Pack()
		if err != nil {
			t.Fatal(err)
		}
		q, err := readQuery(asked)
		if err != nil {
			t.Fatal(err)
		}
		var c memory
		c.put(q, text, time.Now())
		time.Sleep(100 * time.Second)
		got, ok := c.get(q, asked, time.Now())
		var m dnsmessage.Message
		if !ok || m.Unpack(got) != nil || m.Answers[0].Header.TTL != 200 {
			t.Errorf("ok %v, %v", ok, m)
		}
		time.Sleep(200 * time.Second)
		if _, ok := c.get(q, asked, time.Now()); ok {
			t.Error("an answer outlives its time to live")
		}
	})
}

func TestMembersAreKnownByName(t *testing.T) {
	u := startUpstream(t, rcode(dnsmessage.RCodeNameError))
	_, r := start(t, map[string][]netip.Addr{"Rack4-n2": {netip.MustParseAddr("10.5.0.3"), netip.MustParseAddr("fd00::3")}}, u)
	got, err := lookup(t, r, "rack4-n2.")
	if err != nil || !slices.Equal(got, []string{"10.5.0.3"}) {
		t.Errorf("%v, %v", got, err)
	}
	if u.asked.Load() != 0 {
		t.Error("the resolver is asked for a member's name")
	}
}

func TestNoResolverIsServfail(t *testing.T) {
	_, r := start(t, nil)
	if _, err := lookup(t, r, "a.example.com."); err == nil {
		t.Error("a name is found without a resolver")
	}
}

func TestLargeAnswerIsTruncatedOverUDP(t *testing.T) {
	u := startUpstream(t, func(q dnsmessage.Question, m *dnsmessage.Message) {
		for range 60 {
			addressAnswer(q, m)
		}
	})
	s, _ := start(t, nil, u)
	conn, err := net.Dial("udp", s.Listening()[0].String())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	query := dnsmessage.Message{Header: dnsmessage.Header{ID: 9, RecursionDesired: true}, Questions: []dnsmessage.Question{
		{Name: dnsmessage.MustNewName("big.example.com."), Type: dnsmessage.TypeA, Class: dnsmessage.ClassINET},
	}}
	text, err := query.Pack()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := conn.Write(text); err != nil {
		t.Fatal(err)
	}
	buffer := make([]byte, 4096)
	if err := conn.SetReadDeadline(time.Now().Add(10 * time.Second)); err != nil {
		t.Fatal(err)
	}
	n, err := conn.Read(buffer)
	var m dnsmessage.Message
	if err != nil || m.Unpack(buffer[:n]) != nil || !m.Truncated || n > 512 {
		t.Errorf("%d bytes, %v, %+v", n, err, m.Header)
	}
}

func FuzzMessages(f *testing.F) {
	f.Add([]byte("\x00\x07\x01\x00\x00\x01\x00\x00\x00\x00\x00\x00\x01a\x07example\x03com\x00\x00\x01\x00\x01"))
	f.Add([]byte{})
	f.Fuzz(func(t *testing.T, m []byte) {
		q, err := readQuery(m)
		if err != nil {
			return
		}
		if got := reply(q, m, rcodeServer); !matches(q, got) {
			t.Errorf("reply %x does not match %x", got, m)
		}
		var c memory
		c.put(q, m, time.Now())
		c.get(q, m, time.Now())
	})
}
