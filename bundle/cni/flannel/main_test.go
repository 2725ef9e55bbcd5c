package main

import (
	"encoding/json"
	"net/netip"
	"os"
	"path/filepath"
	"testing"

	"github.com/containernetworking/cni/pkg/skel"
	"github.com/google/go-cmp/cmp"
)

func TestParseSubnet(t *testing.T) {
	tests := []struct {
		name, text string
		want       subnet
		fails      bool
	}{
		{
			name: "both families",
			text: "FLANNEL_NETWORK=10.244.0.0/16\nFLANNEL_SUBNET=10.244.1.1/24\nFLANNEL_IPV6_NETWORK=fc00::/48\nFLANNEL_IPV6_SUBNET=fc00:0:0:1::1/64\nFLANNEL_MTU=1450\nFLANNEL_IPMASQ=true\n",
			want: subnet{
				Networks: []netip.Prefix{netip.MustParsePrefix("10.244.0.0/16"), netip.MustParsePrefix("fc00::/48")},
				Subnets:  []netip.Prefix{netip.MustParsePrefix("10.244.1.0/24"), netip.MustParsePrefix("fc00:0:0:1::/64")},
				MTU:      1450, IPMasq: true,
			},
		},
		{
			name: "several networks",
			text: "FLANNEL_NETWORK=10.0.0.0/16,10.1.0.0/16\nFLANNEL_SUBNET=10.0.1.1/24\nFLANNEL_MTU=1500",
			want: subnet{
				Networks: []netip.Prefix{netip.MustParsePrefix("10.0.0.0/16"), netip.MustParsePrefix("10.1.0.0/16")},
				Subnets:  []netip.Prefix{netip.MustParsePrefix("10.0.1.0/24")},
				MTU:      1500,
			},
		},
		{name: "empty", fails: true},
		{name: "cut off", text: "FLANNEL_NETWORK=10.244.0.0/16\nFLANNEL_SUB", fails: true},
		{name: "no prefix", text: "FLANNEL_NETWORK=10.244.0.0\n", fails: true},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got, err := parseSubnet(test.text)
			if (err != nil) != test.fails {
				t.Fatalf("parseSubnet(%q) error = %v, want failure: %v", test.text, err, test.fails)
			}
			equal := cmp.Comparer(func(a, b netip.Prefix) bool { return a == b })
			if diff := cmp.Diff(test.want, got, equal); diff != "" {
				t.Errorf("parseSubnet(%q) (-want +got):\n%s", test.text, diff)
			}
		})
	}
}

func TestDelegate_NetworkWinsOverDefaults(t *testing.T) {
	leased := subnet{
		Networks: []netip.Prefix{netip.MustParsePrefix("10.244.0.0/16")},
		Subnets:  []netip.Prefix{netip.MustParsePrefix("10.244.1.0/24")},
		MTU:      1450, IPMasq: true,
	}
	tests := []struct{ name, config, want string }{
		{
			name:   "defaults",
			config: `{"cniVersion":"1.0.0","name":"cbr0","type":"flannel"}`,
			want: `{"type":"bridge","name":"cbr0","cniVersion":"1.0.0","mtu":1450,"ipMasq":false,"isGateway":true,
				"ipam":{"type":"host-local","ranges":[[{"subnet":"10.244.1.0/24"}]],"routes":[{"dst":"10.244.0.0/16"}]}}`,
		},
		{
			name: "set by the network",
			config: `{"name":"cbr0","delegate":{"type":"ptp","mtu":9000,"hairpinMode":true},
				"ipam":{"dataDir":"/run/ipam","routes":[{"dst":"192.0.2.0/24"}]},"runtimeConfig":{"mac":"c2:11:22:33:44:55"}}`,
			want: `{"type":"ptp","name":"cbr0","mtu":9000,"ipMasq":false,"hairpinMode":true,"runtimeConfig":{"mac":"c2:11:22:33:44:55"},
				"ipam":{"type":"host-local","dataDir":"/run/ipam","ranges":[[{"subnet":"10.244.1.0/24"}]],
				"routes":[{"dst":"10.244.0.0/16"},{"dst":"192.0.2.0/24"}]}}`,
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			n, err := load([]byte(test.config))
			if err != nil {
				t.Fatal(err)
			}
			content, err := json.Marshal(delegate(n, leased))
			if err != nil {
				t.Fatal(err)
			}
			var got, want any
			if err := json.Unmarshal(content, &got); err != nil {
				t.Fatal(err)
			}
			if err := json.Unmarshal([]byte(test.want), &want); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("delegate(%s) (-want +got):\n%s", test.config, diff)
			}
		})
	}
}

func TestLoad_RefusesDelegateWithAddressesOfItsOwn(t *testing.T) {
	if _, err := load([]byte(`{"name":"cbr0","delegate":{"ipam":{"type":"dhcp"}}}`)); err == nil {
		t.Error("load accepted delegate.ipam, want an error")
	}
}

// recorder is a CNI plugin that appends its command and configuration to a file.
const recorder = `#!/bin/sh
{ echo "$CNI_COMMAND"; cat; echo; } >> "$RECORD"
[ "$CNI_COMMAND" = ADD ] && echo '{"cniVersion":"1.0.0","ips":[{"address":"10.244.1.2/24"}]}'
exit 0
`

func TestDel_UsesTheConfigurationOfTheAdditionAndMayBeRepeated(t *testing.T) {
	dir := t.TempDir()
	write := func(name, content string, mode os.FileMode) string {
		t.Helper()
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(content), mode); err != nil {
			t.Fatal(err)
		}
		return path
	}
	write("bridge", recorder, 0o755)
	subnetFile := write("subnet.env", "FLANNEL_NETWORK=10.244.0.0/16\nFLANNEL_SUBNET=10.244.1.1/24\nFLANNEL_MTU=1450\nFLANNEL_IPMASQ=true\n", 0o644)
	record := filepath.Join(dir, "record")
	for name, value := range map[string]string{
		"CNI_PATH": dir, "RECORD": record, "CNI_COMMAND": "ADD", "CNI_CONTAINERID": "c1", "CNI_NETNS": "/n", "CNI_IFNAME": "eth0",
	} {
		t.Setenv(name, value)
	}
	args := &skel.CmdArgs{ContainerID: "c1", StdinData: []byte(`{"cniVersion":"1.0.0","name":"cbr0","type":"flannel","subnetFile":"` +
		subnetFile + `","dataDir":"` + filepath.Join(dir, "data") + `"}`)}
	if err := add(args); err != nil {
		t.Fatalf("add: %v", err)
	}
	write("subnet.env", "FLANNEL_NETWORK=10.244.0.0/16\nFLANNEL_SUBNET=10.244.9.1/24\nFLANNEL_MTU=1450\n", 0o644)
	t.Setenv("CNI_COMMAND", "DEL")
	for range 2 {
		if err := del(args); err != nil {
			t.Fatalf("del: %v", err)
		}
	}
	config := `{"cniVersion":"1.0.0","ipMasq":false,"ipam":{"ranges":[[{"subnet":"10.244.1.0/24"}]],"routes":[{"dst":"10.244.0.0/16"}],"type":"host-local"},"isGateway":true,"mtu":1450,"name":"cbr0","type":"bridge"}`
	got, err := os.ReadFile(record)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff("ADD\n"+config+"\nDEL\n"+config+"\n", string(got)); diff != "" {
		t.Errorf("calls of the delegate (-want +got):\n%s", diff)
	}
}

func TestForget_KeepsValidContainersAndOtherNetworks(t *testing.T) {
	dir := t.TempDir()
	for id, name := range map[string]string{"valid": "cbr0", "gone": "cbr0", "other": "cbr1"} {
		if err := save(dir, id, []byte(`{"type":"bridge","name":"`+name+`"}`)); err != nil {
			t.Fatal(err)
		}
	}
	n, err := load([]byte(`{"name":"cbr0","dataDir":"` + dir + `"}`))
	if err != nil {
		t.Fatal(err)
	}
	if err := forget(n, map[string]bool{"valid": true}); err != nil {
		t.Fatal(err)
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, entry := range entries {
		got = append(got, entry.Name())
	}
	if diff := cmp.Diff([]string{"other", "valid"}, got); diff != "" {
		t.Errorf("saved configurations (-want +got):\n%s", diff)
	}
}
