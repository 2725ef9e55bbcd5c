package cli_test

import (
	"os/exec"
	"strings"
	"testing"
)

// heavy lists packages that must not creep into talosctl, with the reason.
var heavy = map[string]string{
	"k8s.io/client-go/kubernetes":       "40 MB of binary and 30 MB of memory; use the dynamic client",
	"k8s.io/client-go/tools/clientcmd":  "6 MB of binary and milliseconds at every start; use pki/kubeconfig",
	"k8s.io/kubernetes":                 "the whole of Kubernetes",
	"github.com/spf13/cobra/doc":        "a Markdown parser for man pages; cli.Reference writes the pages",
	"github.com/containerd/containerd":  "a node's business",
	"github.com/ichor-os/ichor/node":    "a node's business",
	"github.com/ichor-os/ichor/factory": "a service of its own",
}

func TestImports_NothingHeavyIsLinked(t *testing.T) {
	output, err := exec.Command("go", "list", "-deps", "github.com/ichor-os/ichor/cmd/talosctl").Output()
	if err != nil {
		t.Fatalf("list dependencies: %v", err)
	}
	for _, name := range strings.Fields(string(output)) {
		for prefix, reason := range heavy {
			if name == prefix || strings.HasPrefix(name, prefix+"/") {
				t.Errorf("talosctl links %s: %s", name, reason)
			}
		}
	}
}
