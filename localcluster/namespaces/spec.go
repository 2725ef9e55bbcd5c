// Package namespaces runs clusters on this computer: each node is a set of
// Linux namespaces with the same root file system that a machine boots.
//
// A cluster has one network process (the "switch") that owns a network
// namespace with a bridge in it and forwards loopback addresses of the computer
// to the nodes, and a launcher process per node that makes the node's
// namespaces, waits for its PID 1 and starts it again when it reboots. Nothing
// of a cluster exists in the computer's own network or mount namespace: when
// its processes are gone, only its control groups and its state folder are
// left, and Destroy removes both however the processes ended.
//
// A program that uses this package must call RunIfChild first in its main, as
// the switch and the launchers are that program started again.
package namespaces

import (
	"errors"
	"fmt"
	"hash/fnv"
	"net/netip"
	"path/filepath"
	"regexp"
)

// Role is what a node is for.
type Role string

// The roles.
const (
	ControlPlane Role = "controlplane"
	Worker       Role = "worker"
)

// Spec is a cluster to create.
type Spec struct {
	// Name is unique on this computer.
	Name string `json:"name"`
	// Network holds the nodes' addresses; its first address is the bridge's.
	Network netip.Prefix `json:"network"`
	// Rootfs is the folder with the nodes' root file system, mounted read-only.
	Rootfs string `json:"rootfs"`
	// Images is the OCI layout that the nodes use as their image cache, or
	// empty for none.
	Images string `json:"images,omitempty"`
	Nodes  []Node `json:"nodes"`
	// ID tells apart clusters of the same name in different stores; Create
	// sets it.
	ID string `json:"id"`
}

// Node is one node of a Spec.
type Node struct {
	// Name is the node's host name.
	Name string `json:"name"`
	Role Role   `json:"role"`
	// Address lies in the cluster's network; the zero value is the next free.
	Address netip.Addr `json:"address"`
	// Loopback is where this computer reaches the node's ports; the zero value
	// is chosen.
	Loopback netip.Addr `json:"loopback"`
	// Memory is a limit in bytes, 0 for none.
	Memory uint64 `json:"memory,omitempty"`
	// CPUs is a limit in processors, 0 for none.
	CPUs float64 `json:"cpus,omitempty"`
}

// Ports of the node API, of trustd and of the Kubernetes API.
const (
	apidPort      = 50000
	trustdPort    = 50001
	apiServerPort = 6443
)

// ports of a node that are forwarded from its loopback address, by role.
func (n Node) ports() []uint16 {
	if n.Role == ControlPlane {
		return []uint16{apidPort, trustdPort, apiServerPort}
	}
	return []uint16{apidPort}
}

var namePattern = regexp.MustCompile(`^[a-z0-9]([a-z0-9-]{0,30}[a-z0-9])?$`)

// complete checks the spec and fills in what may be left out.
func (s Spec) complete() (Spec, error) {
	if !namePattern.MatchString(s.Name) {
		return s, fmt.Errorf("cluster name: %q: must be 1 to 32 of a-z, 0-9 and -", s.Name)
	}
	if !s.Network.IsValid() {
		s.Network = netip.MustParsePrefix("10.5.0.0/24")
	}
	s.Network = s.Network.Masked()
	if !s.Network.Addr().Is4() || s.Network.Bits() > 29 {
		return s, fmt.Errorf("cluster network: %s: must be an IPv4 network of at least 8 addresses", s.Network)
	}
	if len(s.Nodes) == 0 {
		return s, errors.New("cluster nodes: none: a cluster has at least one")
	}
	if !filepath.IsAbs(s.Rootfs) {
		return s, fmt.Errorf("root file system: %q: must be an absolute path", s.Rootfs)
	}
	names, addresses := map[string]bool{}, map[netip.Addr]bool{s.Gateway(): true}
	for _, node := range s.Nodes {
		addresses[node.Address] = true
	}
	next := s.Gateway().Next()
	for i := range s.Nodes {
		node := &s.Nodes[i]
		if !namePattern.MatchString(node.Name) {
			return s, fmt.Errorf("node name: %q: must be 1 to 32 of a-z, 0-9 and -", node.Name)
		}
		if names[node.Name] {
			return s, fmt.Errorf("node name: %q: is used twice", node.Name)
		}
		names[node.Name] = true
		if node.Role != ControlPlane && node.Role != Worker {
			return s, fmt.Errorf("node role: %s: %q: must be %s or %s", node.Name, node.Role, ControlPlane, Worker)
		}
		if !node.Address.IsValid() {
			for addresses[next] {
				next = next.Next()
			}
			node.Address = next
			addresses[next] = true
		}
		if !s.Network.Contains(node.Address) {
			return s, fmt.Errorf("node address: %s: %s: is outside of %s", node.Name, node.Address, s.Network)
		}
		if !node.Loopback.IsValid() {
			node.Loopback = loopback(s.ID, i)
		}
	}
	return s, nil
}

// Gateway is the bridge's address in the cluster's network.
func (s Spec) Gateway() netip.Addr { return s.Network.Addr().Next() }

// LoopbackEndpoint is the address at which this computer reaches the Kubernetes
// API of any control plane node that answers. Nodes reach it at Gateway.
func (s Spec) LoopbackEndpoint() netip.Addr { return loopback(s.ID, -1) }

func (s Spec) controlPlanes() []netip.Addr {
	var list []netip.Addr
	for _, node := range s.Nodes {
		if node.Role == ControlPlane {
			list = append(list, node.Address)
		}
	}
	return list
}

// loopback gives each node of each cluster an address of 127.0.0.0/8 of its
// own, so that every node has its ports under their usual numbers.
func loopback(cluster string, index int) netip.Addr {
	hash := fnv.New32a()
	hash.Write([]byte(cluster))
	sum := hash.Sum32()
	return netip.AddrFrom4([4]byte{127, byte(64 + sum%128), byte(sum >> 8), byte(2 + index)})
}

// mac is a stable, locally administered address of the node's interface.
func mac(cluster, node string) []byte {
	hash := fnv.New64a()
	fmt.Fprintf(hash, "%s/%s", cluster, node)
	sum := hash.Sum(nil)
	return []byte{0x02, sum[0], sum[1], sum[2], sum[3], sum[4]}
}

// platform is what a node is told about itself, in the file PlatformFile.
type platform struct {
	Hostname  string   `json:"hostname"`
	Addresses []string `json:"addresses"`
	Gateway   string   `json:"gateway"`
	Link      string   `json:"link"`
}

// PlatformFile is the node's platform metadata, in the node's folder outside
// and in /system/platform inside.
const PlatformFile = "platform.json"
