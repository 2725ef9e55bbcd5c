package kubeconfig

import (
	"encoding/json"
	"errors"
	"fmt"

	"github.com/ichor-os/ichor/pki"
)

// Component is what the kubeconfig of one program on a node consists of; people
// get theirs from NewAdmin.
type Component struct {
	Server string // URL of the API server
	CA     []byte // PEM certificates of the Kubernetes authority
	User   string // name of the program in the file
	// Client is the program's certificate, or Token its bearer token.
	Client pki.Pair
	Token  string
}

// Encode writes the kubeconfig as JSON, which is YAML too.
func (c Component) Encode() ([]byte, error) {
	user := map[string]any{}
	switch {
	case len(c.Client.Crt) > 0 && len(c.Client.Key) > 0:
		user["client-certificate-data"], user["client-key-data"] = c.Client.Crt, c.Client.Key
	case c.Token != "":
		user["token"] = c.Token
	default:
		return nil, errors.New("write kubeconfig: neither a client certificate nor a token is given")
	}
	text, err := json.MarshalIndent(map[string]any{
		"apiVersion": "v1",
		"kind":       "Config",
		"clusters": []any{map[string]any{"name": "local", "cluster": map[string]any{
			"server": c.Server, "certificate-authority-data": c.CA,
		}}},
		"users":           []any{map[string]any{"name": c.User, "user": user}},
		"contexts":        []any{map[string]any{"name": "local", "context": map[string]any{"cluster": "local", "user": c.User}}},
		"current-context": "local",
	}, "", "  ")
	if err != nil {
		return nil, fmt.Errorf("write kubeconfig: %w", err)
	}
	return text, nil
}
