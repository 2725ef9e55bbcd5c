// Package platform knows what the place a node runs in says about the node: its
// name, its addresses and its gateway. In namespaces the launcher leaves a file;
// nothing is asked for over a network.
package platform

import (
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/netip"
	"os"
	"strings"
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

// MachineIDFile keeps the machine id across reboots.
const MachineIDFile = "/system/state/machine-id"

// MachineID gives the node's id (machine-id(5)), made and saved at the first
// call.
func MachineID(path string, save func([]byte) error) (string, error) {
	text, err := os.ReadFile(path)
	if id := strings.TrimSpace(string(text)); err == nil && len(id) == 32 {
		return id, nil
	}
	random := make([]byte, 16)
	if _, err := rand.Read(random); err != nil {
		return "", fmt.Errorf("make machine id: %w", err)
	}
	id := hex.EncodeToString(random)
	if err := save([]byte(id + "\n")); err != nil {
		return "", fmt.Errorf("keep machine id: %w", err)
	}
	return id, nil
}
