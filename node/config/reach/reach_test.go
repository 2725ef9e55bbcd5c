package reach

import (
	"context"
	"errors"
	"net"
	"net/netip"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

func addr(text string) netip.Addr { return netip.MustParseAddr(text) }

// fake is a network as a test says.
type fake struct {
	own, gateways, answering []netip.Addr
	noRoute                  []netip.Addr
	callers                  []Caller
	endpoint                 bool
	refusal                  error // of a connection to the endpoint
}

func (f *fake) Own() ([]netip.Addr, error)      { return f.own, nil }
func (f *fake) Gateways() ([]netip.Addr, error) { return f.gateways, nil }
func (f *fake) Callers() ([]Caller, error)      { return f.callers, nil }

func (f *fake) Answers(_ context.Context, neighbour netip.Addr) bool {
	for _, a := range f.answering {
		if a == neighbour {
			return true
		}
	}
	return false
}

func (f *fake) Route(to netip.Addr) error {
	for _, a := range f.noRoute {
		if a == to {
			return errors.New("a blackhole route takes them")
		}
	}
	return nil
}

func (f *fake) witness() Witness {
	return Witness{
		Network: f,
		Lookup: func(context.Context, string, string) ([]netip.Addr, error) {
			return []netip.Addr{addr("10.5.0.1")}, nil
		},
		Dial: func(context.Context, string, string) (net.Conn, error) {
			if !f.endpoint {
				return nil, f.refusal
			}
			near, far := net.Pipe()
			return near, far.Close()
		},
	}
}

func before() *fake {
	return &fake{
		own: []netip.Addr{addr("10.5.0.3"), addr("127.0.0.1")}, gateways: []netip.Addr{addr("10.5.0.1")},
		answering: []netip.Addr{addr("10.5.0.1"), addr("10.5.0.254")}, endpoint: true, refusal: errors.New("i/o timeout"),
		callers: []Caller{
			{From: addr("192.168.1.7"), To: addr("10.5.0.3")},
			{From: addr("192.168.1.7"), To: addr("10.5.0.3")}, // a second connection
			{From: addr("127.0.0.1"), To: addr("127.0.0.1")},
			{From: addr("10.5.0.3"), To: addr("10.5.0.3")},
		},
	}
}

func TestLook_NotesWhatHolds(t *testing.T) {
	want := Evidence{Endpoint: true, Gateways: []string{"IPv4"}, Callers: []Caller{{From: addr("192.168.1.7"), To: addr("10.5.0.3")}}}
	got := before().witness().Look(t.Context(), "cluster.example:6443")
	if diff := cmp.Diff(want, got, cmpopts.EquateComparable(netip.Addr{})); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// An endpoint on the node itself answers however badly the node is cut off.
func TestLook_EndpointOnTheNodeIsNoEvidence(t *testing.T) {
	f := before()
	f.own = append(f.own, addr("10.5.0.1"))
	if f.witness().Look(t.Context(), "cluster.example:6443").Endpoint {
		t.Error("the node's own endpoint counts")
	}
}

func TestMissing(t *testing.T) {
	for _, test := range []struct {
		name   string
		change func(f *fake)
		want   []string // parts, in order
	}{
		{"nothing changed", func(*fake) {}, nil},
		{"another gateway that works", func(f *fake) { f.gateways[0] = addr("10.5.0.254") }, nil},
		{"callers went away", func(f *fake) { f.callers = nil }, nil},
		{"wrong gateway", func(f *fake) { f.gateways[0] = addr("10.5.0.99") }, []string{"gateway of IPv4 does not answer"}},
		{"no default route", func(f *fake) { f.gateways = nil }, []string{"no default route of IPv4"}},
		{"wrong address", func(f *fake) { f.own = []netip.Addr{addr("10.5.0.77")} }, []string{"lost its address 10.5.0.3"}},
		{"blackhole", func(f *fake) { f.noRoute = []netip.Addr{addr("192.168.1.7")} }, []string{"blackhole"}},
		{"no endpoint", func(f *fake) { f.endpoint = false }, []string{"endpoint cluster.example:6443 does not answer"}},
		{"endpoint that restarts", func(f *fake) { f.endpoint, f.refusal = false, syscall.ECONNREFUSED }, nil},
		{"endpoint became the node's own", func(f *fake) { f.own = append(f.own, addr("10.5.0.1")) }, []string{"is this node"}},
		{"all at once", func(f *fake) { *f = fake{refusal: errors.New("no route to host")} }, []string{"endpoint", "no default route", "lost its address"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			f := before()
			evidence := f.witness().Look(t.Context(), "cluster.example:6443")
			test.change(f)
			got := f.witness().Missing(t.Context(), evidence, "cluster.example:6443")
			if len(got) != len(test.want) {
				t.Fatalf("missing %q, want %d", got, len(test.want))
			}
			for i, part := range test.want {
				if !strings.Contains(got[i], part) {
					t.Errorf("missing %q, want %q", got[i], part)
				}
			}
		})
	}
}

// What did not work before may go on not working.
func TestMissing_NothingHeldBefore(t *testing.T) {
	if got := (&fake{}).witness().Missing(t.Context(), Evidence{}, "cluster.example:6443"); len(got) > 0 {
		t.Errorf("missing %q", got)
	}
}
