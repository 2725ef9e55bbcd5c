// Package platform knows what the place a node runs in says about the node: its
// name, its addresses and its gateway. In namespaces the launcher leaves a file;
// nothing is asked for over a network.
package platform

import (
	"encoding/json"
	"fmt"
	"net/netip"
	"os"
)

// File is where a node in namespaces finds its metadata.
const File = "/system/platform/platform.json"

// Metadata is what the platform says about the node.
type Metadata struct {
	Hostname  string         `json:"hostname"`
	Addresses []netip.Prefix `json:"addresses"`
	Gateway   netip.Addr     `json:"gateway"`
	// Link is the interface that the addresses belong to.
	Link string `json:"link"`
}

// Read reads the metadata from a file.
func Read(path string) (Metadata, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return Metadata{}, fmt.Errorf("read platform metadata: %w", err)
	}
	var m Metadata
	if err := json.Unmarshal(text, &m); err != nil {
		return Metadata{}, fmt.Errorf("read platform metadata: %s: %w", path, err)
	}
	if m.Hostname == "" || m.Link == "" || len(m.Addresses) == 0 {
		return Metadata{}, fmt.Errorf("read platform metadata: %s: it lacks a name, a link or an address", path)
	}
	return m, nil
}
