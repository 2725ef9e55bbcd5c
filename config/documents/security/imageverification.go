package security

import (
	"regexp"
	"slices"
	"strings"

	"github.com/ichor-os/ichor/config/document"
	"github.com/ichor-os/ichor/config/documents/rules"
)

// ImageVerificationKind is the kind ImageVerificationConfig.
var ImageVerificationKind = &document.Kind{
	APIVersion: document.V1Alpha1, Kind: "ImageVerificationConfig", Since: "1.13",
	New: func() document.Document { return new(ImageVerificationConfig) },
	Doc: "Says which images may run and who must have signed them. The first rule that matches an image decides.",
	Example: `apiVersion: v1alpha1
kind: ImageVerificationConfig
rules:
  - image: registry.k8s.io/*
    keyless:
      issuer: https://accounts.example.com
      subject: release@example.com
  - image: '*'
    deny: true
`,
}

// ImageVerificationConfig is a signature policy.
type ImageVerificationConfig struct {
	Rules []ImageRule `yaml:"rules,omitempty" merge:"key=image,whole" doc:"Rules in the order they are tried."`
}

// ImageRule decides about the images that match it.
type ImageRule struct {
	Image     string     `yaml:"image,omitempty" doc:"Images that the rule is about: a repository with its registry, where * stands for a part of the path and ** for any rest."`
	Skip      *bool      `yaml:"skip,omitempty" doc:"Whether matching images run unsigned."`
	Deny      *bool      `yaml:"deny,omitempty" doc:"Whether matching images never run."`
	Keyless   *Keyless   `yaml:"keyless,omitempty" doc:"Identity that must have signed matching images."`
	PublicKey *PublicKey `yaml:"publicKey,omitempty" doc:"Key that must have signed matching images."`
}

// Keyless is an identity that an issuer vouched for when it signed.
type Keyless struct {
	Issuer       string `yaml:"issuer,omitempty" doc:"URL of the issuer that vouched for the signer."`
	Subject      string `yaml:"subject,omitempty" doc:"Name of the signer: an e-mail address or a URL."`
	SubjectRegex string `yaml:"subjectRegex,omitempty" doc:"Regular expression for the name of the signer, instead of subject."`
}

// PublicKey is a key that signs.
type PublicKey struct {
	Certificate string `yaml:"certificate,omitempty" doc:"Certificate or public key of the signer, in PEM."`
}

// Kind returns ImageVerificationKind.
func (c *ImageVerificationConfig) Kind() *document.Kind { return ImageVerificationKind }

// Name is empty: there is one such document.
func (c *ImageVerificationConfig) Name() string { return "" }

// Validate checks the document.
func (c *ImageVerificationConfig) Validate(v *document.Validation) {
	for i, r := range c.Rules {
		at := v.Item("rules", i)

		r.validate(at)

		earlier := func(q ImageRule) bool { return q.Image == "*" || q.Image == "**" || q.Image == r.Image }
		if slices.ContainsFunc(c.Rules[:i], earlier) {
			at.Advisef("image", "an earlier rule already decides about %s", r.Image)
		}
	}
}

func (r *ImageRule) validate(v *document.Validation) {
	if rules.Given(v, "image", r.Image) {
		r.warnPattern(v)
	}

	decisions := 0

	for _, made := range []bool{isTrue(r.Skip), isTrue(r.Deny), r.Keyless != nil, r.PublicKey != nil} {
		if made {
			decisions++
		}
	}

	switch {
	case decisions == 0:
		v.Errorf("", "rule decides nothing").Fix("add one of skip: true, deny: true, keyless or publicKey")
	case decisions > 1:
		v.Errorf("", "rule decides more than once").Fix("keep one of skip, deny, keyless and publicKey")
	}

	if k := r.Keyless; k != nil {
		k.validate(v.At("keyless"))
	}

	if r.PublicKey != nil {
		rules.Given(v, "publicKey.certificate", r.PublicKey.Certificate)
		rules.AdviseLifetimes(v, "publicKey.certificate", r.PublicKey.Certificate)
	}
}

func (k *Keyless) validate(v *document.Validation) {
	rules.Given(v, "issuer", k.Issuer)

	if k.Subject == "" && k.SubjectRegex == "" {
		v.Errorf("subject", "neither subject nor subjectRegex is given").Fix("name the signer")
	}

	if _, err := regexp.Compile(k.SubjectRegex); err != nil {
		v.Advisef("subjectRegex", "regular expression is not valid: %s", err)
	}
}

// warnPattern names patterns that match fewer images than they seem to.
func (r *ImageRule) warnPattern(v *document.Validation) {
	registry, rest, found := strings.Cut(r.Image, "/")

	switch {
	case strings.Contains(r.Image, "@"):
		v.Warnf("image", "pattern holds a digest: %s", r.Image).Fix("leave the digest out: rules match repositories")
	case strings.Contains(rest, ":"):
		v.Warnf("image", "pattern holds a tag: %s", r.Image).Fix("leave the tag out: rules match repositories")
	case !found && registry != "*":
		v.Warnf("image", "pattern has no registry: %s", r.Image).Fix("start it with the registry, such as docker.io/library/%s", registry)
	}
}

func isTrue(b *bool) bool { return b != nil && *b }
