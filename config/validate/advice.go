package validate

import (
	"github.com/ichor-os/ichor/config/document"
	"github.com/ichor-os/ichor/config/documents/v1alpha1"
)

// advise runs the rules that go beyond those that all clients share.
func advise(v *document.Validation, docs []document.Document) {
	for _, d := range docs {
		dv := v.For(d)

		if c, ok := d.(*v1alpha1.Config); ok {
			adviseMain(dv, c)
		}

		notInForce(dv, d)
	}

	adviseTogether(v, docs)
}

func adviseMain(v *document.Validation, c *v1alpha1.Config) {
	if c.Machine == nil || c.Cluster == nil {
		return
	}

	adviseSubnets(v, c)
	advisePorts(v, c)
	adviseImages(v, c)
	adviseVersions(v, c)
	adviseArguments(v, c)
	adviseKeys(v, c)
}
