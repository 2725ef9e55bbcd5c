package explain_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/ichor-os/ichor/config/documents"
	"github.com/ichor-os/ichor/config/explain"
)

func TestFind(t *testing.T) {
	for path, want := range map[string]string{
		"machine":                                "section",
		"machine.kubelet.extraArgs":              "map of text to argument",
		"machine.network.interfaces.mtu":         "whole number",
		"machine.network.interfaces[0].mtu":      "whole number",
		"machine.registries.mirrors.*.endpoints": "list of texts",
		"LinkConfig":                             "document",
		"LinkConfig.mtu":                         "whole number",
		"linkconfig/mtu":                         "whole number",
	} {
		e, err := explain.Find(documents.Kinds(), path)
		if err != nil || e.Form != want || e.Doc == "" {
			t.Errorf("%s: got %+v, %v; want the form %q", path, e, err, want)
		}
	}

	for path, want := range map[string]string{
		"machine.kubelt": "did you mean kubelet?", "mashine": "did you mean machine?", "LinkConfg": "did you mean LinkConfig?", "": "key is empty",
		"machine.type.x": "no keys below",
	} {
		if _, err := explain.Find(documents.Kinds(), path); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want %q", path, err, want)
		}
	}
}

func TestComplete(t *testing.T) {
	for prefix, want := range map[string]string{
		"mach": "machine", "machine.kub": "machine.kubelet", "machine.kubelet.im": "machine.kubelet.image",
		"LinkC": "LinkConfig", "LinkConfig.m": "LinkConfig.mtu",
	} {
		if got := explain.Complete(documents.Kinds(), prefix); !slices.Contains(got, want) {
			t.Errorf("%s: got %v, want %s among them", prefix, got, want)
		}
	}

	if got := explain.Complete(documents.Kinds(), "machine.nothing"); len(got) > 0 {
		t.Errorf("got %v", got)
	}
}

func TestFind_EveryKeyHasWords(t *testing.T) {
	for _, k := range documents.Kinds() {
		var visit func(prefix string)

		visit = func(prefix string) {
			e, err := explain.Find(documents.Kinds(), prefix)
			if err != nil {
				t.Errorf("%s: %v", prefix, err)

				return
			}

			if strings.TrimSpace(e.Doc) == "" {
				t.Errorf("%s: has no words", prefix)
			}

			for _, key := range e.Keys {
				if !strings.HasPrefix(e.Form, "map") {
					visit(prefix + "." + key.Name)
				} else {
					visit(prefix + ".*." + key.Name)
				}
			}
		}

		visit(k.Kind)
	}
}
