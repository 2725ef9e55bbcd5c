//go:build linux

package cluster

import (
	"errors"
	"strings"

	"github.com/spf13/cobra"
)

// Reasons why a flag that other clients know cannot be followed here.
const (
	noMachine   = "nodes are namespaces of this computer and not virtual machines"
	noDisk      = noMachine + ", so they have no disks of their own"
	noBoot      = noMachine + ", so they do not boot from a medium"
	noPhysics   = "the network of the nodes is a bridge without shaping"
	inAssets    = "nodes start from the assets that 'make assets' builds"
	inConfig    = "say it in the machine config, with --config-patch"
	noCNI       = "the network of the nodes is made without CNI plugins"
	noPublisher = "nodes answer on loopback addresses of this computer only; 'cluster show' lists them"
	noRemote    = "there is no service outside that the nodes would report to"
	noWait      = "a cluster is made up to the point where its nodes are ready"
)

// unsupported are the flags of other clients that cannot be followed here, by
// reason.
var unsupported = map[string][]string{
	noMachine: {"arch", "bad-rtc", "image", "with-iommu", "with-tpm1_2", "with-tpm2", "with-uefi", "with-uuid-hostnames", "presets", "mount"},
	noDisk: {
		"disk", "disks", "disk-block-size", "disk-encryption-key-types", "disk-image-path", "disk-preallocate", "encrypt-ephemeral",
		"encrypt-state", "encrypt-user-volumes", "extra-disks", "extra-disks-drivers", "extra-disks-serials", "extra-disks-size",
		"extra-disks-tags", "user-volumes",
	},
	noBoot: {
		"config-injection-method", "extra-boot-kernel-args", "extra-uefi-search-paths", "initrd-path", "ipxe-boot-script", "iso-path",
		"skip-injecting-config", "skip-injecting-extra-cmdline", "uki-path", "usb-path", "vmlinuz-path", "with-bootloader",
		"schematic-id", "image-factory-url", "image-factory-auth",
	},
	noPhysics: {
		"with-network-bandwidth", "with-network-chaos", "with-network-jitter", "with-network-latency", "with-network-packet-corrupt",
		"with-network-packet-loss", "with-network-packet-reorder", "mtu",
	},
	inAssets: {"install-image", "image-cache-path", "image-cache-port", "image-cache-tls-cert-file", "image-cache-tls-key-file", "talos-version"},
	inConfig: {
		"dns-domain", "registry-mirror", "registry-insecure-skip-verify", "with-cluster-discovery", "with-kubespan", "with-firewall",
		"wireguard-cidr", "kubeprism-port", "nameservers", "use-vip", "with-json-logs", "disable-dhcp-hostname", "control-plane-port",
		"with-debug", "with-init-node", "init-node-as-endpoint",
	},
	noCNI:       {"cni-bin-path", "cni-bundle-url", "cni-cache-dir", "cni-conf-dir", "custom-cni-url"},
	noPublisher: {"endpoint", "exposed-ports", "host-ip", "ipv4", "ipv6", "disable-ipv6", "no-masquerade-cidrs"},
	noRemote:    {"omni-api-endpoint", "with-siderolink", "with-debug-shell"},
	noWait:      {"skip-k8s-node-readiness-check"},
}

// refusal is a flag that cannot be followed; it says why.
type refusal struct{ reason string }

func (refusal) String() string     { return "" }
func (refusal) Type() string       { return "string" }
func (refusal) IsBoolFlag() bool   { return true }
func (r refusal) Set(string) error { return errors.New(r.reason) }

// refuse makes the command give the reason for each flag of unsupported.
func refuse(command *cobra.Command) {
	for reason, names := range unsupported {
		for _, name := range names {
			flag := command.Flags().VarPF(refusal{reason}, name, "", reason)
			flag.Hidden = true
			flag.NoOptDefVal = "true" // so that a switch needs no value
		}
	}
}

// newRefused makes a hidden command for one of other clients' ways to make
// nodes.
func newRefused(name string) *cobra.Command {
	return &cobra.Command{
		Use:                name,
		Short:              "Not there: nodes are namespaces of this computer",
		Hidden:             true,
		DisableFlagParsing: true,
		RunE: func(*cobra.Command, []string) error {
			return errors.New("make cluster of " + strings.ToUpper(name[:1]) + name[1:] + " nodes: " + noMachine + ": leave '" + name + "' out")
		},
	}
}
