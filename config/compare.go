package config

import (
	"github.com/ichor-os/ichor/config/diff"
	"github.com/ichor-os/ichor/config/encode"
	"github.com/ichor-os/ichor/config/plan"
	"go.yaml.in/yaml/v3"
)

// Diff compares two configs by meaning; secrets are not part of the result.
func Diff(a, b *Config) []diff.Change { return diff.Documents(a.Documents(), b.Documents()) }

// Plan says what going from a to b takes.
func Plan(a, b *Config) *plan.Plan { return plan.Of(a.Documents(), b.Documents()) }

// Redact writes the config for people to look at: secrets are replaced by a mark.
func (c *Config) Redact() ([]byte, error) {
	var nodes []*yaml.Node
	for _, d := range c.Documents() {
		nodes = append(nodes, encode.Redacted(d))
	}

	return encode.Nodes(nodes...)
}
