// Package diagnostic tells an operator what is wrong with a node, and what to do
// about it.
//
// Each check is a reconciler that puts a [Finding] for as long as it sees
// something wrong. ReconcileDiagnostics shows those that last as Diagnostic
// resources: what heals by itself within a finding's grace is never shown, what
// was mended goes at once. Reports come from where there are no resources: from
// the engine itself. A config that is refused or taken back is told by
// node/config, which knows why.
//
// The package mends nothing.
package diagnostic

import (
	"context"
	"time"

	lifecyclespec "github.com/ichor-os/ichor/node/lifecycle/spec"
	"github.com/ichor-os/ichor/resource"
)

// Finding is something wrong that a check sees. Its id is the diagnostic's.
type Finding struct {
	// Message says what is wrong and what to do, in a line.
	Message string   `yaml:"message" protobuf:"1"`
	Details []string `yaml:"details,omitempty" protobuf:"2"`
	// Grace is how long it has to last before anybody is told.
	Grace time.Duration `yaml:"grace" protobuf:"3"`
}

// The graces of findings: what changes by itself all the time, and what does not.
const (
	passing = time.Minute
	lasting = 5 * time.Second
)

// findings are what the checks see.
var findings = resource.Define[Finding]("Findings.ichor.dev",
	resource.Namespace("runtime"), resource.DisplayType("Finding"), resource.Columns(
		resource.Column{Name: "Message", Path: "{.message}"},
		resource.Column{Name: "Grace", Path: "{.grace}"},
	))

// Kinds are those of this package's own.
func Kinds() []resource.AnyKind {
	return []resource.AnyKind{findings, volumes, certificates}
}

// ReconcileDiagnostics shows the findings that last.
func ReconcileDiagnostics(_ context.Context, s *resource.Session) error {
	wait := time.Duration(0)
	for _, f := range findings.List(s) {
		left := f.Spec.Grace - s.Now().Sub(f.Created)
		if left > 0 {
			if wait == 0 || left < wait {
				wait = left
			}
			continue
		}
		lifecyclespec.Diagnostics.Put(s, f.ID, lifecyclespec.DiagnosticSpec{Message: f.Spec.Message, Details: f.Spec.Details})
	}
	if wait > 0 {
		s.WakeAfter(wait)
	}
	return nil
}

// Blocks are the checks, and what shows their findings.
func Blocks(reports *Reports) []resource.Block {
	return []resource.Block{
		resource.Reconciler("diagnostics", ReconcileDiagnostics),
		resource.Reconciler("diagnostic-time", checkTime),
		resource.Reconciler("diagnostic-network", checkNetwork),
		resource.Reconciler("diagnostic-subnets", checkSubnets),
		resource.Reconciler("diagnostic-kernel", checkKernel),
		resource.Reconciler("diagnostic-files", checkFiles),
		resource.Reconciler("diagnostic-config", checkConfig),
		resource.Reconciler("diagnostic-nodename", checkNodename),
		resource.Reconciler("diagnostic-certificates", checkCertificates),
		resource.Reconciler("diagnostic-volumes", checkVolumes),
		resource.Reconciler("diagnostic-reports", reports.reconcile),
		volumeSource(Folders),
		certificateSource(CertificateFolders),
	}
}
