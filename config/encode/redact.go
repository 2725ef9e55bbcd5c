package encode

import (
	"regexp"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// Mark stands for a value that is not shown.
const Mark = "[redacted]"

var (
	// secretKey matches names of flags, variables and free-form keys whose values are likely secret.
	secretKey = regexp.MustCompile(`(?i)(passw|passphrase|secret|token|credential|private.?key|api.?key|access.?key)`)
	// secretManifest matches Kubernetes secrets in a text.
	secretManifest = regexp.MustCompile(`(?m)^[\s-]*["']?kind["']?\s*:\s*["']?Secret\b|"kind"\s*:\s*"Secret"`)
	// secretLine matches values of telling names in a text.
	secretLine = regexp.MustCompile(`(?im)^([ \t-]*["']?[\w.-]*(?:passw|passphrase|secret|token|credential|private.?key|api.?key|access.?key)[\w.-]*["']?[ \t]*[:=][ \t]*)\S.*$`)
	// userInfo matches the user part of a URL.
	userInfo = regexp.MustCompile(`://[^/@\s]+@`)
)

// privateKeyMarks are what private keys in PEM hold: plain, and in base64 at each of its three offsets.
var privateKeyMarks = []string{"PRIVATE KEY-----", "UFJJVkFURSBLRVkt", "BSSVZBVEUgS0VZL", "QUklWQVRFIEtFWS"}

// hide replaces every value below n, but for empty ones.
func hide(n *yaml.Node) {
	switch n.Kind {
	case yaml.ScalarNode:
		if n.Value != "" && n.Tag != "!!null" {
			*n = yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: Mark}
		}
	case yaml.SequenceNode:
		for _, item := range n.Content {
			hide(item)
		}
	case yaml.MappingNode:
		for i := 1; i < len(n.Content); i += 2 {
			hide(n.Content[i])
		}
	}
}

// hideParts hides what looks secret in a text, and leaves the rest.
func hideParts(text string) string {
	if strings.Contains(text, "@") {
		text = userInfo.ReplaceAllString(text, "://"+Mark+"@")
	}

	if strings.ContainsAny(text, ":=") {
		text = secretLine.ReplaceAllString(text, "${1}"+Mark)
	}

	return text
}

// LooksSecret tells whether the value of a key, flag or variable of this name is likely secret.
func LooksSecret(name string) bool { return secretKey.MatchString(name) }

// shown hides what looks secret in a value that no tag speaks of: user parts
// of URLs, private keys in PEM, and values of telling names in free-form mappings.
func (w writer) shown(n *yaml.Node) *yaml.Node {
	if !w.redact {
		return n
	}

	switch n.Kind {
	case yaml.ScalarNode:
		switch {
		case slices.ContainsFunc(privateKeyMarks, func(mark string) bool { return strings.Contains(n.Value, mark) }),
			secretManifest.MatchString(n.Value):
			hide(n)
		default:
			n.Value = hideParts(n.Value)
		}
	case yaml.SequenceNode:
		for _, item := range n.Content {
			w.shown(item)
		}
	case yaml.MappingNode:
		for i := 0; i+1 < len(n.Content); i += 2 {
			if secretKey.MatchString(n.Content[i].Value) {
				hide(n.Content[i+1])
			} else {
				w.shown(n.Content[i+1])
			}
		}
	}

	return n
}
