package kubeconfig

import (
	"crypto/tls"
	"crypto/x509"
	"encoding/base64"
	"errors"
	"fmt"
)

// TLS is what a client of the current context's API server needs. Only entries
// that hold their certificates themselves are understood, as those of NewAdmin.
func (c *Config) TLS() (*tls.Config, error) {
	cluster, context := c.currentCluster(), c.item("contexts", c.CurrentContext())
	if cluster == nil || context == nil {
		return nil, errors.New("read kubeconfig: it has no current context with a cluster")
	}
	user := c.item("users", value(context, "context", "user"))
	if user == nil {
		return nil, errors.New("read kubeconfig: the current context has no user")
	}
	texts := map[string][]byte{
		"certificate-authority-data": []byte(value(cluster, "cluster", "certificate-authority-data")),
		"client-certificate-data":    []byte(value(user, "user", "client-certificate-data")),
		"client-key-data":            []byte(value(user, "user", "client-key-data")),
	}
	for key, text := range texts {
		decoded, err := base64.StdEncoding.DecodeString(string(text))
		if err != nil || len(decoded) == 0 {
			return nil, fmt.Errorf("read kubeconfig: %s is missing or not base64", key)
		}
		texts[key] = decoded
	}
	pair, err := tls.X509KeyPair(texts["client-certificate-data"], texts["client-key-data"])
	if err != nil {
		return nil, fmt.Errorf("read kubeconfig: %w", err)
	}
	pool := x509.NewCertPool()
	if !pool.AppendCertsFromPEM(texts["certificate-authority-data"]) {
		return nil, errors.New("read kubeconfig: certificate-authority-data holds no certificate")
	}
	return &tls.Config{Certificates: []tls.Certificate{pair}, RootCAs: pool, MinVersion: tls.VersionTLS12}, nil
}
