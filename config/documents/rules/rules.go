// Package rules holds the validation rules that several kinds of documents
// share. Each function reports at most one fault, at the path it is given, and
// tells whether the value passed.
package rules

import (
	"net/netip"
	"slices"
	"strings"
	"time"

	"github.com/ichor-os/ichor/config/cel"
	"github.com/ichor-os/ichor/config/document"
	"github.com/ichor-os/ichor/config/scalar"
)

// NameGiven demands a name.
func NameGiven(v *document.Validation, name string) bool {
	if name != "" {
		return true
	}

	v.Errorf("name", "name is missing").Fix("add the key name")

	return false
}

// AddressName demands a name that is an IP address.
func AddressName(v *document.Validation, name string) bool {
	if !NameGiven(v, name) {
		return false
	}

	if _, err := netip.ParseAddr(name); err != nil {
		v.Errorf("name", "name is no IP address: %q", name).Fix("name the document after the address, without prefix length")

		return false
	}

	return true
}

// Given demands that text is not empty.
func Given(v *document.Validation, path, text string) bool {
	if text != "" {
		return true
	}

	v.Errorf(path, "value is missing").Fix("add the key %s", path)

	return false
}

// NotNegative refuses durations below zero.
func NotNegative(v *document.Validation, path string, d time.Duration) bool {
	if d >= 0 {
		return true
	}

	v.Errorf(path, "duration is negative: %s", d).Fix("use 0 or more")

	return false
}

// Expression demands a CEL expression that compiles in its environment.
func Expression(v *document.Validation, path string, env *cel.Environment, expression scalar.Expression) bool {
	err := cel.Check(env, string(expression))
	if err == nil {
		return true
	}

	v.Errorf(path, "%s: %s", env, err).Fix("write a CEL expression over the variables of a %s", env)

	return false
}

// URL demands a URL with a host and one of the schemes.
func URL(v *document.Validation, path string, u scalar.URL, schemes ...string) bool {
	switch {
	case u.String() == "":
		v.Errorf(path, "URL is missing").Fix("add the key %s", path)
	case !slices.Contains(schemes, u.Scheme):
		v.Errorf(path, "scheme is not supported: %q", u.Scheme).Fix("use %s", strings.Join(schemes, " or "))
	case u.Hostname() == "":
		v.Errorf(path, "URL has no host").Fix("add the host")
	default:
		return true
	}

	return false
}
