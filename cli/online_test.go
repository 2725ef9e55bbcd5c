package cli_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.yaml.in/yaml/v3"

	"github.com/ichor-os/ichor/api/applyconfig"
	machinepb "github.com/ichor-os/ichor/api/machine"
	"github.com/ichor-os/ichor/pki/talosconfig"
)

func TestOnline_Tables(t *testing.T) {
	for _, test := range []struct {
		name string
		args []string
		want string
	}{
		{"services", []string{"services"}, `
NODE       SERVICE   STATE     HEALTH   LAST CHANGE   LAST EVENT
10.0.0.2   etcd      Running   OK       -
10.0.0.2   kubelet   Waiting   ?        -
`},
		{"one service", []string{"service", "etcd"}, `
NODE     10.0.0.2
ID       etcd
STATE    Running
HEALTH   OK
`},
		{"stop", []string{"service", "etcd", "stop"}, "\n10.0.0.2: etcd stopped\n"},
		{"etcd members", []string{"etcd", "members"}, `
NODE       ID                 HOSTNAME   PEER URLS               CLIENT URLS             LEARNER
10.0.0.2   00000000000000ff   one        https://10.0.0.2:2380   https://10.0.0.2:2379   false
`},
		{"columns of the node's definition", []string{"get", "members"}, `
NODE       NAMESPACE   TYPE     ID    VERSION   HOSTNAME   ADDRESSES                GONE
10.0.0.2   cluster     Member   one   1         one        ["10.0.0.2"]
10.0.0.2   cluster     Member   two   1         two        ["10.0.0.3","fd00::3"]
`},
		{"one resource by alias", []string{"get", "Member", "two", "-o", "jsonpath={.spec.addresses[1]}"}, "\nfd00::3\n"},
		{"log", []string{"logs", "etcd"}, "\nfirst line\nsecond line\n"},
		{"log of several nodes", []string{"logs", "etcd", "-n", "a,b"}, "\na: first line\na: second line\nb: first line\nb: second line\n"},
		{"disks", []string{"disks"}, `
NODE       DEV        MODEL   SERIAL   TYPE   UUID   WWID   MODALIAS   NAME   SIZE    BUS PATH   SUBSYSTEM   READ ONLY   SYSTEM DISK
10.0.0.2   /dev/sda   -       -        SSD    -      -      -          -      10 GB   -          -           true        false
`},
		{"wipe", []string{"wipe", "disk", "/dev/sda", "--method", "zeroes"}, "\n10.0.0.2: wiped /dev/sda\n"},
		{"connections", []string{"ss", "-l", "-t", "-6", "-p", "-o"}, `
NODE       PROTO   RECV-Q   SEND-Q   LOCAL ADDRESS   FOREIGN ADDRESS   STATE    PID/PROGRAM   TIMER
10.0.0.2   tcp6    0        0        [::]:6443       [::]:*            LISTEN   7/api         off (0/0/0)
`},
		{"file", []string{"read", "/etc/hostname"}, "\ncontent of /etc/hostname\n"},
		{"version", []string{"version", "--short"}, "\nClient v1.13.9\n10.0.0.2 v1.13.9\n"},
		{"apply", []string{"apply", "-f", "config.yaml", "-m", "no-reboot"}, "\n10.0.0.2: plan\n  fakes a change\n10.0.0.2: WARNING: a key is old\nApplied without a reboot.\n"},
		{"patch that changes nothing", []string{"patch", "mc", "-p", "machine: {type: worker}"}, "\n10.0.0.2: nothing changes\n"},
	} {
		t.Run(test.name, func(t *testing.T) {
			n := startFake(t, goodNode)
			inTempFolder(t, map[string]string{"config.yaml": "version: v1alpha1\n"})
			exit, stdout, stderr := n.run(t, test.args...)
			if diff := cmp.Diff(test.want[1:], stdout); diff != "" || exit != 0 {
				t.Errorf("exit %d, standard error %q, output (-want +got):\n%s", exit, stderr, diff)
			}
		})
	}
}

func TestOnline_VersionInEveryForm(t *testing.T) {
	for format, want := range map[string]string{
		"table": "\n10.0.0.2   v1.13.9",
		"json":  `"node": "10.0.0.2"`,
		"yaml":  "\nnodes:\n    - node: 10.0.0.2\n",
	} {
		exit, stdout, stderr := startFake(t, goodNode).run(t, "version", "-o", format)
		if exit != 0 || !strings.Contains(stdout, want) || !strings.Contains(stdout, "client") {
			t.Errorf("%s: exit %d, standard error %q, output:\n%s", format, exit, stderr, stdout)
		}
	}
}

func TestOnline_AFailedNodeHidesNoAnswer(t *testing.T) {
	for name, args := range map[string][]string{
		"merged call":      {"services"},
		"call of each":     {"get", "members"},
		"change":           {"service", "etcd", "stop"},
		"merged stream":    {"logs", "etcd"},
		"version":          {"version"},
		"the other format": {"services", "-o", "json"},
	} {
		t.Run(name, func(t *testing.T) {
			n := startFake(t, goodNode, deadNode)
			exit, stdout, stderr := n.run(t, args...)
			if exit != 1 {
				t.Errorf("exit %d, want 1", exit)
			}
			if !strings.Contains(stdout, goodNode) {
				t.Errorf("the answer of %s is missing:\n%s", goodNode, stdout)
			}
			if !strings.Contains(stderr, deadNode+": ") || !strings.Contains(stderr, "no route to host") {
				t.Errorf("standard error %q does not say what is wrong with %s", stderr, deadNode)
			}
		})
	}
}

func TestOnline_Errors(t *testing.T) {
	n := startFake(t, goodNode)
	inTempFolder(t, map[string]string{"bad.yaml": "nonsense: true\n"})
	for _, test := range []struct {
		name string
		args []string
		want string
	}{
		{"unknown type", []string{"get", "mem"}, `resource type "mem" is not known (there are member)`},
		{"ambiguous type", []string{"get", "ms"}, "say which of Members.cluster.talos.dev, MountStatuses.runtime.talos.dev"},
		{"missing resource", []string{"get", "members", "x"}, "members.cluster.talos.dev x is not there"},
		{"unknown format", []string{"get", "members", "-o", "xml"}, "jsonpath=TEMPLATE"},
		{"unknown service", []string{"service", "x"}, "there is no such service"},
		{"unknown verb", []string{"service", "etcd", "fly"}, "status, start, stop or restart"},
		{"not served", []string{"dmesg"}, "the node does not serve this"},
		{"one node only", []string{"read", "/x", "-n", "a,b"}, "this asks one node, not 2"},
		{"no such context", []string{"services", "--context", "x"}, `"x"`},
		{"insecure without a node", []string{"apply", "-i", "-f", "bad.yaml"}, "name the node with --nodes"},
		{"insecure to a node with config", []string{"version", "-i", "-n", n.address}, "it has a configuration already"},
		{"rejected config", []string{"apply", "-f", "bad.yaml"}, "config is not valid: nonsense"},
		{"no file", []string{"apply"}, "name its file with --file"},
		{"unknown mode", []string{"apply", "-f", "bad.yaml", "-m", "soon"}, "use auto, no-reboot"},
		{"meta key", []string{"meta", "write", "256", "x"}, "want a number from 0 to 255"},
		{"member id", []string{"etcd", "remove-member", "zz"}, "want the hexadecimal number"},
		{"other resources stay", []string{"patch", "members", "-p", "{}"}, "only the machineconfig can"},
		{"drain", []string{"reboot", "--drain"}, "draining is not there yet"},
		{"signing", []string{"services", "--siderov1-keys-dir", "x"}, "requests are not signed yet"},
	} {
		t.Run(test.name, func(t *testing.T) {
			exit, _, stderr := n.run(t, test.args...)
			if exit != 1 || !strings.Contains(strings.ToLower(stderr), strings.ToLower(test.want)) {
				t.Errorf("exit %d, standard error %q; want 1 and a part %q", exit, stderr, test.want)
			}
		})
	}
}

func TestOnline_ListNamesWhatCannotBeRead(t *testing.T) {
	exit, stdout, stderr := startFake(t, goodNode).run(t, "ls", "-l", "/var")
	want := `NODE       MODE         UID   GID   SIZE   LAST MODIFIED          NAME
10.0.0.2   -rw-r--r--   60    60    2048   Jan  1 2026 00:00:00   a
10.0.0.2   Lrwxrwxrwx   0     0     0      Jan  1 2026 00:00:00   l -> a
`
	if diff := cmp.Diff(want, stdout); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if exit != 1 || !strings.Contains(stderr, "/var/x: permission denied") {
		t.Errorf("exit %d, standard error %q", exit, stderr)
	}
}

func TestOnline_CopyStaysInsideTheFolder(t *testing.T) {
	n := startFake(t, goodNode)
	inTempFolder(t, nil)
	if exit, _, stderr := n.run(t, "cp", "/etc", "out/here"); exit != 0 {
		t.Fatal(stderr)
	}
	for name, want := range map[string]string{"out/here/a/b": "deep", "out/here/c": "flat"} {
		if got, err := os.ReadFile(name); err != nil || string(got) != want {
			t.Errorf("%s = %q, %v; want %q", name, got, err, want)
		}
	}
	if exit, _, stderr := n.run(t, "cp", "/evil", "evil/in"); exit != 1 || !strings.Contains(stderr, "escape") {
		t.Errorf("exit %d, standard error %q", exit, stderr)
	}
	if _, err := os.Stat("evil/escaped"); err == nil {
		t.Error("a file was written outside of the folder")
	}
}

func TestOnline_WatchShowsChangesAndFailsWhenItEnds(t *testing.T) {
	exit, stdout, stderr := startFake(t, goodNode).run(t, "get", "members", "-w")
	var signs []string
	for line := range strings.Lines(stdout) {
		if fields := strings.Fields(line); len(fields) > 4 {
			signs = append(signs, fields[1]+fields[4])
		}
	}
	if diff := cmp.Diff([]string{"*ID", "+two", "~two", "-one"}, signs); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if exit != 1 || !strings.Contains(stderr, "fell behind") {
		t.Errorf("exit %d, standard error %q", exit, stderr)
	}
}

func TestBR21_MachineConfigIsOneText(t *testing.T) {
	n := startFake(t, goodNode)
	for id, part := range map[string]string{"persistent": "kind: HostnameConfig", "v1alpha1": "type: worker"} {
		for format, decode := range map[string]func([]byte, any) error{"yaml": yaml.Unmarshal, "json": json.Unmarshal} {
			exit, stdout, stderr := n.run(t, "get", "mc", id, "-o", format)
			var got struct {
				Node string
				Spec any
			}
			if err := decode([]byte(stdout), &got); exit != 0 || err != nil {
				t.Fatalf("%s as %s: exit %d %s, %v", id, format, exit, stderr, err)
			}
			if text, ok := got.Spec.(string); !ok || !strings.Contains(text, part) || got.Node != goodNode {
				t.Errorf("%s as %s: node %q, spec %#v; want a text with %q", id, format, got.Node, got.Spec, part)
			}
		}
	}
}

func TestBR17_LifetimeAndRolesReachTheNode(t *testing.T) {
	n := startFake(t, goodNode)
	inTempFolder(t, nil)
	if exit, _, stderr := n.run(t, "config", "new", "ro", "--roles", "os:reader", "--crt-ttl", "36h"); exit != 0 {
		t.Fatal(stderr)
	}
	if got := n.roles.GetCrtTtl().AsDuration(); got != 36*time.Hour {
		t.Errorf("lifetime = %s, want 36h", got)
	}
	if diff := cmp.Diff([]string{"os:reader"}, n.roles.GetRoles()); diff != "" {
		t.Errorf("roles (-want +got):\n%s", diff)
	}
	if info, err := os.Stat("ro"); err != nil || info.Mode() != 0o600 {
		t.Errorf("file: %v, %v; want mode 0600", info, err)
	}
	made, err := talosconfig.Open("ro")
	if err != nil {
		t.Fatal(err)
	}
	if got := made.Contexts["new"]; !slices.Equal(got.Endpoints, []string{n.address}) || !slices.Equal(got.Nodes, []string{goodNode}) {
		t.Errorf("endpoints %q and nodes %q, want those that led to the node", got.Endpoints, got.Nodes)
	}
	if exit, _, stderr := n.run(t, "config", "new", "ro"); exit != 1 || !strings.Contains(stderr, "exists already") {
		t.Errorf("second time: exit %d, %s", exit, stderr)
	}
}

func TestOnline_PatchSendsTheWholeConfig(t *testing.T) {
	n := startFake(t, goodNode)
	if exit, _, _ := n.run(t, "patch", "mc", "-p", `[{"op":"replace","path":"/machine/type","value":"controlplane"}]`); exit == 0 || len(n.applied) > 0 {
		t.Error("a JSON patch on several documents is not refused")
	}
	exit, _, stderr := n.run(t, "patch", "mc", "--dry-run", "-m", "staged", "-p", "machine: {sysctls: {a: b}}")
	if exit != 0 || len(n.applied) != 1 {
		t.Fatalf("exit %d, %d configs applied: %s", exit, len(n.applied), stderr)
	}
	got := n.applied[0]
	for _, part := range []string{"a: b", "type: worker", "kind: HostnameConfig"} {
		if !strings.Contains(string(got.GetData()), part) {
			t.Errorf("the config lacks %q:\n%s", part, got.GetData())
		}
	}
	if !got.GetDryRun() || got.GetMode() != machinepb.ApplyConfigurationRequest_STAGED {
		t.Errorf("dry run %v, mode %s", got.GetDryRun(), got.GetMode())
	}
}

func TestOnline_PatchShowsThePlanAndSaysWhatItBeganWith(t *testing.T) {
	n := startFake(t, goodNode)
	exit, stdout, stderr := n.run(t, "patch", "mc", "--confirm-timeout", "30s", "-p", "machine: {sysctls: {a: b}}")
	if exit != 0 || len(n.applied) != 2 {
		t.Fatalf("exit %d, %d calls: %s", exit, len(n.applied), stderr)
	}
	plan, done := strings.Index(stdout, "fakes a change"), strings.Index(stdout, "Applied without a reboot.")
	if plan < 0 || done < plan || strings.Contains(stdout, "Differences") {
		t.Errorf("wrote:\n%s", stdout)
	}
	if !n.applied[0].GetDryRun() || n.applied[1].GetDryRun() {
		t.Error("the first call is not the dry run alone")
	}
	const documents = "version: v1alpha1\nmachine:\n  type: worker\n---\napiVersion: v1alpha1\nkind: HostnameConfig\nhostname: a\n"
	if got := n.changed.Get(applyconfig.BaseKey); len(got) != 1 || got[0] != applyconfig.Digest([]byte(documents)) {
		t.Errorf("base = %q", got)
	}
	if got := n.changed.Get(applyconfig.BoundKey); len(got) != 1 || got[0] != "30s" {
		t.Errorf("bound = %q", got)
	}
}

func TestOnline_ApplyFollowsAChangeThatMayCutTheNodeOff(t *testing.T) {
	for _, test := range []struct {
		name    string
		reverts bool
		exit    int
		said    string
	}{
		{"the node stays in reach", false, 0, "can still be reached"},
		{"the node took it back", true, 1, "the gateway does not answer"},
	} {
		t.Run(test.name, func(t *testing.T) {
			n := startFake(t, goodNode)
			n.waits, n.reverts = 3, test.reverts
			inTempFolder(t, map[string]string{"c.yaml": "version: v1alpha1\nmachine:\n  type: worker\n"})
			exit, stdout, stderr := n.run(t, "apply-config", "-f", "c.yaml")
			if exit != test.exit || !strings.Contains(stdout+stderr, test.said) || !strings.Contains(stdout, "It may cut the node off.") {
				t.Errorf("exit %d\n%s%s", exit, stdout, stderr)
			}
			if n.waits > 0 {
				t.Error("it did not wait for the node")
			}
		})
	}
}

func TestOnline_LogsOfKubernetesNameTheirNamespace(t *testing.T) {
	n := startFake(t, goodNode)
	if exit, _, stderr := n.run(t, "logs", "-k", "--tail", "5", "-f", "kube-system/x"); exit != 0 {
		t.Fatal(stderr)
	}
	if n.logs.GetNamespace() != "k8s.io" || n.logs.GetDriver().String() != "CRI" || n.logs.GetTailLines() != 5 || !n.logs.GetFollow() {
		t.Errorf("request = %v", n.logs)
	}
}

func TestOnline_KubeconfigIsMergedOnce(t *testing.T) {
	n := startFake(t, goodNode)
	folder := t.TempDir()
	path := filepath.Join(folder, "config")
	for range 2 {
		if exit, _, stderr := n.run(t, "kubeconfig", path); exit != 0 {
			t.Fatal(stderr)
		}
	}
	text, err := os.ReadFile(path)
	if err != nil || strings.Count(string(text), "name: admin@fake\n") != 2 { // context and user
		t.Errorf("%v:\n%s", err, text)
	}
	if exit, _, stderr := n.run(t, "kubeconfig", path, "--merge=false"); exit != 1 || !strings.Contains(stderr, "--force") {
		t.Errorf("exit %d, %s", exit, stderr)
	}
	if exit, _, stderr := n.run(t, "kubeconfig", folder, "--force-context-name", "mine"); exit != 0 || !strings.Contains(stderr, filepath.Join(folder, "kubeconfig")) {
		t.Errorf("exit %d, %s", exit, stderr)
	}
	if exit, stdout, _ := n.run(t, "kubeconfig", "-"); exit != 0 || !strings.Contains(stdout, "current-context: admin@fake") {
		t.Errorf("exit %d, %s", exit, stdout)
	}
}

func TestOnline_ObjectsNameTheirNode(t *testing.T) {
	_, stdout, _ := startFake(t, goodNode).run(t, "services", "-o", "json")
	var got []struct {
		Node     string
		Metadata any
		Services []struct{ ID string }
	}
	if err := json.Unmarshal([]byte(stdout), &got); err != nil {
		t.Fatal(err)
	}
	if len(got) != 1 || got[0].Node != goodNode || len(got[0].Services) != 2 || got[0].Metadata != nil {
		t.Errorf("got %+v", got)
	}
}
