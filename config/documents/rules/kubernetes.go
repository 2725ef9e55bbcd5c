package rules

import (
	"regexp"
	"strings"

	"github.com/ichor-os/ichor/config/document"
)

const (
	maxLabelName   = 63
	maxLabelPrefix = 253
)

var (
	labelName   = regexp.MustCompile(`^[A-Za-z0-9]([A-Za-z0-9._-]*[A-Za-z0-9])?$`)
	labelPrefix = regexp.MustCompile(`^[a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)*$`)
)

// LabelKey demands a key in the form of Kubernetes labels: [dns-subdomain/]name.
func LabelKey(v *document.Validation, key string) bool {
	prefix, name, found := strings.Cut(key, "/")
	if !found {
		prefix, name = "", key
	}

	valid := len(name) <= maxLabelName && labelName.MatchString(name) &&
		(!found || len(prefix) <= maxLabelPrefix && labelPrefix.MatchString(prefix))
	if !valid {
		v.Errorf(key, "key has not the form [domain/]name: %q", key).Fix("use at most %d letters, digits, dots, dashes and underscores", maxLabelName)
	}

	return valid
}

// LabelValue demands a value in the form of Kubernetes labels.
func LabelValue(v *document.Validation, key, value string) bool {
	if value == "" || len(value) <= maxLabelName && labelName.MatchString(value) {
		return true
	}

	v.Errorf(key, "value is not valid: %q", value).Fix("use at most %d letters, digits, dots, dashes and underscores", maxLabelName)

	return false
}

// Taint demands the form [value:]Effect.
func Taint(v *document.Validation, key, taint string) bool {
	value, effect, found := strings.Cut(taint, ":")
	if !found {
		value, effect = "", taint
	}

	switch effect {
	case "NoSchedule", "PreferNoSchedule", "NoExecute":
		return value == "" || LabelValue(v, key, value)
	}

	v.Errorf(key, "taint has no known effect: %q", taint).Fix("use [value:]NoSchedule, [value:]PreferNoSchedule or [value:]NoExecute")

	return false
}

var imagePattern = regexp.MustCompile(`^[a-z0-9A-Z][a-zA-Z0-9.-]*(:[0-9]+)?(/[a-z0-9]+([._-]+[a-z0-9]+)*)+(:[A-Za-z0-9_][A-Za-z0-9._-]*)?(@[a-z0-9]+:[0-9a-f]{32,})?$`)

// Image demands an image reference, and advises to name registry and version.
func Image(v *document.Validation, path, image string) bool {
	if !Given(v, path, image) {
		return false
	}

	AdviseImage(v, path, image)

	return true
}

// AdviseImage names image references that no registry can serve, or that may
// mean another image tomorrow.
func AdviseImage(v *document.Validation, path, image string) {
	last := image[strings.LastIndex(image, "/")+1:]

	switch {
	case !imagePattern.MatchString(image):
		v.Advisef(path, "image reference is not complete: %q", image).Fix("use the form registry/repository:version")
	case !strings.ContainsAny(last, ":@") || strings.HasSuffix(image, ":latest"):
		v.Advisef(path, "image reference has no version: %q", image).Fix("add a version or digest")
	}
}
