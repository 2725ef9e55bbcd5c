package cli_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ichor-os/ichor/cli"
)

// edit runs `edit mc` with an editor that is a shell script on $1.
func (n *fakeNode) edit(t *testing.T, script string, args ...string) (exit int, stdout, stderr string) {
	t.Helper()
	folder := t.TempDir()
	editor := filepath.Join(folder, "editor")
	if err := os.WriteFile(editor, []byte("#!/bin/sh\n"+script+"\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	var out, errs bytes.Buffer
	exit = cli.Run(append([]string{"edit", "mc"}, args...), strings.NewReader(""), &out, &errs,
		[]string{"HOME=" + folder, "TALOSCONFIG=" + n.talosconfig, "EDITOR=" + editor})
	return exit, out.String(), errs.String()
}

// taken are the configs that were sent to be put in force, not to look what that
// takes.
func (n *fakeNode) taken() []string {
	var texts []string
	for _, request := range n.applied {
		if !request.GetDryRun() {
			texts = append(texts, string(request.GetData()))
		}
	}
	return texts
}

func TestEdit_AppliesToOneNodeAfterTheOther(t *testing.T) {
	n := startFake(t, goodNode)
	exit, stdout, stderr := n.edit(t, `sed -i s/worker/controlplane/ "$1"`, "-n", "10.0.0.9,10.0.0.2,10.0.0.3")
	if exit != 1 || !strings.Contains(stderr, "10.0.0.9: ") || len(n.taken()) != 2 {
		t.Errorf("exit %d, %d configs applied, %s", exit, len(n.taken()), stderr)
	}
	for _, part := range []string{"10.0.0.2: WARNING", "10.0.0.3: WARNING"} {
		if !strings.Contains(stdout, part) {
			t.Errorf("output lacks %q:\n%s", part, stdout)
		}
	}
	for _, text := range n.taken() {
		if !strings.Contains(text, "type: controlplane") {
			t.Errorf("applied:\n%s", text)
		}
	}
}

func TestEdit_OpensAgainWithTheReasonOfARefusal(t *testing.T) {
	n := startFake(t, goodNode)
	// The first time it writes nonsense; when it sees the reason it corrects that.
	exit, _, stderr := n.edit(t, `if grep -q "^# refused: .*nonsense" "$1"; then sed -i "s/type: nonsense/type: controlplane/" "$1"; else sed -i s/worker/nonsense/ "$1"; fi`)
	if exit != 0 || len(n.taken()) != 1 {
		t.Fatalf("exit %d, %d configs taken, %s", exit, len(n.taken()), stderr)
	}
	if got := n.taken()[0]; !strings.Contains(got, "type: controlplane") || strings.Contains(got, "refused") {
		t.Errorf("applied:\n%s", got)
	}
}

func TestEdit_KeepsWhatWasTyped(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	n := startFake(t, goodNode)
	exit, _, stderr := n.edit(t, `sed -i s/worker/nonsense/ "$1"`)
	if exit != 1 || !strings.Contains(stderr, "what you wrote is in "+os.Getenv("TMPDIR")) || len(n.taken()) != 0 {
		t.Errorf("exit %d, %d configs taken, %s", exit, len(n.taken()), stderr)
	}
	if exit, stdout, _ := n.edit(t, "true"); exit != 0 || !strings.Contains(stdout, "nothing changes") {
		t.Errorf("without a change: exit %d, %s", exit, stdout)
	}
}
