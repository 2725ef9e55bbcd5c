package discovery

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/hkdf"
	"crypto/rand"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"net/netip"

	"google.golang.org/protobuf/proto"

	ichorpb "github.com/ichor-os/ichor/api/ichor"
)

// largestRecord bounds a sealed record, in bytes; most is bounded by the names
// and addresses that a node may have.
const (
	largestRecord = 8 << 10
	mostAddresses = 64
	longestName   = 253
)

// A Seal encrypts the records of one cluster. Who does not know the cluster's
// secret can neither read nor make one.
type Seal struct{ aead cipher.AEAD }

// NewSeal makes the seal of a cluster from cluster.secret and cluster.id.
func NewSeal(secret []byte, clusterID string) (*Seal, error) {
	if len(secret) == 0 {
		return nil, errors.New("seal records: cluster.secret is empty")
	}
	key, err := hkdf.Key(sha256.New, secret, []byte(clusterID), "ichor discovery 1", 32)
	if err != nil {
		return nil, fmt.Errorf("seal records: %w", err)
	}
	block, err := aes.NewCipher(key)
	if err != nil {
		return nil, fmt.Errorf("seal records: %w", err)
	}
	aead, err := cipher.NewGCM(block)
	if err != nil {
		return nil, fmt.Errorf("seal records: %w", err)
	}
	return &Seal{aead: aead}, nil
}

// bound is what a sealed record says in the open and cannot be changed.
func bound(nodeID string, version uint64) []byte {
	return append(binary.BigEndian.AppendUint64(nil, version), nodeID...)
}

// Close makes a record of an affiliate.
func (s *Seal) Close(a *ichorpb.Affiliate, version uint64) ([]byte, error) {
	plain, err := proto.Marshal(a)
	if err != nil {
		return nil, fmt.Errorf("seal record: %w", err)
	}
	nonce := make([]byte, s.aead.NonceSize())
	if _, err := rand.Read(nonce); err != nil {
		return nil, fmt.Errorf("seal record: %w", err)
	}
	return s.aead.Seal(nonce, nonce, plain, bound(a.GetNodeId(), version)), nil
}

// Open reads a record. The error says what is wrong with it; a record of
// another cluster cannot be told from a forged one.
func (s *Seal) Open(r *ichorpb.Record) (*ichorpb.Affiliate, error) {
	if len(r.GetSealed()) > largestRecord || len(r.GetSealed()) < s.aead.NonceSize() || r.GetVersion() == 0 {
		return nil, fmt.Errorf("open record: %q: not of a possible size or version", r.GetNodeId())
	}
	nonce, sealed := r.GetSealed()[:s.aead.NonceSize()], r.GetSealed()[s.aead.NonceSize():]
	plain, err := s.aead.Open(nil, nonce, sealed, bound(r.GetNodeId(), r.GetVersion()))
	if err != nil {
		return nil, fmt.Errorf("open record: %q: made with another cluster.secret or cluster.id, or changed", r.GetNodeId())
	}
	a := &ichorpb.Affiliate{}
	if err := proto.Unmarshal(plain, a); err != nil {
		return nil, fmt.Errorf("open record: %q: %w", r.GetNodeId(), err)
	}
	return a, check(a, r.GetNodeId())
}

func check(a *ichorpb.Affiliate, nodeID string) error {
	switch {
	case a.GetNodeId() != nodeID || nodeID == "" || len(nodeID) > longestName:
		return fmt.Errorf("open record: %q: names node %q", nodeID, a.GetNodeId())
	case len(a.GetAddresses()) > mostAddresses:
		return fmt.Errorf("open record: %q: %d addresses, at most %d are possible", nodeID, len(a.GetAddresses()), mostAddresses)
	case len(a.GetHostname()) > longestName || len(a.GetNodename()) > longestName || len(a.GetOperatingSystem()) > longestName:
		return fmt.Errorf("open record: %q: name is too long", nodeID)
	}
	for _, address := range a.GetAddresses() {
		if _, err := netip.ParseAddr(address); err != nil {
			return fmt.Errorf("open record: %q: %w", nodeID, err)
		}
	}
	return nil
}
