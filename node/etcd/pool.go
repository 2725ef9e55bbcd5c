package etcd

import (
	"crypto/x509"
	"errors"
	"maps"
	"slices"
)

func poolOf(ca []byte) (*x509.CertPool, error) {
	pool := x509.NewCertPool()
	if !pool.AppendCertsFromPEM(ca) {
		return nil, errors.New("load etcd CA: there is no certificate in it")
	}
	return pool, nil
}

func sorted(m map[string][]string) []string { return slices.Sorted(maps.Keys(m)) }
