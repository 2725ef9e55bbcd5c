package spec

import (
	"time"
)

// ImageVerificationRuleSpec is the spec of [ImageVerificationRules].
type ImageVerificationRuleSpec struct {
	ImagePattern      string                      `yaml:"imagePattern,omitempty" protobuf:"2"`
	Skip              bool                        `yaml:"skip" protobuf:"3"`
	Deny              bool                        `yaml:"deny" protobuf:"4"`
	KeylessVerifier   *ImageKeylessVerifierSpec   `yaml:"keylessVerifier,omitempty" protobuf:"5"`
	PublicKeyVerifier *ImagePublicKeyVerifierSpec `yaml:"publicKeyVerifier,omitempty" protobuf:"6"`
}

// ImageKeylessVerifierSpec is a part of [ImageVerificationRuleSpec].
type ImageKeylessVerifierSpec struct {
	Issuer       string `yaml:"issuer" protobuf:"1"`
	Subject      string `yaml:"subject,omitempty" protobuf:"2"`
	SubjectRegex string `yaml:"subjectRegex,omitempty" protobuf:"3"`
}

// ImagePublicKeyVerifierSpec is a part of [ImageVerificationRuleSpec].
type ImagePublicKeyVerifierSpec struct {
	Certificate string `yaml:"certificate" protobuf:"1"`
}

// TUFTrustedRootSpec is the spec of [TUFTrustedRoots].
type TUFTrustedRootSpec struct {
	LastRefreshTime time.Time `yaml:"lastRefreshTime,omitempty" protobuf:"1"`
	JSONData        string    `yaml:"jsonData,omitempty" protobuf:"2"`
}
