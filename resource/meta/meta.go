// Package meta holds the specs of the resources that describe kinds and
// namespaces, and how a kind's names follow from each other.
package meta

import (
	"strings"
	"unicode"
)

// Sensitivity tells clients whether a kind's specs hold secrets: it is text in
// YAML and a number in protobuf.
type Sensitivity string

// Sensitive marks kinds with secrets; others are empty.
const Sensitive Sensitivity = "sensitive"

// ProtoEnum gives the number.
func (s Sensitivity) ProtoEnum() int32 {
	if s == Sensitive {
		return 1
	}
	return 0
}

// SetProtoEnum reads the number.
func (s *Sensitivity) SetProtoEnum(n int32) error {
	*s = ""
	if n == 1 {
		*s = Sensitive
	}
	return nil
}

// DefinitionSpec describes a kind to clients.
type DefinitionSpec struct {
	Type             string        `yaml:"type" protobuf:"1"`
	DisplayType      string        `yaml:"displayType" protobuf:"2"`
	DefaultNamespace string        `yaml:"defaultNamespace" protobuf:"3"`
	Aliases          []string      `yaml:"aliases" protobuf:"4"`
	AllAliases       []string      `yaml:"allAliases" protobuf:"5"`
	NoAutomatic      bool          `yaml:"skipAutomaticAliases,omitempty"`
	PrintColumns     []PrintColumn `yaml:"printColumns" protobuf:"6"`
	Sensitivity      Sensitivity   `yaml:"sensitivity,omitempty" protobuf:"7"`
}

// PrintColumn is a [Column] on the wire.
type PrintColumn struct {
	Name     string `yaml:"name" protobuf:"1"`
	JSONPath string `yaml:"jsonPath" protobuf:"2"`
}

// NamespaceSpec describes a namespace to clients.
type NamespaceSpec struct {
	Description string `yaml:"description" protobuf:"1"`
}

// Descriptions tell of the namespaces that clients know.
var Descriptions = map[string]string{
	"meta":           "what kinds of resources and namespaces there are",
	"runtime":        "the machine and the services on it",
	"cluster":        "the cluster and its members",
	"cluster-raw":    "members as each way of discovery reports them",
	"config":         "the machine config and what follows from it",
	"etcd":           "the etcd member on this node",
	"files":          "files that the system keeps up to date",
	"hardware":       "what the machine is made of",
	"k8s":            "Kubernetes on this node",
	"controlplane":   "the Kubernetes control plane on this node",
	"kubespan":       "the encrypted network between nodes",
	"network":        "the network as it is",
	"network-config": "the network as each layer of config wants it",
	"cri":            "the container runtime",
	"secrets":        "keys and certificates",
	"security":       "what the node trusts and allows",
	"perf":           "how busy the machine is",
}

// Singular gives a wire name's singular: Addresses, Statuses and Caches lose
// "es", Identities become Identity, anything else loses its "s".
func Singular(plural string) string {
	switch {
	case strings.HasSuffix(plural, "ies"):
		return strings.TrimSuffix(plural, "ies") + "y"
	case strings.HasSuffix(plural, "sses"), strings.HasSuffix(plural, "uses"), strings.HasSuffix(plural, "ches"):
		return strings.TrimSuffix(plural, "es")
	}
	return strings.TrimSuffix(plural, "s")
}

// AutomaticAliases gives the display type in lower case and, when it has more
// than one capital, those: CertSAN is certsan, csan and csans.
func AutomaticAliases(display string) []string {
	aliases := []string{strings.ToLower(display)}
	var short strings.Builder
	for _, r := range display {
		if unicode.IsUpper(r) || unicode.IsDigit(r) {
			short.WriteRune(unicode.ToLower(r))
		}
	}
	if s := short.String(); len(s) > 1 {
		aliases = append(aliases, s)
		if !strings.HasSuffix(s, "s") {
			aliases = append(aliases, s+"s")
		}
	}
	return aliases
}
