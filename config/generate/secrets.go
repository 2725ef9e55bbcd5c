package generate

import (
	"cmp"
	"errors"
	"fmt"

	"github.com/ichor-os/ichor/config"
	"github.com/ichor-os/ichor/config/scalar"
	"github.com/ichor-os/ichor/pki"
	"github.com/ichor-os/ichor/pki/secrets"
)

// SecretsOptions says what the secrets of a new cluster of a contract are like.
func (c Contract) SecretsOptions() secrets.Options {
	options := secrets.Options{ServiceAccountKey: pki.RSA4096, Encryption: secrets.Secretbox}
	if !c.since(7) {
		options.ServiceAccountKey = pki.ECDSAP256
	}
	if !c.since(3) {
		options.Encryption = secrets.AESCBC
	}
	return options
}

// SecretsFromConfig takes the secrets of a cluster out of the config of one of
// its control plane machines.
func SecretsFromConfig(machineConfig *config.Config) (*secrets.Bundle, error) {
	main := machineConfig.Main()
	if main == nil || main.Machine == nil || main.Cluster == nil {
		return nil, errors.New("take secrets from config: it has no sections machine and cluster")
	}
	if role := main.Machine.Type; role != "controlplane" && role != "init" {
		return nil, fmt.Errorf("take secrets from config: it is that of a %s; only a control plane machine holds all secrets", cmp.Or(role, "worker"))
	}
	cluster := main.Cluster
	bundle := &secrets.Bundle{
		Cluster: secrets.Cluster{ID: cluster.ID, Secret: cluster.Secret},
		Secrets: secrets.Secrets{
			BootstrapToken:            cluster.Token,
			AESCBCEncryptionSecret:    cluster.AESCBCEncryptionSecret,
			SecretboxEncryptionSecret: cluster.SecretboxEncryptionSecret,
		},
		TrustdInfo: secrets.TrustdInfo{Token: main.Machine.Token},
		Certs: secrets.Certs{
			K8s:           pairOf(cluster.CA),
			K8sAggregator: pairOf(cluster.AggregatorCA),
			OS:            pairOf(main.Machine.CA),
		},
	}
	if cluster.Etcd != nil {
		bundle.Certs.Etcd = pairOf(cluster.Etcd.CA)
	}
	if cluster.ServiceAccount != nil {
		bundle.Certs.K8sServiceAccount.Key = secrets.PEM(cluster.ServiceAccount.Key)
	}
	if err := bundle.Check(); err != nil {
		return nil, fmt.Errorf("take secrets from config: %w", err)
	}
	return bundle, nil
}

func pairOf(pair *scalar.CertificateAndKey) pki.Pair {
	if pair == nil {
		return pki.Pair{}
	}
	return pki.Pair{Crt: pair.Crt, Key: pair.Key}
}
