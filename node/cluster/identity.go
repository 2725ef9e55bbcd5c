package cluster

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"math/big"
	"os"

	"go.yaml.in/yaml/v3"

	"github.com/ichor-os/ichor/atomicfile"
	"github.com/ichor-os/ichor/node/cluster/spec"
)

// IdentityFile keeps the node's identity until the node is reset.
const IdentityFile = "/system/state/node-identity.yaml"

// Identity gives the node's identity, made and saved at the first call: 32
// random bytes in base 62.
func Identity(path string) (spec.IdentitySpec, error) {
	var identity spec.IdentitySpec
	text, err := os.ReadFile(path)
	switch {
	case err == nil:
		if err := yaml.Unmarshal(text, &identity); err != nil || identity.NodeID == "" {
			return identity, fmt.Errorf("read identity of node: %s: no nodeId in it: %w", path, err)
		}
		return identity, nil
	case !errors.Is(err, fs.ErrNotExist):
		return identity, fmt.Errorf("read identity of node: %w", err)
	}
	raw := make([]byte, 32)
	if _, err := rand.Read(raw); err != nil {
		return identity, fmt.Errorf("make identity of node: %w", err)
	}
	identity.NodeID = new(big.Int).SetBytes(raw).Text(62)
	if text, err = yaml.Marshal(identity); err != nil {
		return identity, fmt.Errorf("make identity of node: %w", err)
	}
	if err := atomicfile.Replace(path, text, 0o600); err != nil {
		return identity, fmt.Errorf("save identity of node: %w", err)
	}
	return identity, nil
}
