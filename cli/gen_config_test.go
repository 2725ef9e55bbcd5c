package cli_test

import (
	"crypto/x509"
	"encoding/json"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.yaml.in/yaml/v3"

	"github.com/ichor-os/ichor/config"
	"github.com/ichor-os/ichor/config/documents/security"
	"github.com/ichor-os/ichor/pki"
	"github.com/ichor-os/ichor/pki/secrets"
	"github.com/ichor-os/ichor/pki/talosconfig"
)

const endpoint = "https://10.5.0.10:6443"

// secretsFile makes a bundle whose keys are quick to make.
func secretsFile(t *testing.T) map[string]string {
	t.Helper()
	bundle, err := secrets.Generate(secrets.Options{ServiceAccountKey: pki.ECDSAP256})
	if err != nil {
		t.Fatal(err)
	}
	text, err := bundle.Encode()
	if err != nil {
		t.Fatal(err)
	}
	return map[string]string{"secrets.yaml": string(text)}
}

func genConfig(args ...string) []string {
	return append([]string{"gen", "config", "orchard", endpoint, "--with-secrets", "secrets.yaml", "--with-docs=false", "--with-examples=false"}, args...)
}

func machine(t *testing.T, text string) *config.Config {
	t.Helper()
	parsed, err := config.Parse([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return parsed
}

func TestBR05_EachPatchFlagIsOnePatchInItsOrder(t *testing.T) {
	first := `[{"op":"add","path":"/machine/sysctls","value":{"vm.max_map_count":"262144","fs.file-max":"9"}}]`
	second := `[{"op":"replace","path":"/machine/sysctls/fs.file-max","value":"10"},{"op":"add","path":"/machine/sysctls/a","value":"1,2"}]`
	want := map[string]string{"vm.max_map_count": "262144", "fs.file-max": "10", "a": "1,2"}

	inTempFolder(t, secretsFile(t))
	got := mustRun(t, genConfig("--talos-version", "v1.11", "--config-patch", first, "--config-patch", second)...)
	for _, name := range []string{"controlplane.yaml", "worker.yaml"} {
		if diff := cmp.Diff(want, machine(t, got.files[name]).Main().Machine.Sysctls); diff != "" {
			t.Errorf("gen config: %s: sysctls (-want +got):\n%s", name, diff)
		}
	}

	mustRun(t, genConfig("--talos-version", "v1.11", "--force")...)
	got = mustRun(t, "machineconfig", "patch", "worker.yaml", "--patch", first, "--patch", second, "-o", "out.yaml")
	if diff := cmp.Diff(want, machine(t, got.files["out.yaml"]).Main().Machine.Sysctls); diff != "" {
		t.Errorf("machineconfig patch: sysctls (-want +got):\n%s", diff)
	}

	// The other way round fails: a flag is not split and not sorted.
	if again := run(t, "machineconfig", "patch", "worker.yaml", "--patch", second, "--patch", first); again.exit != 1 || again.stdout != "" {
		t.Errorf("patches in the wrong order: exit %d, standard output %q", again.exit, again.stdout)
	}
}

func TestBR05_SeveralStrategicPatchesKeepTheirOrder(t *testing.T) {
	inTempFolder(t, secretsFile(t))
	got := mustRun(t, genConfig(
		"--config-patch", "machine: {sysctls: {a: '1', b: '1'}}", "--config-patch", `{"machine":{"sysctls":{"a":"2"}}}`,
		"--config-patch-worker", "machine: {sysctls: {a: '3'}}",
	)...)
	for name, want := range map[string]map[string]string{"controlplane.yaml": {"a": "2", "b": "1"}, "worker.yaml": {"a": "3", "b": "1"}} {
		if diff := cmp.Diff(want, machine(t, got.files[name]).Main().Machine.Sysctls); diff != "" {
			t.Errorf("%s: sysctls (-want +got):\n%s", name, diff)
		}
	}
}

func TestBR09_PatchingOnlyTheHostNameIsNeverSilentlyInvalid(t *testing.T) {
	const patch = "apiVersion: v1alpha1\nkind: HostnameConfig\nhostname: rack4-n2\n"
	inTempFolder(t, secretsFile(t))
	mustRun(t, genConfig()...)
	patched := run(t, "machineconfig", "patch", "worker.yaml", "-p", patch, "-o", "out.yaml")
	generated := run(t, genConfig("--config-patch", patch, "--output", "again")...)
	for name, got := range map[string]outcome{"out.yaml": patched, "again/worker.yaml": generated} {
		valid := run(t, "validate", "-m", "metal", "-c", name).exit == 0
		if got.exit == 0 && !valid && !(strings.Contains(got.stderr, "WARNING") && strings.Contains(got.stderr, "hostname") && strings.Contains(got.stderr, "auto")) {
			t.Errorf("%s is invalid and nobody said so; standard error:\n%s", name, got.stderr)
		}
		if got.exit == 0 && valid && !strings.Contains(got.files[name], "hostname: rack4-n2") {
			t.Errorf("%s is valid, but the host name is lost", name)
		}
	}
}

func TestMachineConfigPatch_AdviceErrorRefusesAnInvalidResult(t *testing.T) {
	inTempFolder(t, secretsFile(t))
	mustRun(t, genConfig()...)
	args := []string{"machineconfig", "patch", "worker.yaml", "-p", "machine: {features: {hostDNS: {enabled: false}}}", "-o", "out.yaml"}
	got := mustRun(t, args...)
	for _, want := range []string{"WARNING", "enabled", "forwardKubeDNSToHost"} {
		if !strings.Contains(got.stderr, want) {
			t.Errorf("standard error lacks %q:\n%s", want, got.stderr)
		}
	}
	got = run(t, append(args, "--advice=error", "-o", "refused.yaml")...)
	if _, written := got.files["refused.yaml"]; got.exit != 1 || written {
		t.Errorf("--advice=error: exit %d, file written: %v", got.exit, written)
	}
}

func TestMachineConfigPatch_KeepsCommentsWhenAsked(t *testing.T) {
	inTempFolder(t, map[string]string{"in.yaml": "machine:\n    # from the rack list\n    type: worker # never a control plane\n"})
	args := []string{"machineconfig", "patch", "in.yaml", "-p", "machine: {token: t}"}
	got := mustRun(t, append(args, "--keep-comments")...)
	for _, want := range []string{"# from the rack list", "# never a control plane", "token: t"} {
		if !strings.Contains(got.stdout, want) {
			t.Errorf("%q is gone:\n%s", want, got.stdout)
		}
	}
	if got := mustRun(t, args...); strings.Contains(got.stdout, "#") {
		t.Errorf("comments without being asked:\n%s", got.stdout)
	}
}

func TestMachineConfigPatch_WithoutPatchCopiesTheFile(t *testing.T) {
	const text = "# mine\nmachine: {wings:   2}\n"
	inTempFolder(t, map[string]string{"in.yaml": text})
	got := mustRun(t, "machineconfig", "patch", "in.yaml", "-o", "out.yaml")
	if got.files["out.yaml"] != text {
		t.Errorf("got %q, want the file as it is", got.files["out.yaml"])
	}
	if got := mustRun(t, "machineconfig", "patch", "in.yaml"); got.stdout != text+"\n" {
		t.Errorf("standard output %q, want the file and a line end", got.stdout)
	}
}

func TestGenConfig_DefaultsPassValidationInAllModes(t *testing.T) {
	inTempFolder(t, secretsFile(t))
	mustRun(t, "gen", "config", "orchard", endpoint, "--with-secrets", "secrets.yaml")
	for _, name := range []string{"controlplane.yaml", "worker.yaml"} {
		for _, mode := range []string{"metal", "cloud", "container"} {
			got := run(t, "validate", "--strict", "--advice=error", "-m", mode, "-c", name)
			// A default config has neither warning nor advice. Notices stay until nodes act on all its keys.
			said := slices.DeleteFunc(strings.Split(got.stdout, "\n"), func(line string) bool { return strings.HasPrefix(line, "NOTICE: ") })
			if got.exit != 0 || got.stderr != "" || strings.Join(said, "\n") != name+" is valid for "+mode+" mode\n" {
				t.Errorf("%s, %s: exit %d\n%s%s", name, mode, got.exit, got.stdout, got.stderr)
			}
		}
	}
}

func TestGenConfig_MakesAnAdministrator(t *testing.T) {
	inTempFolder(t, secretsFile(t))
	got := mustRun(t, genConfig()...)
	client, err := talosconfig.Parse([]byte(got.files["talosconfig"]))
	if err != nil {
		t.Fatal(err)
	}
	context, err := client.Get("")
	if err != nil {
		t.Fatal(err)
	}
	if client.Context != "orchard" || len(context.Endpoints) != 0 {
		t.Errorf("context %q with endpoints %v", client.Context, context.Endpoints)
	}
	if want := regexp.MustCompile(`^context: orchard\ncontexts:\n    orchard:\n        endpoints: \[\]\n        ca: \S+\n        crt: \S+\n        key: \S+\n$`); !want.MatchString(got.files["talosconfig"]) {
		t.Error("the file has another layout")
	}
	ca, pair, err := context.Credentials()
	if err != nil {
		t.Fatal(err)
	}
	certificate, err := pki.ParseCertificate(pair.Crt)
	if err != nil {
		t.Fatal(err)
	}
	authority, err := pki.ParseCertificate(ca)
	if err != nil {
		t.Fatal(err)
	}
	if string(ca) != string(machine(t, got.files["worker.yaml"]).Main().Machine.CA.Crt) {
		t.Error("the client trusts another authority than the machines have")
	}
	pool := x509.NewCertPool()
	pool.AddCert(authority)
	if _, err := certificate.Verify(x509.VerifyOptions{Roots: pool, KeyUsages: pki.ClientAuth}); err != nil {
		t.Error(err)
	}
	if certificate.Subject.String() != "O=os:admin" || certificate.NotAfter.Sub(certificate.NotBefore) != 8760*time.Hour {
		t.Errorf("subject %q, valid for %v", certificate.Subject, certificate.NotAfter.Sub(certificate.NotBefore))
	}
}

func TestGenConfig_OutputPlaces(t *testing.T) {
	for _, test := range []struct {
		args []string
		want []string
	}{
		{[]string{"-o", "new/folder"}, []string{"new/folder/controlplane.yaml", "new/folder/talosconfig", "new/folder/worker.yaml"}},
		{[]string{"--output-dir", "d", "-t", "worker"}, []string{"d/worker.yaml"}},
		{[]string{"-t", "worker"}, []string{"worker.yaml"}},
		{[]string{"-t", "worker,talosconfig", "-o", "d"}, []string{"d/talosconfig", "d/worker.yaml"}},
		{[]string{"-t", "talosconfig", "-o", "deep/down/client"}, []string{"deep/down/client"}},
	} {
		inputs := secretsFile(t)
		inTempFolder(t, inputs)
		got := mustRun(t, genConfig(test.args...)...)
		if diff := cmp.Diff(test.want, got.written(inputs)); diff != "" {
			t.Errorf("%q: files (-want +got):\n%s", test.args, diff)
		}
	}
	inTempFolder(t, secretsFile(t))
	if got := run(t, genConfig("-o", "-")...); got.exit != 1 || got.stdout != "" {
		t.Errorf("several types to standard output: exit %d, %d bytes", got.exit, len(got.stdout))
	}
}

func TestGenConfig_NamesUnknownKeysOfTheSecretsFile(t *testing.T) {
	inputs := secretsFile(t)
	inputs["secrets.yaml"] += "extra: 1\n"
	inTempFolder(t, inputs)
	if got := mustRun(t, genConfig()...); !strings.Contains(got.stderr, "WARNING: secrets.yaml: the key extra") {
		t.Errorf("standard error:\n%s", got.stderr)
	}
}

func TestGenConfig_NeverShowsSecrets(t *testing.T) {
	inputs := secretsFile(t)
	inTempFolder(t, inputs)
	var values map[string]map[string]any
	if err := yaml.Unmarshal([]byte(inputs["secrets.yaml"]), &values); err != nil {
		t.Fatal(err)
	}
	token := values["trustdinfo"]["token"].(string)
	for _, args := range [][]string{
		genConfig(), genConfig(),
		genConfig("--config-patch", "machine: {token: [x]}"),
		{"validate", "-m", "metal", "-c", "secrets.yaml"},
		{"machineconfig", "patch", "controlplane.yaml", "-p", "machine: {features: {hostDNS: {enabled: false}}}", "-o", "o"},
	} {
		got := run(t, args...)
		if text := got.stdout + got.stderr; strings.Contains(text, token) || strings.Contains(text, "LS0tLS1CRUdJTi") {
			t.Errorf("%q shows a secret:\n%s", args, text)
		}
	}
}

func TestGenSecrets_FromControlPlaneConfigGivesTheSameCluster(t *testing.T) {
	inputs := secretsFile(t)
	inTempFolder(t, inputs)
	mustRun(t, genConfig()...)
	got := mustRun(t, "gen", "secrets", "--from-controlplane-config", "controlplane.yaml", "-o", "again.yaml")
	if diff := cmp.Diff(inputs["secrets.yaml"], got.files["again.yaml"]); diff != "" {
		t.Error("the secrets differ from those the config was made with")
	}
	if got := run(t, "gen", "secrets", "--from-controlplane-config", "worker.yaml", "-o", "w.yaml"); got.exit != 1 || !strings.Contains(got.stderr, "control plane") {
		t.Errorf("a worker's config: exit %d; standard error:\n%s", got.exit, got.stderr)
	}
}

func TestValidate_WritesMachineReadableReports(t *testing.T) {
	inTempFolder(t, map[string]string{"in.yaml": "apiVersion: v1alpha1\nkind: VLANConfig\nname: a\n"})
	got := run(t, "validate", "-m", "metal", "-c", "in.yaml", "-o", "json")
	var report struct {
		Errors []struct {
			Document, Message string
		}
	}
	if err := json.Unmarshal([]byte(got.stdout), &report); err != nil {
		t.Fatalf("%v in:\n%s", err, got.stdout)
	}
	if got.exit != 1 || len(report.Errors) == 0 || report.Errors[0].Document != "VLANConfig/a" {
		t.Errorf("exit %d, report %+v", got.exit, report)
	}
}

func TestValidate_ReadsStandardInput(t *testing.T) {
	inTempFolder(t, nil)
	got := runWith(t, "apiVersion: v1alpha1\nkind: HostnameConfig\nhostname: a\n", "validate", "-m", "cloud", "-c", "-")
	if got.exit != 0 {
		t.Errorf("exit %d; standard error:\n%s", got.exit, got.stderr)
	}
}

func TestGenConfig_ClosedImagePolicyDeniesTheRest(t *testing.T) {
	inTempFolder(t, secretsFile(t))
	got := mustRun(t, genConfig("--image-policy", "closed")...)
	for _, name := range []string{"controlplane.yaml", "worker.yaml"} {
		policy, ok := machine(t, got.files[name]).Find("ImageVerificationConfig", "").(*security.ImageVerificationConfig)
		if !ok {
			t.Fatalf("%s has no policy", name)
		}
		if last := policy.Rules[len(policy.Rules)-1]; last.Image != "*" || last.Deny == nil || !*last.Deny {
			t.Errorf("%s: the last rule is %+v, want one that denies all", name, last)
		}
		if got := run(t, "validate", "--strict", "-m", "metal", "-c", name); got.exit != 0 || got.stderr != "" {
			t.Errorf("%s: exit %d\n%s", name, got.exit, got.stderr)
		}
	}
	for _, args := range [][]string{{"--image-policy", "shut"}, {"--image-policy", "closed", "--talos-version", "v1.12"}} {
		if got := run(t, genConfig(append(args, "--force")...)...); got.exit != 1 {
			t.Errorf("%q: exit %d, want 1", args, got.exit)
		}
	}
}

func TestS03_KubernetesVersionBecomesTheImageTagWithV(t *testing.T) {
	for _, given := range []string{"1.37.2", "v1.37.2"} {
		inTempFolder(t, secretsFile(t))
		got := mustRun(t, genConfig("--kubernetes-version", given)...)
		main := machine(t, got.files["controlplane.yaml"]).Main()
		for _, image := range []string{main.Machine.Kubelet.Image, main.Cluster.APIServer.Image, main.Cluster.ControllerManager.Image, main.Cluster.Scheduler.Image, main.Cluster.Proxy.Image} {
			if !strings.HasSuffix(image, ":v1.37.2") {
				t.Errorf("%s: image %s, want the tag v1.37.2", given, image)
			}
		}
	}
}

func TestS07_TalosconfigNamesNoEndpoint(t *testing.T) {
	inTempFolder(t, secretsFile(t))
	got := mustRun(t, genConfig()...)
	if text := got.files["talosconfig"]; strings.Contains(text, "127.0.0.1") || strings.Contains(text, "10.5.0.10") {
		t.Error("the client config names an endpoint that nobody gave")
	}
}
