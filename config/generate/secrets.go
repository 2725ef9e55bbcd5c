package generate

import (
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
