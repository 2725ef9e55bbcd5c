package kube

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/ichor-os/ichor/pki"
	"github.com/ichor-os/ichor/pki/secrets"
)

func settings(t *testing.T) Settings {
	t.Helper()
	bundle, err := secrets.Generate(secrets.Options{Now: time.Now(), ServiceAccountKey: pki.ECDSAP256})
	if err != nil {
		t.Fatal(err)
	}
	return Settings{
		ClusterName: "c", NodeName: "cp-1", Address: netip.MustParseAddr("10.5.0.2"), Endpoint: "https://10.5.0.1:6443", Port: 6443,
		PodNets: []string{"10.244.0.0/16"}, ServiceNets: []string{"10.96.0.0/12"}, Domain: "cluster.local",
		CA: bundle.Certs.K8s, AggregatorCA: bundle.Certs.K8sAggregator, EtcdCA: bundle.Certs.Etcd,
		ServiceAccountKey: bundle.Certs.K8sServiceAccount.Key, CNI: "flannel", BootstrapToken: bundle.Secrets.BootstrapToken,
		Images: Images{
			APIServer: "r/kube-apiserver:v1", ControllerManager: "r/kube-controller-manager:v1", Scheduler: "r/kube-scheduler:v1",
			Proxy: "r/kube-proxy:v1", CoreDNS: "r/coredns:v1", Flannel: "r/flannel:v1",
		},
		AdminLifetime: time.Hour, Namespaced: true,
	}
}

func TestFiles_EachComponentReadsItsOwnAlone(t *testing.T) {
	files, err := Files(settings(t), time.Now())
	if err != nil {
		t.Fatal(err)
	}
	owners := map[string]int{"kube-apiserver": apiServerUID, "kube-controller-manager": controllerManagerUID, "kube-scheduler": schedulerUID, "admin": 0}
	for _, f := range files {
		component := strings.Split(strings.TrimPrefix(f.Path, SecretFolder+"/"), "/")[0]
		if want, ok := owners[component]; !ok || f.UID != want || f.Mode != 0o400 {
			t.Errorf("%s: owner %d mode %o, want %d and 400", f.Path, f.UID, f.Mode, want)
		}
		if strings.HasSuffix(f.Path, "apiserver.crt") {
			certificate, err := pki.ParseCertificate(f.Content)
			if err != nil {
				t.Fatal(err)
			}
			for _, name := range []string{"10.96.0.1", "127.0.0.1", "kubernetes.default.svc.cluster.local", "cp-1"} {
				if err := certificate.VerifyHostname(name); err != nil {
					t.Error(err)
				}
			}
		}
	}
}

func TestStaticPod_ChangesOnlyWithWhatItUses(t *testing.T) {
	s := settings(t)
	api, err := APIServer(s)
	if err != nil {
		t.Fatal(err)
	}
	scheduler, err := Scheduler(s)
	if err != nil {
		t.Fatal(err)
	}
	s.APIServerArgs = map[string][]string{"profiling": {"true"}, "audit-log-path": {"-"}}
	changed, err := APIServer(s)
	if err != nil {
		t.Fatal(err)
	}
	same, err := Scheduler(s)
	if err != nil {
		t.Fatal(err)
	}
	if bytes.Equal(api.Content, changed.Content) || !bytes.Equal(scheduler.Content, same.Content) {
		t.Error("an argument of the API server must change its pod and no other")
	}
	if text := string(changed.Content); !strings.Contains(text, "--profiling=true") || strings.Contains(text, "--profiling=false") {
		t.Errorf("further arguments do not replace ours:\n%s", text)
	}
	if strings.Contains(string(api.Content), `"/system`) {
		t.Error("/system is mounted into a pod")
	}
}

func TestStaticPod_CarriesLabelsAndPriority(t *testing.T) {
	f, err := ControllerManager(settings(t))
	if err != nil {
		t.Fatal(err)
	}
	var pod struct {
		Metadata struct{ Labels map[string]string }
		Spec     struct {
			Priority          int
			PriorityClassName string
		}
	}
	if err := json.Unmarshal(f.Content, &pod); err != nil {
		t.Fatal(err)
	}
	want := map[string]string{
		"tier": "control-plane", "k8s-app": "kube-controller-manager", "component": "kube-controller-manager",
		"app.kubernetes.io/name": "kube-controller-manager", "app.kubernetes.io/component": "control-plane", "app.kubernetes.io/version": "v1",
	}
	if diff := cmp.Diff(want, pod.Metadata.Labels); diff != "" {
		t.Errorf("labels (-want +got):\n%s", diff)
	}
	if pod.Spec.Priority == 0 || pod.Spec.PriorityClassName == "" {
		t.Errorf("priority = %d, %q; want both", pod.Spec.Priority, pod.Spec.PriorityClassName)
	}
}

func TestAddons_RespectWhatIsSwitchedOff(t *testing.T) {
	for name, test := range map[string]struct {
		change func(*Settings)
		lacks  string
	}{
		"no proxy":   {func(s *Settings) { s.ProxyDisabled = true }, "kube-proxy"},
		"no DNS":     {func(s *Settings) { s.DNSDisabled = true }, "coredns"},
		"own CNI":    {func(s *Settings) { s.CNI = "custom" }, "flannel"},
		"everything": {func(*Settings) {}, "no such object"},
	} {
		t.Run(name, func(t *testing.T) {
			s := settings(t)
			test.change(&s)
			objects, err := Addons(s)
			if err != nil {
				t.Fatal(err)
			}
			for _, o := range objects {
				if name := o["metadata"].(map[string]any)["name"].(string); strings.Contains(name, test.lacks) {
					t.Errorf("object %s is there", name)
				}
			}
		})
	}
}

// api is a Kubernetes API that knows config maps and writes down what it gets.
func api(t *testing.T) (*Client, *[]string) {
	t.Helper()
	var got []string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		got = append(got, r.Method+" "+r.URL.RequestURI()+" "+string(body))
		switch {
		case r.URL.Path == "/api/v1":
			_, _ = io.WriteString(w, `{"resources":[{"name":"configmaps","kind":"ConfigMap","namespaced":true},{"name":"configmaps/x","kind":"ConfigMap"}]}`)
		case r.Method == http.MethodPatch && strings.Contains(r.URL.Path, "forbidden"):
			w.WriteHeader(http.StatusForbidden)
			_, _ = io.WriteString(w, `{"message":"not allowed"}`)
		case strings.HasSuffix(r.URL.Path, "endpointslices/kubernetes"):
			_, _ = io.WriteString(w, `{"endpoints":[{"addresses":["10.5.0.2"]},{"addresses":["10.5.0.3"]}]}`)
		default:
			_, _ = io.WriteString(w, "{}")
		}
	}))
	t.Cleanup(server.Close)
	return (&Client{http: server.Client()}).At(server.URL), &got
}

func TestApply_PatchesServerSideAndAsksForResourcesOnce(t *testing.T) {
	client, got := api(t)
	for range 2 {
		if err := client.Apply(t.Context(), configMap("a", object{"k": "v"})); err != nil {
			t.Fatal(err)
		}
	}
	patch := `PATCH /api/v1/namespaces/kube-system/configmaps/a?fieldManager=ichor&force=true {"apiVersion":"v1","data":{"k":"v"},"kind":"ConfigMap","metadata":{"name":"a","namespace":"kube-system"}}`
	if diff := cmp.Diff([]string{"GET /api/v1 ", patch, patch}, *got); diff != "" {
		t.Errorf("requests (-want +got):\n%s", diff)
	}
}

func TestApply_NamesTheObjectAndTheReason(t *testing.T) {
	client, _ := api(t)
	err := client.Apply(t.Context(), configMap("forbidden", nil))
	if err == nil || !strings.Contains(err.Error(), "ConfigMap forbidden") || !strings.Contains(err.Error(), "not allowed") {
		t.Errorf("error = %v", err)
	}
	if err := client.Apply(t.Context(), object{"apiVersion": "v1", "kind": "Nonsense", "metadata": meta("a", "")}); err == nil {
		t.Error("an unknown kind is applied")
	}
}

func TestControlPlanes_ListsTheEndpoints(t *testing.T) {
	client, _ := api(t)
	got, err := client.ControlPlanes(context.Background())
	if err != nil || len(got) != 2 || got[1].String() != "10.5.0.3" {
		t.Errorf("control planes = %v, %v", got, err)
	}
}
