package talosconfig

import (
	"encoding/base64"
	"errors"
	"fmt"

	"github.com/ichor-os/ichor/pki"
)

// NewContext makes a context from PEM texts.
func NewContext(endpoints []string, ca []byte, client pki.Pair) *Context {
	return &Context{
		Endpoints: endpoints,
		CA:        encode(ca),
		Crt:       encode(client.Crt),
		Key:       encode(client.Key),
	}
}

func encode(text []byte) string { return base64.StdEncoding.EncodeToString(text) }

// Credentials returns the authority's certificates and the client's pair as PEM
// text, each empty where the context has none.
func (c *Context) Credentials() (ca []byte, client pki.Pair, err error) {
	fields := []struct {
		name, text string
		into       *[]byte
	}{{"ca", c.CA, &ca}, {"crt", c.Crt, &client.Crt}, {"key", c.Key, &client.Key}}
	var faults []error
	for _, field := range fields {
		decoded, err := base64.StdEncoding.DecodeString(field.text)
		if err != nil {
			faults = append(faults, fmt.Errorf("%s: not base64", field.name))
			continue
		}
		*field.into = decoded
	}
	return ca, client, errors.Join(faults...)
}
