package v1alpha1

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/ichor-os/ichor/config/document"
)

// Patterns of Kubernetes, compiled when they are needed.
var (
	labelName = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^[A-Za-z0-9]([A-Za-z0-9._-]{0,61}[A-Za-z0-9])?$`)
	})
	dnsSubdomain = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^[a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)*$`)
	})
)

// maxAnnotations is the size of all annotations of a node, in bytes.
const maxAnnotations = 256 << 10

var reservedAnnotations = []string{"talos.dev/owned-labels", "talos.dev/owned-annotations", "talos.dev/owned-taints"}

func validateLabels(v *document.Validation, m *MachineConfig) {
	for _, key := range slices.Sorted(maps.Keys(m.NodeLabels)) {
		path := document.Join("nodeLabels", key)

		if fault := labelKeyFault(key); fault != "" {
			v.Errorf(path, "%s", fault).Fix("write [dns-name/]name")
		}

		if value := m.NodeLabels[key]; value != "" && !labelName().MatchString(value) {
			v.Errorf(path, "not a label value: %q", value).Fix("up to 63 letters, digits, '.', '_' and '-', with a letter or digit at both ends")
		}
	}

	total := 0

	for _, key := range slices.Sorted(maps.Keys(m.NodeAnnotations)) {
		path := document.Join("nodeAnnotations", key)
		total += len(key) + len(m.NodeAnnotations[key])

		if fault := labelKeyFault(strings.ToLower(key)); fault != "" {
			v.Errorf(path, "%s", fault).Fix("write [dns-name/]name")
		}

		if slices.Contains(reservedAnnotations, key) {
			v.Errorf(path, "annotation is reserved for the system").Fix("remove it")
		}
	}

	if total > maxAnnotations {
		v.Errorf("nodeAnnotations", "annotations are too large: %d bytes: the limit is %d", total, maxAnnotations).Fix("keep large data elsewhere, in a ConfigMap say")
	}

	for _, key := range slices.Sorted(maps.Keys(m.NodeTaints)) {
		validateTaint(v, document.Join("nodeTaints", key), key, m.NodeTaints[key])
	}
}

func validateTaint(v *document.Validation, path, key, taint string) {
	value, effect, ok := strings.Cut(taint, ":")
	if !ok {
		value, effect = "", taint
	}

	if !slices.Contains([]string{"NoSchedule", "PreferNoSchedule", "NoExecute"}, effect) {
		v.Errorf(path, "unknown effect of a taint: %q", effect).Fix("write [value:]NoSchedule, PreferNoSchedule or NoExecute")
	}

	if fault := labelKeyFault(key); fault != "" {
		v.Advisef(path, "Kubernetes will refuse the taint: %s", fault).Fix("write [dns-name/]name")
	}

	if value != "" && !labelName().MatchString(value) {
		v.Advisef(path, "Kubernetes will refuse the taint: not a label value: %q", value).Fix("up to 63 letters, digits, '.', '_' and '-'")
	}
}

// labelKeyFault says what is wrong with a key of the form [prefix/]name.
func labelKeyFault(key string) string {
	prefix, name, ok := strings.Cut(key, "/")
	if !ok {
		prefix, name = "", key
	} else if len(prefix) > 253 || !dnsSubdomain().MatchString(prefix) {
		return fmt.Sprintf("prefix of a label key is not a DNS name: %q", prefix)
	}

	if !labelName().MatchString(name) {
		return fmt.Sprintf("name of a label key is not valid: %q: up to 63 letters, digits, '.', '_' and '-', with a letter or digit at both ends", name)
	}

	return ""
}
