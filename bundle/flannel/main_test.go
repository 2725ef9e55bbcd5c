package main

import (
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/flannel-io/flannel/pkg/trafficmngr/iptables"
	"github.com/flannel-io/flannel/pkg/trafficmngr/nftables"
)

func TestParseOptions(t *testing.T) {
	tests := []struct {
		name  string
		args  string
		env   map[string]string
		check func(options) bool
		fails string
	}{
		{
			name:  "flags of the usual manifest",
			args:  "--ip-masq --kube-subnet-mgr --iface=eth0 --iface=eth1 -v 2",
			check: func(o options) bool { return o.ipMasq && o.interfaces.String() == "eth0,eth1" },
		},
		{
			name:  "environment sets what the command line does not",
			env:   map[string]string{"FLANNELD_IP_MASQ": "true", "FLANNELD_IFACE_CAN_REACH": "192.0.2.1"},
			check: func(o options) bool { return o.ipMasq && o.interfaceCanReach == "192.0.2.1" },
		},
		{
			name:  "command line wins over environment",
			args:  "-healthz-port=1",
			env:   map[string]string{"FLANNELD_HEALTHZ_PORT": "2"},
			check: func(o options) bool { return o.healthzAddress() == "0.0.0.0:1" },
		},
		{name: "etcd leases", args: "-kube-subnet-mgr=false", fails: "not supported"},
		{name: "bad environment", env: map[string]string{"FLANNELD_IP_MASQ": "perhaps"}, fails: "FLANNELD_IP_MASQ"},
		{name: "no address", args: "-public-ip=node1", fails: "not an IP address"},
		{name: "extra argument", args: "start", fails: "unexpected argument"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			lookup := func(name string) (string, bool) {
				value, ok := test.env[name]
				return value, ok
			}
			o, err := parseOptions(strings.Fields(test.args), lookup)
			if test.fails != "" {
				if err == nil || !strings.Contains(err.Error(), test.fails) {
					t.Errorf("parseOptions(%q, %v) error = %v, want one with %q", test.args, test.env, err, test.fails)
				}
				return
			}
			if err != nil || !test.check(o) {
				t.Errorf("parseOptions(%q, %v) = %+v, %v", test.args, test.env, o, err)
			}
		})
	}
}

func TestChooseRules_NeverTouchesIPTablesWhereThereIsNone(t *testing.T) {
	for _, wanted := range []bool{true, false} {
		use, cleanUp := chooseRules(wanted, false)
		if _, ok := use.(*nftables.NFTablesManager); !ok || cleanUp != nil {
			t.Errorf("chooseRules(%v, false) = %T, %T, want nftables and nothing to clean up", wanted, use, cleanUp)
		}
	}
	if use, cleanUp := chooseRules(true, true); !isIPTables(cleanUp) || isIPTables(use) {
		t.Errorf("chooseRules(true, true) = %T, %T, want nftables, iptables", use, cleanUp)
	}
	if use, cleanUp := chooseRules(false, true); !isIPTables(use) || isIPTables(cleanUp) {
		t.Errorf("chooseRules(false, true) = %T, %T, want iptables, nftables", use, cleanUp)
	}
}

func isIPTables(rules any) bool {
	_, ok := rules.(*iptables.IPTablesManager)
	return ok
}

func TestReadPrevious(t *testing.T) {
	path := filepath.Join(t.TempDir(), "subnet.env")
	if previous, err := readPrevious(path); err != nil || !previous.subnet.Empty() || !previous.subnetIPv6.Empty() {
		t.Errorf("readPrevious without a file = %v, %v, want nothing", previous, err)
	}
	content := "FLANNEL_NETWORK=10.244.0.0/16\nFLANNEL_SUBNET=10.244.1.1/24\nFLANNEL_IPV6_SUBNET=fc00:0:0:1::1/64\nFLANNEL_MTU=1450\nFLANNEL_IPMASQ=true\n"
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	previous, err := readPrevious(path)
	if err != nil {
		t.Fatal(err)
	}
	if got := previous.network.String() + " " + previous.subnet.String() + " " + previous.subnetIPv6.String(); got != "10.244.0.0/16 10.244.1.0/24 fc00:0:0:1::/64" {
		t.Errorf("readPrevious(%q) = %s", content, got)
	}
	if err := os.WriteFile(path, []byte("FLANNEL_SUBNET=10.2"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := readPrevious(path); err == nil {
		t.Error("readPrevious of a file that is cut off succeeded, want an error")
	}
}

func TestHealth_IsReadyOnlyOnceTheNetworkIsUp(t *testing.T) {
	var ready atomic.Bool
	handler := health(&ready)
	status := func(path string) int {
		recorder := httptest.NewRecorder()
		handler.ServeHTTP(recorder, httptest.NewRequest(http.MethodGet, path, nil))
		return recorder.Code
	}
	if h, r := status("/healthz"), status("/readyz"); h != 200 || r != 503 {
		t.Errorf("before: healthz %d, readyz %d, want 200, 503", h, r)
	}
	ready.Store(true)
	if r := status("/readyz"); r != 200 {
		t.Errorf("after: readyz %d, want 200", r)
	}
}
