package generate

import (
	"fmt"

	"github.com/ichor-os/ichor/config/document"
	"github.com/ichor-os/ichor/config/documents/network"
	"github.com/ichor-os/ichor/config/documents/registry"
	"github.com/ichor-os/ichor/config/documents/security"
	"github.com/ichor-os/ichor/config/scalar"
)

// furtherDocuments are the documents that follow the main one.
func (g *generator) furtherDocuments() ([]document.Document, error) {
	var further []document.Document
	if g.Contract.since(12) {
		for _, mirror := range g.Mirrors {
			made, err := mirrorDocument(mirror)
			if err != nil {
				return nil, err
			}
			further = append(further, made)
		}
		stable := network.AutoHostnameStable
		further = append(further, &network.HostnameConfig{Auto: &stable})
	}
	if g.Contract.since(13) && g.KubeSpan {
		further = append(further, &network.KubeSpanConfig{Enabled: yes()})
	}
	if g.ImagePolicy == ClosedImagePolicy {
		further = append(further, closedImagePolicy())
	}
	return further, nil
}

func mirrorDocument(mirror Mirror) (*registry.MirrorConfig, error) {
	made := &registry.MirrorConfig{DocName: mirror.Registry}
	for _, endpoint := range mirror.Endpoints {
		url, err := scalar.ParseURL(endpoint)
		if err != nil {
			return nil, fmt.Errorf("mirror of %s: %w", mirror.Registry, err)
		}
		made.Endpoints = append(made.Endpoints, registry.Endpoint{URL: scalar.WrittenURL{URL: url}})
	}
	return made, nil
}

// closedImagePolicy lets only images of the Kubernetes project run that carry
// its signature, besides what the system itself runs.
func closedImagePolicy() *security.ImageVerificationConfig {
	return &security.ImageVerificationConfig{Rules: []security.ImageRule{
		{Image: "registry.k8s.io/**", Keyless: &security.Keyless{
			Issuer:  "https://accounts.google.com",
			Subject: "krel-trust@k8s-releng-prod.iam.gserviceaccount.com",
		}},
		{Image: "*", Deny: yes()},
	}}
}
