package config_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ichor-os/ichor/config"
	"github.com/ichor-os/ichor/config/validate"
)

func mustParse(t *testing.T, text string) *config.Config {
	t.Helper()

	c, err := config.Parse([]byte(text))
	if err != nil {
		t.Fatal(err)
	}

	return c
}

// patched applies patches one after the other.
func patched(t *testing.T, base string, patches ...string) string {
	t.Helper()

	c := mustParse(t, base)

	for _, text := range patches {
		p, err := config.ParsePatch([]byte(text), "patch")
		if err != nil {
			t.Fatal(err)
		}

		if c, err = c.Apply(p); err != nil {
			t.Fatal(err)
		}
	}

	out, err := c.Encode()
	if err != nil {
		t.Fatal(err)
	}

	return string(out)
}

func check(t *testing.T, got, want string) {
	t.Helper()

	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestBR01_DeletedMapKeyLeavesNothing(t *testing.T) {
	base := "machine:\n  nodeLabels: {team: blue, zone: a}\n"
	remove := "machine:\n  nodeLabels:\n    zone: {$patch: delete}\n"
	first := patched(t, base, remove)

	check(t, first, "version: \"\"\nmachine:\n    type: \"\"\n    token: \"\"\n    certSANs: []\n    nodeLabels:\n        team: blue\ncluster: null\n")

	p, err := config.ParsePatch([]byte(remove), "patch")
	if err != nil {
		t.Fatal(err)
	}

	if _, err := mustParse(t, first).Apply(p); err == nil || !strings.Contains(err.Error(), "zone") {
		t.Errorf("deleting an absent key: got %v, want an error that names it", err)
	}

	check(t, patched(t, first), first)
}

func TestBR01_TheSameFault_EverywhereAKeyCanBeDeleted(t *testing.T) {
	for name, c := range map[string]struct{ base, patch, gone string }{
		"argument":      {"cluster: {apiServer: {extraArgs: {a: x, b: z}}}", "cluster: {apiServer: {extraArgs: {b: {$patch: delete}}}}", "b:"},
		"free-form":     {"machine: {kubelet: {extraConfig: {a: {x: 1}, b: 2}}}", "machine: {kubelet: {extraConfig: {a: {$patch: delete}}}}", "a:"},
		"deep in free":  {"machine: {kubelet: {extraConfig: {a: {x: 1, q: 3}, b: 2}}}", "machine: {kubelet: {extraConfig: {a: {q: {$patch: delete}}}}}", "q:"},
		"mirror":        {"machine: {registries: {mirrors: {zz.test: {endpoints: [x]}, b.test: {endpoints: [x]}}}}", "machine: {registries: {mirrors: {zz.test: {$patch: delete}}}}", "zz.test"},
		"mirror's flag": {"machine: {registries: {mirrors: {a.test: {endpoints: [x], skipFallback: true}}}}", "machine: {registries: {mirrors: {a.test: {skipFallback: {$patch: delete}}}}}", "skipFallback"},
	} {
		t.Run(name, func(t *testing.T) {
			if got := patched(t, c.base, c.patch); strings.Contains(got, c.gone) {
				t.Errorf("%s is still there:\n%s", c.gone, got)
			}
		})
	}
}

func TestBR03_BlankDocumentsAreSkipped(t *testing.T) {
	doc := "apiVersion: v1alpha1\nkind: LinkConfig\nname: a\n"

	if n := len(mustParse(t, "---\n"+doc+"---\n---\nnull\n---\n# words\n---\n").Documents()); n != 1 {
		t.Errorf("documents: got %d, want 1", n)
	}

	_, err := config.Parse([]byte("---\n---\n"+doc+"mtuu: 3\n"), config.File("m.yaml"))
	if err == nil || !strings.Contains(err.Error(), "v1alpha1/LinkConfig/a (line 3)") || !strings.Contains(err.Error(), "m.yaml:6:1") {
		t.Errorf("error names neither document nor place: %v", err)
	}
}

func TestBR05_APatchIsNeverSplit(t *testing.T) {
	patches, err := config.LoadPatches(
		`[{"op":"add","path":"/machine/sysctls","value":{"vm.max_map_count":"262144","fs.file-max":"9"}}]`,
		`[{"op":"add","path":"/machine/sysctls/fs.file-max","value":"10"}]`,
	)
	if err != nil {
		t.Fatal(err)
	}

	c, err := mustParse(t, "machine: {type: worker}").Apply(patches...)
	if err != nil {
		t.Fatal(err)
	}

	if diff := cmp.Diff(map[string]string{"vm.max_map_count": "262144", "fs.file-max": "10"}, c.Main().Machine.Sysctls); diff != "" {
		t.Error(diff)
	}
}

func TestBR07_PatchedRuleReplacesPortsAndIngress(t *testing.T) {
	head := "apiVersion: v1alpha1\nkind: NetworkRuleConfig\nname: ssh\nportSelector:\n    ports:\n        - 22\n"
	patch := head + "        - 2222\n    protocol: tcp\ningress:\n    - subnet: 10.0.0.0/8\n"

	got := patched(t, head+"    protocol: tcp\ningress:\n    - subnet: 192.168.0.0/16\n", patch, patch)
	check(t, got, patch)

	if r := mustParse(t, got).Validate(config.Metal, validate.Options{}); !r.Valid() {
		t.Error(r.Err())
	}
}

func TestBR08_PatchedExpressionReplacesTheOldOne(t *testing.T) {
	doc := func(expression string) string {
		return "apiVersion: v1alpha1\nkind: VolumeConfig\nname: EPHEMERAL\nprovisioning:\n    diskSelector:\n        match: " + expression + "\n"
	}

	got := patched(t, doc("disk.size > 100u * GiB"), doc("disk.size > 200u * GiB"))
	check(t, got, doc("disk.size > 200u * GiB"))

	// the same kind of fault: a patch of another key must not lose the expression
	kept := patched(t, doc("disk.size > 100u * GiB"), "apiVersion: v1alpha1\nkind: VolumeConfig\nname: EPHEMERAL\nprovisioning: {grow: true}\n")
	if !strings.Contains(kept, "100u") {
		t.Errorf("the expression is lost:\n%s", kept)
	}
}

func TestBR09_HostnameOverAutoStableIsValid(t *testing.T) {
	head := "apiVersion: v1alpha1\nkind: HostnameConfig\n"

	for name, c := range map[string]struct{ base, patch, want string }{
		"host name over auto": {"auto: stable\n", "hostname: rack4-n2\n", "auto: \"off\"\nhostname: rack4-n2\n"},
		"auto over host name": {"hostname: rack4-n2\n", "auto: stable\n", "auto: stable\n"},
	} {
		t.Run(name, func(t *testing.T) {
			got := patched(t, head+c.base, head+c.patch, head+c.patch)
			check(t, got, head+c.want)

			if r := mustParse(t, got).Validate(config.Metal, validate.Options{}); !r.Valid() {
				t.Error(r.Err())
			}
		})
	}
}

func TestBR11_ForwardingWithoutHostDNSIsRefused(t *testing.T) {
	text := strings.Replace(string(read(t, vectors+"/decode/a-main-minimal-controlplane/input.yaml")), "enabled: true", "enabled: false", 1)

	r := mustParse(t, text).Validate(config.Metal, validate.Options{})
	if r.Valid() || !strings.Contains(r.Err().Error(), "forwardKubeDNSToHost") || !strings.Contains(r.Err().Error(), "enabled") {
		t.Errorf("got %v, want an error that names both keys", r.Err())
	}
}

func TestBR14_NewDocumentsAreInTheDiff(t *testing.T) {
	a := mustParse(t, "machine: {type: worker}\n")
	b := mustParse(t, "machine: {type: worker}\n---\napiVersion: v1alpha1\nkind: NetworkDefaultActionConfig\ningress: block\n")

	changes := config.Diff(a, b)
	if len(changes) != 1 || changes[0].Document != "NetworkDefaultActionConfig" || !strings.Contains(changes[0].New, "ingress: block") {
		t.Errorf("got %+v", changes)
	}

	if len(config.Diff(b, a)) != 1 || len(config.Diff(a, a)) != 0 {
		t.Error("the way back and no change at all are wrong")
	}

	if !config.Plan(a, b).MayCut() {
		t.Error("a firewall that blocks may cut the network")
	}
}

func TestBR15_AutoOffAloneIsValid(t *testing.T) {
	for text, want := range map[string]bool{"auto: off\n": true, "auto: \"off\"\n": true, "": false} {
		c := mustParse(t, "apiVersion: v1alpha1\nkind: HostnameConfig\n"+text)
		if got := c.Validate(config.Metal, validate.Options{}).Valid(); got != want {
			t.Errorf("%q: valid: got %v, want %v", text, got, want)
		}
	}
}

func TestBR25_SchedulerConfigKeepsWhatWasWritten(t *testing.T) {
	text := "version: \"\"\nmachine: null\ncluster:\n    controlPlane: null\n    scheduler:\n        config:\n            parallelism: 24\n            profiles:\n                - schedulerName: default-scheduler\n"
	got, err := mustParse(t, text).Encode()
	if err != nil {
		t.Fatal(err)
	}

	check(t, string(got), text)

	n, ok := mustParse(t, text).Main().Cluster.Scheduler.Config["parallelism"].(int)
	if !ok || n != 24 {
		t.Errorf("parallelism: got %v", mustParse(t, text).Main().Cluster.Scheduler.Config["parallelism"])
	}
}

func TestBR34_RegistryDocumentsWithOnlySomeFields(t *testing.T) {
	skip := mustParse(t, "apiVersion: v1alpha1\nkind: RegistryTLSConfig\nname: r.test\ninsecureSkipVerify: true\n")
	if r := skip.Validate(config.Metal, validate.Options{}); !r.Valid() {
		t.Error(r.Err())
	}

	out, err := skip.Encode()
	if err != nil || !strings.Contains(string(out), "insecureSkipVerify: true") {
		t.Errorf("skip-verify is lost: %v\n%s", err, out)
	}

	user := mustParse(t, "apiVersion: v1alpha1\nkind: RegistryAuthConfig\nname: r.test\nusername: u\n")

	r := user.Validate(config.Metal, validate.Options{AdviceIsError: true})
	if r.Valid() || !strings.Contains(r.Err().Error(), "password") {
		t.Errorf("a missing password must be named: got %v", r.Err())
	}
}

func TestS02_CarriageReturnsReadTheSame(t *testing.T) {
	for _, dir := range []string{"a-main-cluster-rich", "a-NetworkRuleConfig-rich", "a-main-files"} {
		unix := string(read(t, vectors+"/decode/"+dir+"/input.yaml"))
		want := patched(t, unix)

		check(t, patched(t, strings.ReplaceAll(unix, "\n", "\r\n")), want)
		check(t, patched(t, "\xef\xbb\xbf"+unix), want)
	}
}

// The half of the fault that is in the config: what a selector says about
// sizes is read, kept as it was written, and compared right.
func TestBR36_SizeInADiskSelectorIsReadAndCompared(t *testing.T) {
	const gb = 1_000_000_000

	for text, want := range map[string][2]bool{ // whether disks of 500 GB and 100 GB match
		`">= 1GB"`: {true, true}, `">= 9TB"`: {false, false}, `">=100GB"`: {true, true}, `"> 100GB"`: {true, false},
		`"<= 100 GB"`: {false, true}, `"< 100GB"`: {false, false}, `"== 500GB"`: {true, false}, `100GB`: {false, true}, `"<1TiB"`: {true, true},
	} {
		c := mustParse(t, "machine: {install: {diskSelector: {size: "+text+"}}}")

		size := c.Main().Machine.Install.DiskSelector.Size
		if got := [2]bool{size.Matches(500 * gb), size.Matches(100 * gb)}; got != want {
			t.Errorf("%s: matches 500 GB and 100 GB: got %v, want %v", text, got, want)
		}

		if got := size.String(); got != strings.Trim(text, `"`) {
			t.Errorf("%s: shown as %q", text, got)
		}
	}
}
