// Package settings is what machined tells apid and trustd while they run: one
// JSON file each, replaced as a whole.
//
// A single file keeps certificate, key and authorities of one moment together.
// Save writes it by rename, so that a reader never sees half of it; Follow
// delivers each version, and keeps the last good one when a file is damaged.
// Nobody else speaks to the two processes about their configuration, and they
// write nothing.
package settings

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"net/netip"
	"os"
	"path/filepath"

	"github.com/ichor-os/ichor/pki"
)

// DefaultAPIPath and DefaultTrustPath are the files that machined writes, each
// readable by the user of its process alone.
const (
	DefaultAPIPath   = "/system/run/apid/apid.json"
	DefaultTrustPath = "/system/run/trustd/trustd.json"
)

// A Mode says what apid is for at the moment.
type Mode string

const (
	// Maintenance: no configuration yet. Callers need no certificate, and
	// may call the methods of access.Maintenance only.
	Maintenance Mode = "maintenance"
	// ControlPlane: callers need a certificate; calls for others are forwarded.
	ControlPlane Mode = "controlplane"
	// Worker: callers need a certificate; calls for others are refused.
	Worker Mode = "worker"
)

// API is what apid needs to know.
type API struct {
	Mode Mode `json:"mode"`
	// CA holds, as PEM, every authority whose certificates are accepted: the
	// machine CA and the acceptedCAs. Empty in maintenance.
	CA []byte `json:"ca,omitempty"`
	// Server is the identity towards callers. In maintenance it is signed by
	// itself.
	Server pki.Pair `json:"server"`
	// Client is the identity towards other nodes, with the role
	// os:impersonator. Only a control plane node has one.
	Client pki.Pair `json:"client,omitzero"`
	// Self holds the node's own names and addresses.
	Self []string `json:"self,omitempty"`
	// Members holds an address for each name that the cluster knows. What is
	// neither here nor an address is looked up by DNS.
	Members map[string]string `json:"members,omitempty"`
	// Allowed, if not empty, holds the sources that may connect. Whoever
	// writes it includes the loopback, if the node's own processes call in,
	// and the other control plane nodes.
	Allowed []netip.Prefix `json:"allowed,omitempty"`
}

// Validate tells what keeps apid from working with the settings.
func (a *API) Validate() error {
	switch a.Mode {
	case Maintenance:
	case ControlPlane, Worker:
		if len(a.CA) == 0 {
			return fmt.Errorf("mode %s: no ca", a.Mode)
		}
	default:
		return fmt.Errorf("unknown mode %q", a.Mode)
	}

	if a.Mode == ControlPlane && missing(a.Client) {
		return fmt.Errorf("mode %s: no client certificate", a.Mode)
	}

	if missing(a.Server) {
		return fmt.Errorf("mode %s: no server certificate", a.Mode)
	}

	return nil
}

func missing(pair pki.Pair) bool { return len(pair.Crt) == 0 || len(pair.Key) == 0 }

// Trust is what trustd needs to know.
type Trust struct {
	// Server is the identity towards nodes that ask for a certificate.
	Server pki.Pair `json:"server"`
	// Issuer is the machine CA with its key.
	Issuer pki.Pair `json:"issuer"`
	// CA holds, as PEM, every accepted authority. Nodes get it with their
	// certificate.
	CA []byte `json:"ca"`
	// Token is what a node must know: machine.token.
	Token string `json:"token"`
	// Taken holds the names and addresses that are not to be had: the control
	// plane endpoint and shared addresses. One list for each owner; an asker
	// whose own address is in a list may have what is in it, so the members
	// of the cluster stand here too, a list for each.
	Taken [][]string `json:"taken,omitempty"`
}

// LogValue hides everything.
func (Trust) LogValue() slog.Value { return slog.StringValue("(trustd settings)") }

// Validate tells what keeps trustd from working with the settings.
func (t *Trust) Validate() error {
	switch {
	case t.Token == "":
		return errors.New("no token")
	case missing(t.Server):
		return errors.New("no server certificate")
	case missing(t.Issuer):
		return errors.New("no issuer")
	case len(t.CA) == 0:
		return errors.New("no ca")
	}

	return nil
}

// A Document is a pointer to API or Trust.
type Document[T any] interface {
	*T
	Validate() error
}

// Load reads and validates a file. Unknown keys are an error, so that nothing
// the writer relies on is dropped silently.
func Load[T any, D Document[T]](path string) (D, error) {
	content, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("read settings: %w", err)
	}

	document := D(new(T))

	decoder := json.NewDecoder(bytes.NewReader(content))
	decoder.DisallowUnknownFields()

	if err := decoder.Decode(document); err != nil {
		return nil, fmt.Errorf("decode settings: %s: %w", path, err)
	}

	if err := document.Validate(); err != nil {
		return nil, fmt.Errorf("validate settings: %s: %w", path, err)
	}

	return document, nil
}

// Save writes a file that only uid may read. The file appears whole, and with
// its owner, or not at all.
func Save[T any, D Document[T]](path string, document D, uid int) (err error) {
	if err := document.Validate(); err != nil {
		return fmt.Errorf("validate settings: %s: %w", path, err)
	}

	content, err := json.Marshal(document)
	if err != nil {
		return fmt.Errorf("encode settings: %s: %w", path, err)
	}

	file, err := os.CreateTemp(filepath.Dir(path), ".settings-*")
	if err != nil {
		return fmt.Errorf("write settings: %w", err)
	}

	defer func() {
		if err != nil {
			err = errors.Join(fmt.Errorf("write settings: %w", err), ignoreMissing(os.Remove(file.Name())))
		}
	}()

	if err := errors.Join(fill(file, content, uid), file.Close()); err != nil {
		return err
	}

	return os.Rename(file.Name(), path)
}

func fill(file *os.File, content []byte, uid int) error {
	if _, err := file.Write(content); err != nil {
		return err
	}

	if uid != os.Geteuid() {
		if err := file.Chown(uid, -1); err != nil {
			return err
		}
	}

	return file.Sync()
}

func ignoreMissing(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}

	return err
}
