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

	"github.com/ichor-os/ichor/pki"
)

func settings(t *testing.T) Settings {
	t.Helper()
	authority, err := pki.NewEtcdAuthority(time.Now())
	if err != nil {
		t.Fatal(err)
	}
	pair, err := authority.Pair()
	if err != nil {
		t.Fatal(err)
	}
	return Settings{Image: "registry.k8s.io/etcd:v3.7.3", Name: "cp-1", Address: netip.MustParseAddr("10.5.0.2"), CA: pair}
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
	s.Address = netip.MustParseAddr("2001:db8::2")
	if got, want := s.PeerURL(), "https://[2001:db8::2]:2380"; got != want {
		t.Errorf("peer URL = %s, want %s", got, want)
	}
}

func TestFiles_KeysBelongToEtcdAndNamesAreTheNodes(t *testing.T) {
	files, err := Files(settings(t), time.Now())
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		if strings.HasSuffix(f.Path, "server.key") && (f.UID != UID || f.Mode&0o077 != 0) {
			t.Errorf("%s: owner %d mode %o, want %d and nobody else", f.Path, f.UID, f.Mode, UID)
		}
		if strings.HasSuffix(f.Path, "server.crt") {
			certificate, err := pki.ParseCertificate(f.Content)
			if err != nil {
				t.Fatal(err)
			}
			for _, name := range []string{"cp-1", "10.5.0.2", "127.0.0.1"} {
				if err := certificate.VerifyHostname(name); err != nil {
					t.Errorf("server certificate: %v", err)
				}
			}
		}
	}
}

// membership makes one with fakes for the disk and for the endpoint.
func membership(others []netip.Addr, endpoint error, data bool) *Membership {
	m := NewMembership(Settings{Name: "cp-1", Address: netip.MustParseAddr("10.5.0.2")},
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
