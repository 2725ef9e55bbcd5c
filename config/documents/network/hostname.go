package network

import (
	"strings"

	"github.com/ichor-os/ichor/config/document"
)

const (
	maxHostname = 253
	maxLabel    = 63
)

// HostnameKind is the kind HostnameConfig.
var HostnameKind = &document.Kind{
	APIVersion: document.V1Alpha1, Kind: "HostnameConfig", Since: "1.13",
	New: func() document.Document { return new(HostnameConfig) },
	Doc: "Sets the node's host name, or says how the node makes one up.",
	Example: `apiVersion: v1alpha1
kind: HostnameConfig
hostname: rack4-n2.example.com
`,
}

// HostnameConfig sets the host name.
type HostnameConfig struct {
	Auto     *AutoHostname `yaml:"auto,omitempty" effect:"yes" change:"restart=kubelet" doc:"How a name is made up when nothing else gives one: stable derives it from the machine's identity, off waits for DHCP or the platform." enum:"stable,off"`
	Hostname string        `yaml:"hostname,omitempty" effect:"yes" change:"restart=kubelet" doc:"The host name, with or without domain. Excludes auto: stable."`
}

// Kind returns HostnameKind.
func (c *HostnameConfig) Kind() *document.Kind { return HostnameKind }

// Name is empty: there is one such document.
func (c *HostnameConfig) Name() string { return "" }

// Settle lets a host name win over auto: stable, which becomes off, and the
// other way round.
func (c *HostnameConfig) Settle(patch document.Document) {
	p, ok := patch.(*HostnameConfig)
	if !ok || c.Hostname == "" || c.Auto == nil || *c.Auto == AutoHostnameOff {
		return
	}

	switch off := AutoHostnameOff; {
	case p.Auto == nil:
		c.Auto = &off
	case p.Hostname == "":
		c.Hostname = ""
	}
}

// Validate checks the document.
func (c *HostnameConfig) Validate(v *document.Validation) {
	switch {
	case c.Auto == nil && c.Hostname == "":
		v.Errorf("", "neither auto nor hostname is given").Fix("set hostname, auto: stable or auto: off")
	case c.Auto != nil && *c.Auto == AutoHostnameAddr:
		v.Errorf("auto", "value talos-addr is not supported").Fix("use stable or off")
	case c.Auto != nil && *c.Auto != AutoHostnameOff && c.Hostname != "":
		v.Errorf("hostname", "hostname is given together with auto: %s", *c.Auto).Fix("set auto: off, or remove one of the two")
	}

	if c.Hostname == "" {
		return
	}

	if len(c.Hostname) > maxHostname {
		v.Errorf("hostname", "host name is %d characters long", len(c.Hostname)).Fix("use at most %d", maxHostname)
	}

	label, _, _ := strings.Cut(c.Hostname, ".")
	if label == "" || len(label) > maxLabel {
		v.Errorf("hostname", "first part of the host name is %d characters long", len(label)).Fix("use 1 to %d characters before the first dot", maxLabel)
	}

	adviseHostname(v, "hostname", c.Hostname)
}
