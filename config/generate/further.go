package generate

import (
	"bytes"
	"fmt"

	"go.yaml.in/yaml/v3"
)

// head opens every document but the main one.
type head struct {
	APIVersion string `yaml:"apiVersion"`
	Kind       string `yaml:"kind"`
}

type mirrorDocument struct {
	head      `yaml:",inline"`
	Name      string           `yaml:"name"`
	Endpoints []mirrorEndpoint `yaml:"endpoints"`
}

type mirrorEndpoint struct {
	URL string `yaml:"url"`
}

type hostnameDocument struct {
	head `yaml:",inline"`
	Auto string `yaml:"auto"`
}

type kubeSpanDocument struct {
	head    `yaml:",inline"`
	Enabled bool `yaml:"enabled"`
}

// furtherDocuments writes the documents that follow the main one, each with its
// separator in front. They are read like a user's, so that a fault in what a
// user gave (the URL of a mirror) is found by the same rules.
func (g *generator) furtherDocuments() ([]byte, error) {
	named := func(kind string) head { return head{APIVersion: "v1alpha1", Kind: kind} }
	var further []any
	if g.Contract.since(12) {
		for _, mirror := range g.Mirrors {
			made := mirrorDocument{head: named("RegistryMirrorConfig"), Name: mirror.Registry}
			for _, endpoint := range mirror.Endpoints {
				made.Endpoints = append(made.Endpoints, mirrorEndpoint{URL: endpoint})
			}
			further = append(further, made)
		}
		further = append(further, hostnameDocument{named("HostnameConfig"), "stable"})
	}
	if g.Contract.since(13) && g.KubeSpan {
		further = append(further, kubeSpanDocument{named("KubeSpanConfig"), true})
	}
	var text bytes.Buffer
	for _, made := range further {
		written, err := yaml.Marshal(made)
		if err != nil {
			return nil, fmt.Errorf("write document: %w", err)
		}
		text.WriteString("---\n")
		text.Write(written)
	}
	return text.Bytes(), nil
}
