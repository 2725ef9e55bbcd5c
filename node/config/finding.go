package config

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/ichor-os/ichor/api/applyconfig"
	"github.com/ichor-os/ichor/node/lifecycle/spec"
	"github.com/ichor-os/ichor/resource"
)

// The ids of diagnostics about configs.
const (
	damagedFinding  = "config-damaged"
	waitingFinding  = applyconfig.Unconfirmed
	revertedFinding = applyconfig.Reverted
)

// A finding is a diagnostic.
type finding struct {
	message string
	details []string
}

// find notes a diagnostic; show makes it seen.
func (k *Keeper) find(id string, f finding) {
	if k.findings == nil {
		k.findings = map[string]finding{}
	}
	k.findings[id] = f
}

func (k *Keeper) clear(ids ...string) {
	for _, id := range ids {
		delete(k.findings, id)
	}
}

// show puts the diagnostics that hold; a failure stops nothing.
func (k *Keeper) show() {
	ctx := k.ctx
	if ctx == nil {
		ctx = context.Background()
	}
	err := k.Engine.Commit(ctx, owner, func(s *resource.Session) error {
		putFindings(s, k.findings)
		return nil
	})
	if err != nil {
		k.Log.Error("diagnostics of the config are not shown", "error", err)
	}
}

// Show makes the diagnostics seen that Load found.
func (k *Keeper) Show() {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.show()
}

func putFindings(s *resource.Session, findings map[string]finding) {
	for _, id := range []string{damagedFinding, waitingFinding, revertedFinding} {
		f, holds := findings[id]
		_, shown := spec.Diagnostics.Get(s, id)
		switch {
		case holds:
			spec.Diagnostics.Put(s, id, spec.DiagnosticSpec{Message: f.message, Details: f.details})
		case shown:
			spec.Diagnostics.Delete(s, id)
		}
	}
}

const refusedMark = "# Refused at "

// putAside keeps a config that was refused, with the reason on top.
func (k *Keeper) putAside(text []byte, why string) {
	head := fmt.Sprintf("%s%s: %s\n", refusedMark, time.Now().UTC().Format(time.RFC3339), strings.ReplaceAll(why, "\n", " "))
	if err := k.Disk.Write(refusedFile, append([]byte(head), text...)); err != nil {
		k.Log.Error("refused config is not kept", "error", err)
	}
}

// readRefused shows after a start that a config had been taken back before.
func (k *Keeper) readRefused() {
	text, err := k.Disk.Read(refusedFile)
	if err != nil {
		return
	}
	head, _, _ := strings.Cut(string(text), "\n")
	why, ok := strings.CutPrefix(head, refusedMark)
	if !ok {
		return
	}
	k.find(revertedFinding, reverted(why))
}

func reverted(why string) finding {
	return finding{
		"a config was taken back: correct it and apply it again; what was refused is in " + Folder + "/" + refusedFile, []string{why},
	}
}

// forget takes away what was refused once a new config is good.
func (k *Keeper) forget() {
	k.clear(damagedFinding, revertedFinding)
	if err := k.Disk.Remove(refusedFile); err != nil {
		k.Log.Error("refused config is not removed", "error", err)
	}
}
