package node

import (
	"encoding/base64"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ichor-os/ichor/pki"
)

func TestChange_SetsWhatIsWantedAndTakesAwayItsOwnAlone(t *testing.T) {
	var have nodeObject
	have.Metadata.Labels = map[string]string{"team": "red", "old": "x", "theirs": "y"}
	have.Metadata.Annotations = map[string]string{ownedLabels: `["old","team"]`, ownedTaints: `["gone"]`}
	have.Spec.Taints = []taint{{Key: "gone", Effect: "NoSchedule"}, {Key: "theirs", Effect: "NoExecute"}}
	w := wanted{labels: map[string]string{"team": "blue"}, taints: []taint{{Key: "new", Effect: "NoSchedule"}}}
	want := map[string]any{
		"metadata": map[string]any{
			"labels":      map[string]any{"team": "blue", "old": nil},
			"annotations": map[string]any{ownedLabels: `["team"]`, ownedTaints: `["new"]`},
		},
		"spec": map[string]any{"taints": []taint{{Key: "theirs", Effect: "NoExecute"}, {Key: "new", Effect: "NoSchedule"}}},
	}
	if diff := cmp.Diff(want, w.change(have, true)); diff != "" {
		t.Errorf("change (-want +got):\n%s", diff)
	}
	spec, _ := w.change(have, false)["spec"].(map[string]any)
	if spec != nil {
		t.Errorf("a node without all rights changes %v", spec)
	}
}

func TestChange_OfANodeThatIsAsWantedIsNone(t *testing.T) {
	var have nodeObject
	have.Metadata.Labels = map[string]string{"team": "red"}
	have.Metadata.Annotations = map[string]string{ownedLabels: `["team"]`}
	have.Spec.Unschedulable = true // somebody's cordon stays
	if change := (wanted{labels: map[string]string{"team": "red"}}).change(have, true); change != nil {
		t.Errorf("change = %v", change)
	}
}

func TestCheck_ApprovesANodesOwnServingCertificateAlone(t *testing.T) {
	request := func(user string, names ...string) string {
		key, err := pki.GenerateKey(pki.ECDSAP256)
		if err != nil {
			t.Fatal(err)
		}
		text, err := pki.NewRequest(key, pki.Template{CommonName: user, Organizations: []string{"system:nodes"}, Names: names})
		if err != nil {
			t.Fatal(err)
		}
		return base64.StdEncoding.EncodeToString(text)
	}
	good := func() requestSpec {
		return requestSpec{
			Username: "system:node:n1", Groups: []string{"system:nodes", "system:authenticated"},
			Usages: []string{"digital signature", "server auth"}, Request: request("system:node:n1", "n1", "10.5.0.3"),
		}
	}
	for name, test := range map[string]struct {
		change func(*requestSpec)
		says   string
	}{
		"its own":           {func(*requestSpec) {}, ""},
		"another's address": {func(r *requestSpec) { r.Request = request("system:node:n1", "10.5.0.2") }, "10.5.0.2"},
		"another name":      {func(r *requestSpec) { r.Request = request("system:node:n1", "kubernetes") }, "kubernetes"},
		"another subject":   {func(r *requestSpec) { r.Request = request("system:node:n2", "n1") }, "subject"},
		"client use":        {func(r *requestSpec) { r.Usages = []string{"client auth"} }, "client auth"},
		"no node":           {func(r *requestSpec) { r.Username = "jane" }, "no node"},
		"not in the group":  {func(r *requestSpec) { r.Groups = nil }, "no node"},
		"no name":           {func(r *requestSpec) { r.Request = request("system:node:n1") }, "no name"},
	} {
		r := good()
		test.change(&r)
		err := check(r, "n1", []string{"10.5.0.3", "n1"})
		if (err == nil) != (test.says == "") || err != nil && !strings.Contains(err.Error(), test.says) {
			t.Errorf("%s: error = %v, want %q", name, err, test.says)
		}
	}
}
