package pki

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
)

// Algorithm is a kind of private key.
type Algorithm int

// The kinds of keys that are made here.
const (
	Ed25519 Algorithm = iota + 1
	ECDSAP256
	RSA4096
	// RSA2048 is what firmware can verify; use it for Secure Boot only.
	RSA2048
)

// PEM types of private keys.
const (
	pemEd25519 = "ED25519 PRIVATE KEY" // PKCS #8 inside
	pemECDSA   = "EC PRIVATE KEY"      // SEC 1
	pemRSA     = "RSA PRIVATE KEY"     // PKCS #1
	pemPKCS8   = "PRIVATE KEY"
)

func (a Algorithm) String() string {
	switch a {
	case Ed25519:
		return "Ed25519"
	case ECDSAP256:
		return "ECDSA P-256"
	case RSA4096:
		return "RSA 4096"
	case RSA2048:
		return "RSA 2048"
	default:
		return fmt.Sprintf("Algorithm(%d)", int(a))
	}
}

// GenerateKey makes a private key.
func GenerateKey(algorithm Algorithm) (crypto.Signer, error) {
	switch algorithm {
	case Ed25519:
		_, key, err := ed25519.GenerateKey(rand.Reader)
		return key, err
	case ECDSAP256:
		return ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	case RSA4096:
		return rsa.GenerateKey(rand.Reader, 4096)
	case RSA2048:
		return rsa.GenerateKey(rand.Reader, 2048)
	default:
		return nil, fmt.Errorf("generate key: unknown algorithm %v", algorithm)
	}
}

// EncodeKey writes a private key as PEM text.
func EncodeKey(key crypto.Signer) ([]byte, error) {
	block := &pem.Block{}
	var err error
	switch key := key.(type) {
	case ed25519.PrivateKey:
		block.Type = pemEd25519
		block.Bytes, err = x509.MarshalPKCS8PrivateKey(key)
	case *ecdsa.PrivateKey:
		block.Type = pemECDSA
		block.Bytes, err = x509.MarshalECPrivateKey(key)
	case *rsa.PrivateKey:
		block.Type = pemRSA
		block.Bytes = x509.MarshalPKCS1PrivateKey(key)
	default:
		return nil, fmt.Errorf("encode key: %T is not supported", key)
	}
	if err != nil {
		return nil, fmt.Errorf("encode key: %w", err)
	}
	return pem.EncodeToMemory(block), nil
}

// ParseKey reads the first private key of a PEM text. It accepts PKCS #1,
// PKCS #8 and SEC 1 under any of their PEM types, and skips blocks that other
// tools put in front (EC PARAMETERS, certificates).
func ParseKey(text []byte) (crypto.Signer, error) {
	for rest := text; ; {
		var block *pem.Block
		block, rest = pem.Decode(rest)
		if block == nil {
			return nil, fmt.Errorf("parse key: no PEM private key found in %d bytes", len(text))
		}
		if block.Headers["DEK-Info"] != "" || block.Type == "ENCRYPTED PRIVATE KEY" {
			return nil, errors.New("parse key: the key is encrypted; decrypt it first (openssl pkey)")
		}
		switch block.Type {
		case pemEd25519, pemECDSA, pemRSA, pemPKCS8:
			return parseKeyDER(block)
		}
	}
}

func parseKeyDER(block *pem.Block) (crypto.Signer, error) {
	if key, err := x509.ParsePKCS8PrivateKey(block.Bytes); err == nil {
		signer, ok := key.(crypto.Signer)
		if !ok {
			return nil, fmt.Errorf("parse key: %T cannot sign", key)
		}
		return signer, nil
	}
	if key, err := x509.ParsePKCS1PrivateKey(block.Bytes); err == nil {
		return key, nil
	}
	key, err := x509.ParseECPrivateKey(block.Bytes)
	if err != nil {
		return nil, fmt.Errorf("parse key: PEM block %q holds no PKCS #1, PKCS #8 or SEC 1 key", block.Type)
	}
	return key, nil
}

// samePublicKey reports whether two public keys are equal.
func samePublicKey(a, b crypto.PublicKey) bool {
	comparable, ok := a.(interface{ Equal(crypto.PublicKey) bool })
	return ok && comparable.Equal(b)
}
