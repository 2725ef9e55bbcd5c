package spec

import (
	"bytes"
	"fmt"
	"sync"

	"github.com/ichor-os/ichor/config"
	"github.com/ichor-os/ichor/resource"
)

// Config gives the config in force as reconcilers read it: the answer counts as
// read, so that a run starts again when the config changes. It is false while
// the node has none. What it gives is shared and must not be changed.
func Config(s *resource.Session) (*config.Config, bool, error) {
	active, ok := MachineConfigs.Get(s, Active)
	if !ok {
		return nil, false, nil
	}
	c, err := parsed.of(active.Documents)
	if err != nil {
		return nil, false, fmt.Errorf("read config in force: %w", err)
	}
	return c, true, nil
}

// parsed keeps what was parsed last: every reconciler asks for the same text.
var parsed cache

type cache struct {
	mu     sync.Mutex
	text   []byte
	config *config.Config
}

func (p *cache) of(text []byte) (*config.Config, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.config != nil && bytes.Equal(p.text, text) {
		return p.config, nil
	}
	c, err := config.Parse(text)
	if err != nil {
		return nil, err
	}
	p.text, p.config = bytes.Clone(text), c
	return c, nil
}
