package validate

import (
	"github.com/ichor-os/ichor/config/document"
)

// advise runs the rules that go beyond those that all clients share.
func advise(v *document.Validation, docs []document.Document) {
	for _, d := range docs {
		notInForce(v.For(d), d)
	}
}
