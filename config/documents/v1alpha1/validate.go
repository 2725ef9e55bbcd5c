package v1alpha1

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/netip"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/ichor-os/ichor/config/document"
)

// Roles of machines, as machine.type has them.
const (
	TypeControlPlane = "controlplane"
	TypeWorker       = "worker"
	TypeInit         = "init"
)

// ControlPlane tells whether the machine runs the control plane.
func (c *Config) ControlPlane() bool {
	return c != nil && c.Machine != nil && (c.Machine.Type == TypeControlPlane || c.Machine.Type == TypeInit)
}

// Validate checks the main document.
func (c *Config) Validate(v *document.Validation) {
	if c.Machine == nil {
		v.Errorf("machine", "machine instructions are required").Fix("add the section machine, with a type at least")

		return
	}

	if c.Persist != nil && !*c.Persist {
		v.Errorf("persist", "persist: false is not supported").Fix("remove the key")
	}

	c.validateRole(v)
	c.validateMachine(v.At("machine"))

	if c.Cluster == nil {
		v.Errorf("cluster", "cluster instructions are required").Fix("add the section cluster, with controlPlane.endpoint at least")

		return
	}

	c.validateCluster(v.At("cluster"))
}

func (c *Config) validateRole(v *document.Validation) {
	m := c.Machine

	switch m.Type {
	case TypeControlPlane, TypeWorker, TypeInit:
	case "", "join":
		v.Warnf("machine.type", "machine type is %q, which is taken as worker", m.Type).Fix("write type: worker")
	default:
		v.Errorf("machine.type", "unknown machine type: %q", m.Type).Fix("use controlplane or worker")
	}

	hasCrt := m.CA != nil && len(m.CA.Crt) > 0 || len(m.AcceptedCAs) > 0

	switch {
	case m.CA == nil && len(m.AcceptedCAs) == 0:
		v.Errorf("machine.ca", "an authority of the machine API is required").Fix("give machine.ca, or acceptedCAs")
	case c.ControlPlane():
		if m.CA == nil || len(m.CA.Key) == 0 {
			v.Errorf("machine.ca", "a control plane machine needs certificate and key of the machine API's authority").Fix("give machine.ca.crt and machine.ca.key")
		}
	case !hasCrt:
		v.Errorf("machine.ca", "a worker needs the certificate of the machine API's authority").Fix("give machine.ca.crt, or acceptedCAs")
	}

	if c.ControlPlane() {
		return
	}

	if m.CA != nil && len(m.CA.Key) > 0 {
		v.Errorf("machine.ca.key", "a worker must not hold the key of the machine API's authority").Fix("leave the key empty")
	}

	if c.Cluster != nil && c.Cluster.CA != nil && len(c.Cluster.CA.Key) > 0 {
		v.Errorf("cluster.ca.key", "a worker must not hold the key of the Kubernetes authority").Fix("leave the key empty")
	}
}

func (c *Config) validateMachine(v *document.Validation) {
	m := c.Machine

	c.validateInstall(v)
	c.validateFeatures(v)

	if m.Kubelet != nil {
		m.Kubelet.validate(v.At("kubelet"))
	}

	validateLabels(v, m)
	m.Registries.validate(v.At("registries"))

	for i, d := range m.Disks {
		d.validate(v.Item("disks", i))
	}

	if e := m.SystemDiskEncryption; e != nil {
		e.State.validate(v.At("systemDiskEncryption.state"))
		e.Ephemeral.validate(v.At("systemDiskEncryption.ephemeral"))
	}

	if m.Logging != nil {
		for i, d := range m.Logging.Destinations {
			d.validate(v.Item("logging.destinations", i))
		}
	}

	if m.Network != nil {
		m.Network.validate(v.At("network"), c)
	}

	if len(m.BaseRuntimeSpecOverrides) > 0 {
		validateRuntimeSpec(v, m.BaseRuntimeSpecOverrides)
	}
}

func (c *Config) validateInstall(v *document.Validation) {
	in := c.Machine.Install

	if v.Mode == document.Metal {
		switch {
		case in == nil:
			v.Errorf("install", "install instructions are required in metal mode").Fix("give install.disk or install.diskSelector")
		case in.Disk == "" && in.DiskSelector == nil:
			v.Errorf("install", "an install disk is required").Fix("give disk, or diskSelector")
		}
	}

	if in == nil {
		return
	}

	if v.Mode == document.Metal {
		in.validateMetal(v.At("install"))
	}

	seen := make(map[string]bool)

	for i, e := range in.Extensions {
		if seen[e.Image] {
			v.Errorf(fmt.Sprintf("install.extensions[%d].image", i), "extension stands twice: %s", e.Image).Fix("remove one of the two")
		}

		seen[e.Image] = true
	}

	if len(in.Extensions) > 0 {
		v.Warnf("install.extensions", "extensions in the config are an older way").Fix("use an installer image that holds them")
	}
}

func (in *InstallConfig) validateMetal(v *document.Validation) {
	if s := in.DiskSelector; s != nil {
		if s.Name != "" {
			v.Errorf("diskSelector.name", "selecting a disk by name is not supported").Fix("use disk, or another property")
		}

		if s.Type != "" && !slices.Contains([]string{"ssd", "hdd", "nvme", "sd"}, s.Type) {
			v.Errorf("diskSelector.type", "unknown sort of disk: %q", s.Type).Fix("use ssd, hdd, nvme or sd")
		}

		if *s == (InstallDiskSelector{}) {
			v.Advisef("diskSelector", "an empty selector matches every disk").Fix("give a property, or disk")
		}
	}

	if len(in.ExtraKernelArgs) > 0 && isTrue(in.GrubUseUKICmdline) {
		v.Errorf("extraKernelArgs", "extraKernelArgs have no effect together with grubUseUKICmdline: true").
			Fix("put the arguments into the boot image, or set grubUseUKICmdline to false")
	}
}

func (c *Config) validateFeatures(v *document.Validation) {
	f := c.Machine.Features
	if f == nil {
		f = &FeaturesConfig{}
	}

	dns := f.HostDNS
	if dns == nil {
		dns = &HostDNSConfig{}
	}

	v = v.At("features")

	if isTrue(dns.ForwardKubeDNSToHost) && !isTrue(dns.Enabled) {
		v.Errorf("hostDNS", "hostDNS.forwardKubeDNSToHost needs hostDNS.enabled: pods would ask a name server that does not run").
			Fix("set hostDNS.enabled to true, or forwardKubeDNSToHost to false")
	}

	if v.Mode == document.Container {
		if !isTrue(dns.Enabled) {
			v.Errorf("hostDNS.enabled", "hostDNS.enabled is required in container mode").Fix("set it to true")
		}

		if !isTrue(dns.ForwardKubeDNSToHost) {
			v.Errorf("hostDNS.forwardKubeDNSToHost", "hostDNS.forwardKubeDNSToHost is required in container mode").Fix("set it to true")
		}
	}

	if a := f.KubernetesTalosAPIAccess; a != nil {
		if isTrue(a.Enabled) && !c.ControlPlane() {
			v.Errorf("kubernetesTalosAPIAccess.enabled", "access to the machine API from pods exists on control plane machines only").
				Fix("set enabled to false, or remove the section")
		}

		for i, role := range a.AllowedRoles {
			if !slices.Contains(knownRoles, role) {
				v.Errorf(fmt.Sprintf("kubernetesTalosAPIAccess.allowedRoles[%d]", i), "unknown role: %q", role).
					Fix("use one of %s", strings.Join(knownRoles, ", "))
			}
		}
	}

	if s := f.NodeAddressSortAlgorithm; s != "" && s != "v1" && s != "v2" {
		v.Errorf("nodeAddressSortAlgorithm", "unknown sort algorithm: %q", s).Fix("use v1 or v2")
	}
}

var knownRoles = []string{"os:admin", "os:operator", "os:reader", "os:etcd:backup", "os:impersonator"}

// protectedKubeletKeys are the keys of KubeletConfiguration that the system sets.
var protectedKubeletKeys = []string{
	"apiVersion", "authentication", "authorization", "cgroupRoot", "kind", "kubeletCgroups", "port", "protectKernelDefaults",
	"resolvConf", "rotateCertificates", "systemCgroups", "staticPodPath", "seccompDefault",
}

func (k *KubeletConfig) validate(v *document.Validation) {
	if k.NodeIP != nil {
		validateSubnets(v, "nodeIP.validSubnets", k.NodeIP.ValidSubnets)
	}

	for _, key := range slices.Sorted(maps.Keys(k.ExtraConfig)) {
		if slices.Contains(protectedKubeletKeys, key) {
			v.Errorf(document.Join("extraConfig", key), "the system sets this key of the kubelet's config itself").Fix("remove it")
		}
	}
}

func (r *RegistriesConfig) validate(v *document.Validation) {
	for _, name := range slices.Sorted(maps.Keys(r.Mirrors)) {
		if r.Mirrors[name] == nil {
			v.Errorf(document.Join("mirrors", name), "mirror of a registry is empty").Fix("give endpoints, or remove the key")
		}
	}

	for _, name := range slices.Sorted(maps.Keys(r.Config)) {
		if r.Config[name] == nil {
			v.Errorf(document.Join("config", name), "config of a registry is empty").Fix("give auth or tls, or remove the key")
		}
	}
}

func (d *MachineDisk) validate(v *document.Validation) {
	if d == nil {
		v.Errorf("", "disk is empty").Fix("give device and partitions, or remove the item")

		return
	}

	for i, p := range d.Partitions {
		switch {
		case p == nil:
			v.Errorf(fmt.Sprintf("partitions[%d]", i), "partition is empty").Fix("give mountpoint, or remove the item")
		case p.Size == 0 && i != len(d.Partitions)-1:
			v.Errorf(fmt.Sprintf("partitions[%d].size", i), "only the last partition may lack a size").Fix("give a size, or move the partition to the end")
		}
	}
}

func (e *EncryptionConfig) validate(v *document.Validation) {
	if e == nil {
		return
	}

	if len(e.Keys) == 0 {
		v.Errorf("keys", "at least one key is required").Fix("give a key with its slot, such as {slot: 0, nodeID: {}}")
	}

	slots := make(map[int]bool)

	for i, k := range e.Keys {
		if k == nil {
			v.Errorf(fmt.Sprintf("keys[%d]", i), "key is empty").Fix("give slot and method, or remove the item")

			continue
		}

		if slots[k.Slot] {
			v.Errorf(fmt.Sprintf("keys[%d].slot", i), "slot is used twice: %d", k.Slot).Fix("give each key a slot of its own")
		}

		slots[k.Slot] = true

		if k.Static == nil && k.NodeID == nil && k.KMS == nil && k.TPM == nil {
			v.Errorf(fmt.Sprintf("keys[%d]", i), "key has no method").Fix("give one of nodeID, static, kms or tpm")
		}
	}
}

func (d *LoggingDestination) validate(v *document.Validation) {
	switch {
	case d.Endpoint == nil:
		v.Errorf("endpoint", "an endpoint is required").Fix("write tcp://host:port, udp://host:port or tls://host:port")
	default:
		if d.Endpoint.Host == "" {
			v.Errorf("endpoint", "endpoint has no host: %s", d.Endpoint).Fix("write tcp://host:port, udp://host:port or tls://host:port")
		}

		if s := d.Endpoint.Scheme; s != "tcp" && s != "udp" && s != "tls" {
			v.Errorf("endpoint", "endpoint's scheme is %q", s).Fix("use tcp, udp or tls")
		}
	}

	if d.Format != "json_lines" {
		v.Errorf("format", "unknown format: %q", d.Format).Fix("use json_lines")
	}
}

// validateRuntimeSpec checks that overrides have the shape of an OCI runtime spec.
func validateRuntimeSpec(v *document.Validation, overrides document.Freeform) {
	raw, err := json.Marshal(overrides)
	if err != nil {
		v.Errorf("baseRuntimeSpecOverrides", "not an OCI runtime spec: %v", err).Fix("write it in the form of the OCI runtime's config.json")

		return
	}

	if err := fitsRuntimeSpec(raw); err != nil {
		v.Errorf("baseRuntimeSpecOverrides", "not an OCI runtime spec: %v", err).Fix("write it in the form of the OCI runtime's config.json")
	}
}

// validateSubnets checks items that are a prefix or an address, with an optional leading "!".
func validateSubnets(v *document.Validation, path string, subnets []string) {
	for i, s := range subnets {
		if !prefixOrAddress(strings.TrimPrefix(s, "!")) {
			v.Errorf(fmt.Sprintf("%s[%d]", path, i), "not a subnet or address: %q", s).Fix("write 10.0.0.0/8 or 10.0.0.1, with ! in front to exclude")
		}
	}
}

func prefixOrAddress(s string) bool { return isPrefix(s) || isAddress(s) }

func isPrefix(s string) bool {
	_, err := netip.ParsePrefix(s)

	return err == nil
}

func isAddress(s string) bool {
	_, err := netip.ParseAddr(s)

	return err == nil
}

// endpointFault says what is wrong with the URL of the Kubernetes API, "" if nothing is.
func endpointFault(u *url.URL) string {
	if u.Hostname() == "" {
		return fmt.Sprintf("endpoint has no host: %q", u)
	}

	if strings.Contains(u.Hostname(), ":") && !strings.HasPrefix(u.Host, "[") {
		return fmt.Sprintf("an IPv6 address must stand in brackets: %q", u.Host)
	}

	if p := u.Port(); p != "" {
		if n, err := strconv.Atoi(p); err != nil || n < 1 || n > 65535 {
			return fmt.Sprintf("port is out of range: %s", p)
		}
	}

	return ""
}

func isTrue(b *bool) bool { return b != nil && *b }
