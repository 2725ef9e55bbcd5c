package secrets

import (
	"crypto/rand"
	"encoding/base64"
	"errors"
	"fmt"
	"math/big"
	"path/filepath"
	"regexp"
	"time"

	"github.com/ichor-os/ichor/bounded"
	"github.com/ichor-os/ichor/pki"
)

// Encryption is how Kubernetes secrets are encrypted in etcd.
type Encryption int

// The ways of encryption.
const (
	Secretbox Encryption = iota
	AESCBC               // before contract 1.3
)

// Options say what a new bundle shall hold. The zero value is right for a new
// cluster.
type Options struct {
	Now               time.Time     // zero: now
	ServiceAccountKey pki.Algorithm // zero: RSA 4096
	Encryption        Encryption
	BootstrapToken    string // empty: a random one
}

const tokenAlphabet = "abcdefghijklmnopqrstuvwxyz0123456789"

var tokenShape = regexp.MustCompile(`^[a-z0-9]{6}\.[a-z0-9]{16}$`)

// Generate makes the secrets of a new cluster.
func Generate(options Options) (*Bundle, error) {
	bundle, err := generateTokens(options)
	if err != nil {
		return nil, err
	}
	for _, authority := range []struct {
		make func(time.Time) (*pki.Authority, error)
		pair *pki.Pair
	}{
		{pki.NewEtcdAuthority, &bundle.Certs.Etcd},
		{pki.NewKubernetesAuthority, &bundle.Certs.K8s},
		{pki.NewAggregatorAuthority, &bundle.Certs.K8sAggregator},
		{pki.NewMachineAuthority, &bundle.Certs.OS},
	} {
		made, err := authority.make(options.Now)
		if err != nil {
			return nil, err
		}
		if *authority.pair, err = made.Pair(); err != nil {
			return nil, err
		}
	}
	algorithm := options.ServiceAccountKey
	if algorithm == 0 {
		algorithm = pki.RSA4096
	}
	key, err := pki.GenerateKey(algorithm)
	if err != nil {
		return nil, err
	}
	if bundle.Certs.K8sServiceAccount.Key, err = pki.EncodeKey(key); err != nil {
		return nil, err
	}
	return bundle, nil
}

// FromKubernetesPKI makes a bundle that keeps the authorities of an existing
// cluster: folder is laid out as kubeadm does (/etc/kubernetes/pki) and holds
// ca, front-proxy-ca and etcd/ca, each as .crt and .key, and sa.key. What the
// folder does not hold is made new.
func FromKubernetesPKI(folder string, options Options) (*Bundle, error) {
	bundle, err := generateTokens(options)
	if err != nil {
		return nil, err
	}
	var faults []error
	for _, authority := range []struct {
		name string
		pair *pki.Pair
	}{
		{"ca", &bundle.Certs.K8s},
		{"front-proxy-ca", &bundle.Certs.K8sAggregator},
		{"etcd/ca", &bundle.Certs.Etcd},
	} {
		*authority.pair, err = readAuthority(filepath.Join(folder, filepath.FromSlash(authority.name)))
		faults = append(faults, err)
	}
	bundle.Certs.K8sServiceAccount.Key, err = readKey(filepath.Join(folder, "sa.key"))
	faults = append(faults, err)
	if err := errors.Join(faults...); err != nil {
		return nil, fmt.Errorf("read Kubernetes PKI folder: %w", err)
	}
	machine, err := pki.NewMachineAuthority(options.Now)
	if err != nil {
		return nil, err
	}
	if bundle.Certs.OS, err = machine.Pair(); err != nil {
		return nil, err
	}
	return bundle, nil
}

func readAuthority(base string) (pki.Pair, error) {
	crt, err := bounded.ReadFile(base + ".crt")
	if err != nil {
		return pki.Pair{}, err
	}
	key, err := bounded.ReadFile(base + ".key")
	if err != nil {
		return pki.Pair{}, err
	}
	authority, err := pki.LoadAuthority(pki.Pair{Crt: crt, Key: key})
	if err != nil {
		return pki.Pair{}, fmt.Errorf("%s: %w", base, err)
	}
	return authority.Pair()
}

func readKey(path string) (PEM, error) {
	text, err := bounded.ReadFile(path)
	if err != nil {
		return nil, err
	}
	key, err := pki.ParseKey(text)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return pki.EncodeKey(key)
}

func generateTokens(options Options) (*Bundle, error) {
	bundle := &Bundle{}
	bundle.Cluster.ID = base64.URLEncoding.EncodeToString(randomBytes())
	bundle.Cluster.Secret = base64.StdEncoding.EncodeToString(randomBytes())
	encryption := base64.StdEncoding.EncodeToString(randomBytes())
	switch options.Encryption {
	case Secretbox:
		bundle.Secrets.SecretboxEncryptionSecret = encryption
	case AESCBC:
		bundle.Secrets.AESCBCEncryptionSecret = encryption
	}
	bundle.Secrets.BootstrapToken = options.BootstrapToken
	var err error
	if bundle.Secrets.BootstrapToken == "" {
		if bundle.Secrets.BootstrapToken, err = randomToken(); err != nil {
			return nil, err
		}
	}
	if !tokenShape.MatchString(bundle.Secrets.BootstrapToken) {
		return nil, errors.New("the Kubernetes bootstrap token must be 6 characters, a dot and 16 characters of a-z and 0-9")
	}
	if bundle.TrustdInfo.Token, err = randomToken(); err != nil {
		return nil, err
	}
	return bundle, nil
}

func randomBytes() []byte {
	random := make([]byte, 32)
	_, _ = rand.Read(random) // documented never to fail
	return random
}

func randomToken() (string, error) {
	const id, secret = 6, 16
	token := make([]byte, 0, id+1+secret)
	for len(token) < cap(token) {
		if len(token) == id {
			token = append(token, '.')
			continue
		}
		index, err := rand.Int(rand.Reader, big.NewInt(int64(len(tokenAlphabet))))
		if err != nil {
			return "", fmt.Errorf("generate token: %w", err)
		}
		token = append(token, tokenAlphabet[index.Int64()])
	}
	return string(token), nil
}
