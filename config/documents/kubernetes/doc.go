// Package kubernetes holds the config documents about Kubernetes on a node:
// one file a kind. The main document holds the same settings in one place; the
// documents came later.
package kubernetes

import (
	"maps"
	"slices"
	"strings"

	"github.com/ichor-os/ichor/config/document"
	"github.com/ichor-os/ichor/config/documents/rules"
	"github.com/ichor-os/ichor/config/documents/v1alpha1"
)

// Kinds lists the kinds of this domain.
func Kinds() []*document.Kind {
	return []*document.Kind{
		AdmissionControlKind, AggregatorCAKind, APIAccessKind, APIServerCAKind, APIServerKind, AuditPolicyKind,
		AuthenticationKind, AuthorizerKind, ClusterKind, ControllerManagerKind, CoreDNSKind, CredentialProviderKind,
		EtcdEncryptionKind, ExternalManifestKind, FlannelCNIKind, InlineManifestKind, KubeletKind, NetworkKind, NodeKind,
		PrismKind, ProxyKind, SchedulerKind, ServiceAccountKind, StaticPodKind,
	}
}

// CertificateAndKey is an authority's certificate with its key, in PEM.
type CertificateAndKey struct {
	Cert string `yaml:"cert,omitempty" doc:"Certificate, in PEM."`
	Key  string `yaml:"key,omitempty" secret:"true" doc:"Private key, in PEM."`
}

func validateAuthority(v *document.Validation, issuing *CertificateAndKey, accepted []string) {
	if issuing == nil && len(accepted) == 0 {
		v.Errorf("issuingCA", "no authority is given").Fix("add issuingCA or acceptedCAs")
	}

	if issuing != nil {
		at := v.At("issuingCA")

		if _, err := rules.Certificates(issuing.Cert); err != nil {
			at.Errorf("cert", "certificate cannot be read: %s", err).Fix("put the certificate here in PEM form")
		}

		rules.AdviseLifetimes(at, "cert", issuing.Cert)

		if issuing.Key != "" {
			rules.AdviseKeyPair(at, "key", issuing.Cert, issuing.Key)
		}
	}

	for i, text := range accepted {
		at := v.Item("acceptedCAs", i)

		if _, err := rules.Certificates(text); err != nil {
			at.Errorf("", "certificate cannot be read: %s", err).Fix("put the certificate here in PEM form")
		}

		rules.AdviseLifetimes(at, "", text)
	}
}

func validateResources(v *document.Validation, r *v1alpha1.ResourcesConfig) {
	if r == nil {
		return
	}

	for _, list := range []struct {
		key     string
		amounts document.Freeform
	}{{"requests", r.Requests}, {"limits", r.Limits}} {
		for _, name := range slices.Sorted(maps.Keys(list.amounts)) {
			if name != "cpu" && name != "memory" {
				v.At("resources").At(list.key).Errorf(name, "resource is not known: %q", name).Fix("use cpu and memory")
			}
		}
	}
}

// validateFlags demands that names of flags stand without dashes.
func validateFlags(v *document.Validation, args map[string]v1alpha1.Argument) {
	for _, name := range slices.Sorted(maps.Keys(args)) {
		if name == "" || strings.HasPrefix(name, "-") {
			v.At("extraArgs").Errorf(name, "name of a flag is not valid: %q", name).Fix("write it without leading dashes")
		}
	}
}

// validateFreeform demands that a configuration in Kubernetes' own form is there.
func validateFreeform(v *document.Validation, key string, configuration document.Freeform) {
	if len(configuration) == 0 {
		v.Errorf(key, "configuration is missing").Fix("add it, in Kubernetes' own form")
	}
}
