package v1alpha1_test

import (
	"os"
	"strings"
	"testing"
	"time"

	"github.com/ichor-os/ichor/config"
	"github.com/ichor-os/ichor/config/document"
	"github.com/ichor-os/ichor/config/validate"
)

func base(t *testing.T, role string) *config.Config {
	t.Helper()

	text, err := os.ReadFile("../../../test/vectors/decode/a-main-minimal-" + role + "/canon.yaml")
	if err != nil {
		t.Fatal(err)
	}

	c, err := config.Parse(text)
	if err != nil {
		t.Fatal(err)
	}

	return c
}

func validated(t *testing.T, role, patch string, mode document.Mode) *validate.Report {
	t.Helper()

	p, err := config.ParsePatch([]byte(patch), "patch")
	if err != nil {
		t.Fatalf("%s: %v", patch, err)
	}

	c, err := base(t, role).Apply(p)
	if err != nil {
		t.Fatalf("%s: %v", patch, err)
	}

	return c.Validate(mode, validate.Options{Now: time.Date(2027, 1, 1, 0, 0, 0, 0, time.UTC)})
}

func TestValidate_AcceptsAndRefuses(t *testing.T) {
	for _, c := range []struct {
		role, patch string
		want        string // "" is valid
	}{
		{"worker", "", ""},
		{"controlplane", "", ""},
		{"worker", "persist: true", ""},
		{"worker", "persist: false", "persist"},
		{"worker", "machine: {type: Worker}", "unknown machine type"},
		{"worker", "machine: {ca: {$patch: delete}}", "authority"},
		{"worker", "machine: {ca: {$patch: delete}, acceptedCAs: [{crt: YQ==}]}", ""},
		{"worker", "machine: {ca: {crt: YQ==, key: YQ==}}", "must not hold the key"},
		{"worker", "cluster: {ca: {crt: YQ==, key: YQ==}}", "must not hold the key of the Kubernetes"},
		{"controlplane", "machine: {ca: {crt: YQ==}}", "needs certificate and key"},
		{"worker", "cluster: {controlPlane: {endpoint: {$patch: delete}}}", "endpoint of the control plane is required"},
		{"worker", "cluster: {controlPlane: {endpoint: 'https://h:70000'}}", "out of range"},
		{"worker", "cluster: {controlPlane: {endpoint: 'https://h:0'}}", "out of range"},
		{"worker", "cluster: {controlPlane: {endpoint: 'https:///a'}}", "no host"},
		{"worker", "cluster: {controlPlane: {endpoint: 'https://[2001:db8::1]:6443'}}", ""},
		{"worker", "machine: {nodeLabels: {a.b/c: d}}", ""},
		{"worker", "machine: {nodeLabels: {A.b/c: d}}", "DNS name"},
		{"worker", "machine: {nodeLabels: {a: -d}}", "not a label value"},
		{"worker", "machine: {nodeAnnotations: {talos.dev/owned-labels: x}}", "reserved"},
		{"worker", "machine: {nodeTaints: {a: 'v:NoSchedule', b: ':NoExecute', c: NoSchedule, d: PreferNoSchedule}}", ""},
		{"worker", "machine: {nodeTaints: {a: 'x:'}}", "unknown effect"},
		{"worker", "machine: {nodeTaints: {a: 'a:b:NoExecute'}}", "unknown effect"},
		{"worker", "machine: {kubelet: {nodeIP: {validSubnets: ['!10.0.0.0/8', 10.0.0.1, '::/0']}}}", ""},
		{"worker", "machine: {kubelet: {nodeIP: {validSubnets: [lan]}}}", "not a subnet"},
		{"worker", "machine: {kubelet: {extraConfig: {port: 1}}}", "sets this key"},
		{"worker", "machine: {kubelet: {extraConfig: {a: {port: 1}}}}", ""},
		{"worker", "machine: {registries: {mirrors: {a: null}}}", ""},
		{"worker", "machine: {logging: {destinations: [{endpoint: 'tcp://h:1', format: json_lines}]}}", ""},
		{"worker", "machine: {logging: {destinations: [{endpoint: 'tcp://h:1', format: JSON_LINES}]}}", "unknown format"},
		{"worker", "machine: {logging: {destinations: [{endpoint: 'http://h:1', format: json_lines}]}}", "use tcp, udp or tls"},
		{"worker", "machine: {disks: [{device: /dev/a, partitions: [{size: 1GB}, {mountpoint: /var/a}]}]}", ""},
		{"worker", "machine: {disks: [{device: /dev/a, partitions: [{mountpoint: /var/a}, {size: 1GB}]}]}", "only the last partition"},
		{"worker", "machine: {disks: [null]}", "disk is empty"},
		{"worker", "machine: {install: {extensions: [{image: a}, {image: a}]}}", "stands twice"},
		{"worker", "machine: {install: {grubUseUKICmdline: true, extraKernelArgs: [a]}}", "no effect together"},
		{"worker", "machine: {features: {kubernetesTalosAPIAccess: {enabled: true}}}", "control plane machines only"},
		{"controlplane", "machine: {features: {kubernetesTalosAPIAccess: {enabled: true, allowedRoles: ['os:reader']}}}", ""},
		{"controlplane", "machine: {features: {kubernetesTalosAPIAccess: {enabled: true, allowedRoles: [king]}}}", "unknown role"},
		{"worker", "machine: {features: {nodeAddressSortAlgorithm: v3}}", "sort algorithm"},
		{"worker", "machine: {baseRuntimeSpecOverrides: {process: 3}}", "OCI runtime spec"},
		{"worker", "cluster: {etcd: {ca: {crt: YQ==, key: YQ==}}}", "control plane machines only"},
		{"controlplane", "cluster: {etcd: {ca: {crt: YQ==}, subnet: 10.0.0.0/8, advertisedSubnets: [10.0.0.0/8]}}", "exclude each other"},
		{"controlplane", "cluster: {etcd: {advertisedSubnets: ['!10.0.0.0/8']}}", "authority of etcd"},
		{"controlplane", "cluster: {network: {cni: {name: custom}}}", ""},
		{"controlplane", "cluster: {network: {cni: {name: calico}}}", "unknown CNI"},
		{"controlplane", "cluster: {network: {cni: {name: flannel, urls: [a]}}}", "custom CNI only"},
		{"controlplane", "cluster: {network: {cni: {name: none, flannel: {}}}}", "flannel only"},
		{"worker", "cluster: {network: {cni: {name: calico}}}", ""},
		{"worker", "cluster: {network: {dnsDomain: 'a b'}}", "not a DNS name"},
		{"worker", "cluster: {network: {podSubnets: [lan]}}", ""},
		{"worker", "cluster: {inlineManifests: [{name: ' ', contents: a}]}", "needs a name"},
		{"worker", "cluster: {inlineManifests: [{name: a, contents: a}, {name: a, contents: b}]}", "stands twice"},
		{"worker", "cluster: {discovery: {enabled: true}}", "needs cluster.id"},
		{"worker", "cluster: {discovery: {enabled: true, registries: {service: {disabled: true}}}}", ""},
		{"worker", "cluster: {id: a, secret: b, discovery: {enabled: true, registries: {service: {endpoint: 'https://d/x'}}}}", "must not have a path"},
		{"worker", "cluster: {externalCloudProvider: {manifests: ['https://a/b']}}", "need externalCloudProvider.enabled"},
		{"controlplane", "cluster: {apiServer: {resources: {requests: {disk: 1}}}}", "unknown resource"},
		{"controlplane", "cluster: {apiServer: {authorizationConfig: [{type: webhook, name: a}]}}", "sort of authorizer"},
		{"controlplane", "cluster: {apiServer: {authorizationConfig: [{type: Webhook, name: a}], extraArgs: {authorization-mode: Node}}}", "exclude each other"},
	} {
		r := validated(t, c.role, c.patch, document.Metal)

		switch {
		case c.want == "" && !r.Valid():
			t.Errorf("%s: %s: %v", c.role, c.patch, r.Err())
		case c.want != "" && (r.Valid() || !strings.Contains(r.Err().Error(), c.want)):
			t.Errorf("%s: %s: got %v, want an error with %q", c.role, c.patch, r.Err(), c.want)
		}
	}
}

func TestValidate_Links(t *testing.T) {
	for text, want := range map[string]string{
		"{interface: a, dhcp: true}":                                                                              "",
		"{deviceSelector: {driver: a}, dhcp: true}":                                                               "",
		"{interface: a, deviceSelector: {}}":                                                                      "",
		"{deviceSelector: {}}":                                                                                    "is required",
		"{interface: a, deviceSelector: {driver: a}}":                                                             "exclude each other",
		"{dhcp: true}":                                                                                            "is required",
		"{interface: a, ignore: true, addresses: [x]}":                                                            "",
		"{interface: a, addresses: [x]}":                                                                          "not an address",
		"{interface: a, addresses: [10.0.0.1]}":                                                                   "",
		"{interface: a, cidr: 10.0.0.1/8}":                                                                        "",
		"{interface: a, cidr: 10.0.0.1/8, addresses: [10.0.0.1]}":                                                 "exclude each other",
		"{interface: a, routes: [{network: 10.0.0.0/8}]}":                                                         "",
		"{interface: a, routes: [{gateway: 10.0.0.1}]}":                                                           "",
		"{interface: a, routes: [{metric: 1}]}":                                                                   "network or gateway",
		"{interface: a, routes: [{network: 10.0.0.1}]}":                                                           "not a subnet",
		"{interface: a, vip: {ip: 10.0.0.1}}":                                                                     "control plane machines only",
		"{interface: a, vlans: [{vlanId: 1, cidr: 10.0.0.1/8, addresses: [10.0.0.1]}]}":                           "exclude each other",
		"{interface: a, bond: {mode: active-backup, interfaces: [b]}, bridge: {interfaces: [c]}}":                 "exclude each other",
		"{interface: a, bond: {mode: Active-Backup, interfaces: [b]}}":                                            "",
		"{interface: a, bond: {mode: active-backup, interfaces: [b], failOverMac: Active}}":                       "unknown word",
		"{interface: a, bond: {mode: active-backup, interfaces: [b], updelay: 3}}":                                "needs miimon",
		"{interface: a, bond: {mode: active-backup, interfaces: [b], miimon: 2, updelay: 3}}":                     "multiple",
		"{interface: a, bond: {mode: active-backup, interfaces: [b], adActorSysPrio: 3}}":                         "802.3ad only",
		"{interface: a, bond: {mode: 802.3ad, interfaces: [b], lacpRate: fast, arpInterval: 3}}":                  "does not go with",
		"{interface: a, bond: {mode: 802.3ad, interfaces: [b], lacpRate: fast}}":                                  "",
		"{interface: a, bond: {mode: balance-rr, interfaces: [b], packetsPerSlave: 3}}":                           "",
		"{interface: a, bond: {mode: active-backup, interfaces: [b], packetsPerSlave: 3}}":                        "balance-rr only",
		"{interface: a, bond: {mode: active-backup, interfaces: [b], arpIPTarget: [a]}}":                          "not supported",
		"{interface: a, bond: {mode: balance-xor, interfaces: [b], primary: b}}":                                  "primary belongs",
		"{interface: a, bond: {mode: active-backup, interfaces: [b]}}, {interface: b, dhcp: true}":                "must have no addresses",
		"{interface: a, bond: {mode: active-backup, interfaces: [b]}}, {interface: c, bridge: {interfaces: [b]}}": "two bonds or bridges",
		"{interface: a, wireguard: {privateKey: x}}":                                                              "not a WireGuard key",
		"{interface: a, wireguard: {privateKey: AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=, peers: [{publicKey: AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=, endpoint: h}]}}": "not host:port",
		"null": "interface is empty",
	} {
		r := validated(t, "worker", "machine: {network: {interfaces: ["+text+"]}}", document.Metal)

		switch {
		case want == "" && !r.Valid():
			t.Errorf("%s: %v", text, r.Err())
		case want != "" && (r.Valid() || !strings.Contains(r.Err().Error(), want)):
			t.Errorf("%s: got %v, want an error with %q", text, r.Err(), want)
		}
	}
}

func TestValidate_ByMode(t *testing.T) {
	for patch, valid := range map[string][3]bool{ // metal, cloud, container
		"machine: {install: {$patch: delete}}":                                {false, true, true},
		"machine: {install: {disk: {$patch: delete}}}":                        {false, true, true},
		"machine: {features: {hostDNS: {$patch: delete}}}":                    {true, true, false},
		"machine: {features: {hostDNS: {forwardKubeDNSToHost: false}}}":       {true, true, false},
		"machine: {install: {diskSelector: {type: floppy}}}":                  {false, true, true},
		"machine: {install: {diskSelector: {name: x}}}":                       {false, true, true},
		"machine: {install: {grubUseUKICmdline: true, extraKernelArgs: [a]}}": {false, true, true},
	} {
		for i, mode := range []document.Mode{document.Metal, document.Cloud, document.Container} {
			if r := validated(t, "worker", patch, mode); r.Valid() != valid[i] {
				t.Errorf("%s: %s: valid: got %v, want %v: %v", patch, mode, r.Valid(), valid[i], r.Err())
			}
		}
	}
}
