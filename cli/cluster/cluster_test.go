//go:build linux

package cluster

import (
	"bytes"
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/ichor-os/ichor/localcluster"
	"github.com/ichor-os/ichor/localcluster/namespaces"
	"github.com/ichor-os/ichor/osimage/assets"
	"github.com/ichor-os/ichor/pki/kubeconfig"
	"github.com/ichor-os/ichor/pki/talosconfig"
)

// run runs `cluster` with an empty state folder and no assets.
func run(t *testing.T, args ...string) (stdout string, err error) {
	t.Helper()
	folder := t.TempDir()
	t.Setenv("XDG_CACHE_HOME", folder)
	t.Setenv("HOME", folder)
	t.Setenv("ICHOR_ASSETS", "")
	command := New(os.LookupEnv)
	var out, errs bytes.Buffer
	command.SetOut(&out)
	command.SetErr(&errs)
	command.SetArgs(append(args, "--state", filepath.Join(folder, "clusters")))
	err = command.Execute()
	return out.String(), err
}

func TestCreate_SaysWhyItCannot(t *testing.T) {
	for name, test := range map[string]struct {
		args []string
		want string
	}{
		"no assets":          {nil, assets.ErrNone.Error()},
		"disks":              {[]string{"--disk=5"}, noDisk},
		"switch":             {[]string{"--with-uefi"}, noMachine},
		"in the config":      {[]string{"--registry-mirror=a=b"}, "--config-patch"},
		"provisioner":        {[]string{"--provisioner", "docker"}, "other provisioners are not there"},
		"other command":      {[]string{"qemu", "--workers", "2"}, "leave 'qemu' out"},
		"network":            {[]string{"--cidr", "x"}, "--cidr"},
		"memory":             {[]string{"--memory", "much"}, "--memory"},
		"not waiting":        {[]string{"--wait=false"}, "--wait=false"},
		"number of nodes":    {[]string{"--nodes", "three"}, "CONTROLPLANES+WORKERS"},
		"no argument wanted": {[]string{"x"}, "unknown command"},
	} {
		t.Run(name, func(t *testing.T) {
			if _, err := run(t, append([]string{"create"}, test.args...)...); err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("got %v, want a part %q", err, test.want)
			}
		})
	}
}

func TestShow_TellsWhatToDoAboutAMissingCluster(t *testing.T) {
	if _, err := run(t, "show"); err == nil || !strings.Contains(err.Error(), "'cluster create' makes one") {
		t.Errorf("got %v", err)
	}
	if stdout, err := run(t, "list"); err != nil || stdout != "CLUSTER   NODES   RUNNING   NETWORK   KUBERNETES API\n" {
		t.Errorf("list = %q, %v", stdout, err)
	}
	if stdout, err := run(t, "destroy"); err != nil || !strings.Contains(stdout, "there is no cluster talos-default") {
		t.Errorf("destroy = %q, %v", stdout, err)
	}
}

func TestShape_ReadsBothNumbers(t *testing.T) {
	for text, want := range map[string]string{"3+1": "3+1", "1": "1+0", "1+0": "1+0"} {
		var s shape
		if err := s.Set(text); err != nil || s.String() != want {
			t.Errorf("%q = %s, %v; want %s", text, s.String(), err, want)
		}
	}
}

func TestProgress_PlainLinesWhereNobodyLooks(t *testing.T) {
	var out bytes.Buffer
	p := newProgress(&out)
	p.tell(localcluster.Event{Step: "nodes started", Since: 210 * time.Millisecond})
	p.tell(localcluster.Event{Node: "n1", Step: "ready", Since: 12*time.Second + 340*time.Millisecond})
	p.end()
	want := "  200ms  cluster                          nodes started\n  12.3s  n1                               ready\n"
	if diff := cmp.Diff(want, out.String()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestProgress_OneLinePerNodeOnATerminal(t *testing.T) {
	var out bytes.Buffer
	p := &progress{out: &out, terminal: true, steps: map[string]localcluster.Event{}}
	for _, step := range []string{"configured", "ready"} {
		p.tell(localcluster.Event{Node: "n1", Step: step})
	}
	if got := out.String(); strings.Count(got, "\x1b[1A") != 1 || strings.Count(got, "\n") != 2 {
		t.Errorf("drawn %q, want the second line over the first", got)
	}
}

func TestEntries_ComeAndGoWithTheCluster(t *testing.T) {
	folder := t.TempDir()
	env := map[string]string{"TALOSCONFIG": filepath.Join(folder, "talosconfig"), "KUBECONFIG": filepath.Join(folder, "kubeconfig")}
	l := &local{name: "c", env: func(name string) (string, bool) { value, ok := env[name]; return value, ok }}
	f := &createFlags{local: l}
	command := New(l.env)
	var out bytes.Buffer
	command.SetOut(&out)
	spec := namespaces.Spec{Name: "c", ID: "c.1", Nodes: []namespaces.Node{{Name: "n", Loopback: netip.MustParseAddr("127.70.0.2")}}}
	admin, err := kubeconfig.NewAdmin(kubeconfig.Admin{Cluster: "c", Server: serverOf(spec), CA: []byte("x")})
	if err != nil {
		t.Fatal(err)
	}
	text, err := admin.Encode()
	if err != nil {
		t.Fatal(err)
	}
	made := &localcluster.Cluster{Spec: spec, Kubeconfig: text, Talosconfig: &talosconfig.Config{
		Context: "c", Contexts: map[string]*talosconfig.Context{"c": {Endpoints: []string{"127.70.0.2"}}},
	}}
	for range 2 { // a second cluster of the name takes the place of the first
		if err := f.addTalosconfig(command, made); err != nil {
			t.Fatal(err)
		}
		if err := f.addKubeconfig(command, made); err != nil {
			t.Fatal(err)
		}
	}
	file, err := talosconfig.Open(env["TALOSCONFIG"])
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"c"}, file.Names()); diff != "" {
		t.Errorf("contexts (-want +got):\n%s", diff)
	}
	dropped, err := l.dropEntries(spec)
	if err != nil || len(dropped) != 2 {
		t.Errorf("dropped %q, %v; want one context of each file", dropped, err)
	}
	if dropped, err := l.dropEntries(spec); err != nil || len(dropped) != 0 {
		t.Errorf("a second time dropped %q, %v", dropped, err)
	}
}
