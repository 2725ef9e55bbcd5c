package etcd

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"net/netip"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ichor-os/ichor/node/etcd/spec"
)

func settings(t *testing.T) Settings {
	t.Helper()
	address := []netip.Addr{netip.MustParseAddr("10.5.0.2")}
	return Settings{Image: "registry.k8s.io/etcd:v3.7.3", Name: "cp-1", Advertised: address, ListenPeers: address, ListenClients: address}
}

func TestContainer_ArgumentsSayWhatTheMemberIs(t *testing.T) {
	s := settings(t)
	s.Initial, s.Existing = []string{"cp-0=https://10.5.0.9:2380", "cp-1=https://10.5.0.2:2380"}, true
	s.Extra = map[string][]string{"quota-backend-bytes": {"42"}, "watch-progress-notify-interval": {"1s"}}
	args := Container(s).Args
	for _, want := range []string{
		"--initial-cluster-state=existing", "--initial-cluster=cp-0=https://10.5.0.9:2380,cp-1=https://10.5.0.2:2380",
		"--quota-backend-bytes=42", "--watch-progress-notify-interval=1s", "--client-cert-auth=true",
		"--feature-gates=InitialCorruptCheck=true,CompactHashCheck=true",
	} {
		if !slices.Contains(args, want) {
			t.Errorf("arguments lack %s: %v", want, args)
		}
	}
	if slices.Contains(args, "--watch-progress-notify-interval=5s") {
		t.Error("an overridden argument is still there")
	}
}

func TestS11_PeerURLOfAnIPv6NodeHasBrackets(t *testing.T) {
	s := settings(t)
	s.Advertised = []netip.Addr{netip.MustParseAddr("2001:db8::2")}
	if got, want := s.PeerURLs(), []string{"https://[2001:db8::2]:2380"}; !slices.Equal(got, want) {
		t.Errorf("peer URLs = %s, want %s", got, want)
	}
}

func TestBR26_SharedAddressIsNeverAdvertised(t *testing.T) {
	addresses := []netip.Addr{netip.MustParseAddr("10.20.0.9"), netip.MustParseAddr("10.20.0.5")}
	config := spec.EtcdConfigSpec{AdvertiseExcludeSubnets: []string{"10.20.0.9"}, ListenExcludeSubnets: []string{"10.20.0.9"}}
	got, err := specOf(config, "cp-1", addresses)
	if err != nil || !slices.Equal(got.AdvertisedAddresses, addresses[1:]) || !slices.Equal(got.ListenPeerAddresses, addresses[1:]) {
		t.Errorf("spec = %+v, %v; want 10.20.0.5 alone", got, err)
	}
}

func TestSpecOf_RefusesTheSystemsOwnArguments(t *testing.T) {
	_, err := specOf(spec.EtcdConfigSpec{ExtraArgs: map[string]spec.ArgValues{"data-dir": {Values: []string{"/x"}}}}, "cp-1", nil)
	if err == nil || !strings.Contains(err.Error(), "data-dir") {
		t.Errorf("error = %v, want one that names data-dir", err)
	}
}

func TestPromote_LearnerThatWasCutOffIsPromotedAfterAReboot(t *testing.T) {
	live := netip.MustParseAddr("10.5.0.3")
	var asked []netip.Addr
	m := NewMembership(settings(t), func(context.Context) ([]netip.Addr, error) { return []netip.Addr{live}, nil }, slog.New(slog.DiscardHandler))
	m.isLearner = func(context.Context) (bool, error) { return len(asked) == 0, nil }
	m.promote = func(_ context.Context, peers []netip.Addr, _ Settings) error {
		asked = append(asked, peers...)
		return nil
	}
	for range 2 {
		if err := m.Promote(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	if !slices.Equal(asked, []netip.Addr{live}) {
		t.Errorf("asked %v, want the live control plane once", asked)
	}
}

// membership makes one with fakes for the disk and for the endpoint.
func membership(others []netip.Addr, endpoint error, data bool) *Membership {
	m := NewMembership(Settings{Name: "cp-1", Advertised: []netip.Addr{netip.MustParseAddr("10.5.0.2")}},
		func(context.Context) ([]netip.Addr, error) { return others, endpoint },
		slog.New(slog.NewTextHandler(io.Discard, nil)))
	m.hasData = func() (bool, error) { return data, nil }
	return m
}

func TestBootstrap_IsRefusedWhereAnEtcdIs(t *testing.T) {
	other := []netip.Addr{netip.MustParseAddr("10.5.0.3")}
	for _, test := range []struct {
		name     string
		others   []netip.Addr
		endpoint error
		data     bool
		want     error
	}{
		{"nothing anywhere", nil, nil, false, nil},
		{"endpoint does not answer", nil, errors.New("refused"), false, nil},
		{"another control plane", other, nil, false, ErrElsewhere},
		{"data on this node", nil, nil, true, ErrMember},
	} {
		t.Run(test.name, func(t *testing.T) {
			m := membership(test.others, test.endpoint, test.data)
			for i := range 2 {
				if err := m.Bootstrap(t.Context()); !errors.Is(err, test.want) {
					t.Errorf("bootstrap %d = %v, want %v", i+1, err, test.want)
				}
			}
		})
	}
}

func TestAwait_WaitsForBootstrap(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := membership(nil, errors.New("refused"), false)
		done := make(chan error, 1)
		go func() { done <- m.Await(t.Context()) }()
		time.Sleep(5 * time.Second)
		select {
		case err := <-done:
			t.Fatalf("await returned %v before bootstrap", err)
		default:
		}
		if err := m.Bootstrap(t.Context()); err != nil {
			t.Fatal(err)
		}
		if err := <-done; err != nil {
			t.Errorf("await = %v", err)
		}
		if got := m.Settings(); got.Existing || len(got.Initial) != 1 {
			t.Errorf("settings = %+v, want a cluster of one", got)
		}
	})
}

func TestRPC_RefusesOnANodeWithoutEtcd(t *testing.T) {
	r := RPC{Membership: func() *Membership { return nil }}
	if _, err := r.Bootstrap(t.Context(), nil); err == nil || !strings.Contains(err.Error(), "control plane node") {
		t.Errorf("bootstrap = %v, want a refusal that says where to go", err)
	}
}
