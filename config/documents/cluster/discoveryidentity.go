package cluster

import (
	"encoding/base64"

	"github.com/ichor-os/ichor/config/document"
	"github.com/ichor-os/ichor/config/documents/rules"
)

// DiscoveryIdentityKind is the kind DiscoveryIdentityConfig.
var DiscoveryIdentityKind = &document.Kind{
	APIVersion: document.V1Alpha1, Kind: "DiscoveryIdentityConfig", Since: "1.14",
	New: func() document.Document { return new(DiscoveryIdentityConfig) },
	Doc: "Tells which cluster the node belongs to when nodes look for each other.",
	Example: `apiVersion: v1alpha1
kind: DiscoveryIdentityConfig
clusterID: QUJDREVGR0hJSktMTU5PUFFSU1RVVldYWVoxMjM0NTY=
clusterSecret: MTIzNDU2Nzg5MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTI=
`,
}

// DiscoveryIdentityConfig is a cluster's identity.
type DiscoveryIdentityConfig struct {
	ClusterID     string `yaml:"clusterID" effect:"yes" change:"reboot" doc:"Identifier of the cluster, the same on all nodes: 32 random bytes in base64."`
	ClusterSecret string `yaml:"clusterSecret" effect:"yes" change:"reboot" secret:"true" doc:"Secret that records about nodes are encrypted with: 32 random bytes in base64."`
}

// Kind returns DiscoveryIdentityKind.
func (c *DiscoveryIdentityConfig) Kind() *document.Kind { return DiscoveryIdentityKind }

// Name is empty: there is one such document.
func (c *DiscoveryIdentityConfig) Name() string { return "" }

// Validate checks the document.
func (c *DiscoveryIdentityConfig) Validate(v *document.Validation) {
	rules.Given(v, "clusterID", c.ClusterID)

	if rules.Given(v, "clusterSecret", c.ClusterSecret) {
		if raw, err := base64.StdEncoding.DecodeString(c.ClusterSecret); err != nil || len(raw) != secretSize {
			v.Advisef("clusterSecret", "secret is not %d bytes in base64", secretSize)
		}
	}
}

const secretSize = 32
