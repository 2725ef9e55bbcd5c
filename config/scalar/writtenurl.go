package scalar

import (
	"go.yaml.in/yaml/v3"

	"github.com/ichor-os/ichor/config/document"
)

// WrittenURL is a URL of a key that is always written: as empty text when the
// URL is absent.
type WrittenURL struct{ URL }

// EncodeYAML writes the URL as net/url spells it.
func (u WrittenURL) EncodeYAML() *yaml.Node { return document.Text(u.String()) }

// Form names the form of the value for readers.
func (WrittenURL) Form() string { return "URL" }
