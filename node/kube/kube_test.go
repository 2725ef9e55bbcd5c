package kube

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	filespec "github.com/ichor-os/ichor/node/file/spec"
	"github.com/ichor-os/ichor/node/kube/spec"
	secretspec "github.com/ichor-os/ichor/node/secret/spec"
	"github.com/ichor-os/ichor/pki"
	"github.com/ichor-os/ichor/pki/kubeconfig"
	"github.com/ichor-os/ichor/pki/secrets"
	"github.com/ichor-os/ichor/resource/value"
)

func server() spec.APIServerConfigSpec {
	return spec.APIServerConfigSpec{
		Image: "r/kube-apiserver:v1", ControlPlaneEndpoint: "https://10.5.0.1:6443", EtcdServers: []string{"https://127.0.0.1:2379"},
		LocalPort: 6443, ServiceCIDR: []string{"10.96.0.0/12", "fd00::/112"}, AdvertisedAddress: "10.5.0.2",
	}
}

func render(t *testing.T, c component) string {
	t.Helper()
	pod, err := c.pod("c1", "s1")
	if err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(pod)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func TestPod_FurtherArgumentsReplaceOursAndListsAreGivenEach(t *testing.T) {
	c := server()
	c.ExtraArgs = map[string]spec.ArgValues{"profiling": {Values: []string{"true"}}, "service-account-issuer": {Values: []string{"https://a", "https://b"}}}
	text := render(t, apiServerOf(c))
	for _, want := range []string{
		`"--profiling=true"`, `"--service-account-issuer=https://a","--service-account-issuer=https://b"`, `"--service-cluster-ip-range=10.96.0.0/12,fd00::/112"`,
	} {
		if !strings.Contains(text, want) {
			t.Errorf("pod lacks %s:\n%s", want, text)
		}
	}
	for _, not := range []string{"--profiling=false", "--service-account-issuer=https://10.5.0.1", `"/system`} {
		if strings.Contains(text, not) {
			t.Errorf("pod has %s", not)
		}
	}
}

func TestPod_RefusesTheSystemsOwnArgumentsByName(t *testing.T) {
	c := server()
	c.ExtraArgs = map[string]spec.ArgValues{"etcd-servers": {Values: []string{"http://x"}}}
	if _, err := apiServerOf(c).pod("", ""); err == nil || !strings.Contains(err.Error(), "etcd-servers") {
		t.Errorf("error = %v, want one that names etcd-servers", err)
	}
}

func TestPod_AuthorizationModeReplacesTheFile(t *testing.T) {
	c := server()
	c.ExtraArgs = map[string]spec.ArgValues{"authorization-mode": {Values: []string{"RBAC"}}}
	if text := render(t, apiServerOf(c)); strings.Contains(text, "--authorization-config") || !strings.Contains(text, `"--authorization-mode=RBAC"`) {
		t.Error(text)
	}
}

func TestPod_CarriesLabelsVersionsAndPriority(t *testing.T) {
	var pod struct {
		Metadata struct{ Labels, Annotations map[string]string }
		Spec     struct {
			Priority          int
			PriorityClassName string
		}
	}
	text := render(t, controllerManagerOf(spec.ControllerManagerConfigSpec{Image: "r:5000/kube-controller-manager:v1"}, "c"))
	if err := json.Unmarshal([]byte(text), &pod); err != nil {
		t.Fatal(err)
	}
	want := map[string]string{
		"tier": "control-plane", "k8s-app": controllerManager, "component": controllerManager,
		"app.kubernetes.io/name": controllerManager, "app.kubernetes.io/component": "control-plane", "app.kubernetes.io/version": "v1",
	}
	if diff := cmp.Diff(want, pod.Metadata.Labels); diff != "" {
		t.Errorf("labels (-want +got):\n%s", diff)
	}
	want = map[string]string{"talos.dev/config-version": "c1", "talos.dev/secrets-version": "s1"}
	if diff := cmp.Diff(want, pod.Metadata.Annotations); diff != "" {
		t.Errorf("annotations (-want +got):\n%s", diff)
	}
	if pod.Spec.Priority == 0 || pod.Spec.PriorityClassName == "" {
		t.Errorf("priority = %d, %q; want both", pod.Spec.Priority, pod.Spec.PriorityClassName)
	}
}

func TestBR25_SchedulerConfigHoldsWhatWasGivenAlone(t *testing.T) {
	got := schedulerConfig(map[string]any{"parallelism": 24, "profiles": []any{map[string]any{"schedulerName": "default-scheduler"}}})
	text, err := json.Marshal(got)
	if err != nil {
		t.Fatal(err)
	}
	want := `{"apiVersion":"kubescheduler.config.k8s.io/v1","clientConnection":{"kubeconfig":"/run/kubernetes/kube-scheduler/kubeconfig"},` +
		`"kind":"KubeSchedulerConfiguration","parallelism":24,"profiles":[{"schedulerName":"default-scheduler"}]}`
	if string(text) != want {
		t.Errorf("config = %s\nwant     %s", text, want)
	}
}

func TestEncryptionConfig_WritesWithTheFirstKeyAndReadsOlderOnes(t *testing.T) {
	text, err := encryptionConfig("bmV3", "b2xk")
	if err != nil {
		t.Fatal(err)
	}
	secretbox, aescbc, identity := strings.Index(string(text), "secretbox"), strings.Index(string(text), "aescbc"), strings.Index(string(text), "identity")
	if secretbox < 0 || aescbc < secretbox || identity < aescbc {
		t.Errorf("order of providers is wrong:\n%s", text)
	}
}

func TestSecretFiles_EachComponentReadsItsOwnAndRenewalRestartsNobody(t *testing.T) {
	bundle, err := secrets.Generate(secrets.Options{Now: time.Now(), ServiceAccountKey: pki.ECDSAP256})
	if err != nil {
		t.Fatal(err)
	}
	pair := func(crt string) *value.CertificateAndKey {
		return &value.CertificateAndKey{Crt: []byte(crt), Key: []byte("key")}
	}
	root := secretspec.KubernetesRootSecretSpec{
		IssuingCA:      &value.CertificateAndKey{Crt: bundle.Certs.K8s.Crt, Key: bundle.Certs.K8s.Key},
		AcceptedCAs:    []*value.Certificate{{Crt: bundle.Certs.K8s.Crt}},
		AggregatorCA:   pair("aggregator"),
		ServiceAccount: &value.Key{Key: value.Base64(bundle.Certs.K8sServiceAccount.Key)},
	}
	versions := func(crt string) (map[string]string, []componentFile) {
		text, err := kubeconfig.Component{Server: "https://127.0.0.1:6443", CA: []byte("ca"), User: "u", Client: pki.Pair{Crt: []byte(crt), Key: []byte("key")}}.Encode()
		if err != nil {
			t.Fatal(err)
		}
		files, err := secretFiles(root,
			secretspec.KubernetesDynamicCertSpec{APIServer: pair(crt), APIServerKubeletClient: pair(crt), FrontProxy: pair(crt)},
			secretspec.KubernetesSecretSpec{ControllerManagerKubeconfig: string(text), SchedulerKubeconfig: string(text), LocalhostAdminKubeconfig: string(text)},
			secretspec.EtcdSecretSpec{EtcdAPIServer: pair(crt)}, []byte("etcd"))
		if err != nil {
			t.Fatal(err)
		}
		c := &ControlPlane{Write: func([]filespec.File) error { return nil }}
		got, err := c.write(files)
		if err != nil {
			t.Fatal(err)
		}
		return got, files
	}
	first, files := versions("one")
	second, _ := versions("two")
	if diff := cmp.Diff(first, second); diff != "" || len(first) != 3 {
		t.Errorf("renewed certificates change versions (-before +after):\n%s", diff)
	}
	for _, f := range files {
		if f.file.UID != owner(f.component) || f.file.Mode != 0o400 || !strings.HasPrefix(f.file.Path, SecretFolder+"/"+f.component+"/") {
			t.Errorf("%s: owner %d mode %o", f.file.Path, f.file.UID, f.file.Mode)
		}
	}
}
