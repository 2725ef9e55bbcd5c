package plan_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ichor-os/ichor/config"
	"github.com/ichor-os/ichor/config/plan"
)

func planOf(t *testing.T, a, b string) *plan.Plan {
	t.Helper()

	x, err := config.Parse([]byte(a))
	if err != nil {
		t.Fatal(err)
	}

	y, err := config.Parse([]byte(b))
	if err != nil {
		t.Fatal(err)
	}

	return config.Plan(x, y)
}

func TestOf(t *testing.T) {
	for name, c := range map[string]struct {
		a, b     string
		reboot   bool
		cut      bool
		restarts []string
	}{
		"nothing":             {"machine: {type: worker}", "machine: {type: worker}", false, false, nil},
		"live":                {"machine: {type: worker}", "machine: {type: worker, nodeLabels: {a: b}}", false, false, nil},
		"reboot":              {"machine: {type: worker}", "machine: {type: controlplane}", true, false, nil},
		"service":             {"machine: {kubelet: {image: a}}", "machine: {kubelet: {image: b}}", false, false, []string{"kubelet"}},
		"several services":    {"cluster: {network: {serviceSubnets: [10.0.0.0/8]}}", "cluster: {network: {serviceSubnets: [10.96.0.0/12]}}", false, false, []string{"kube-apiserver", "kube-controller-manager"}},
		"cut":                 {"machine: {network: {interfaces: [{interface: a}]}}", "machine: {network: {interfaces: [{interface: a, mtu: 9000}]}}", false, true, nil},
		"item of a list":      {"machine: {type: worker}", "machine: {type: worker, acceptedCAs: [{crt: YQ==}]}", true, false, nil},
		"cut by new document": {"machine: {type: worker}", "machine: {type: worker}\n---\napiVersion: v1alpha1\nkind: LinkConfig\nname: a\nup: false\n", false, true, nil},
		"cut by lost section": {"machine: {network: {interfaces: [{interface: a}]}}", "machine: {}", false, true, nil},
	} {
		t.Run(name, func(t *testing.T) {
			p := planOf(t, c.a, c.b)

			if p.NeedsReboot() != c.reboot || p.MayCut() != c.cut {
				t.Errorf("reboot: got %v, want %v; cut: got %v, want %v", p.NeedsReboot(), c.reboot, p.MayCut(), c.cut)
			}

			if d := cmp.Diff(c.restarts, p.Restarts()); d != "" {
				t.Errorf("restarts (-want +got):\n%s", d)
			}
		})
	}
}

func TestWrite_SaysWhatHappens(t *testing.T) {
	var b strings.Builder

	p := planOf(t, "machine: {type: worker, kubelet: {image: a}}", "machine: {type: controlplane, kubelet: {image: b}, network: {hostname: x}}")
	if err := p.Write(&b); err != nil {
		t.Fatal(err)
	}

	for _, want := range []string{"needs a reboot:\n  v1alpha1.Config: machine.type", "restarts services:\n  v1alpha1.Config: machine.kubelet.image: changed (restarts kubelet", "may cut the node off"} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("%q is not in:\n%s", want, b.String())
		}
	}
}
