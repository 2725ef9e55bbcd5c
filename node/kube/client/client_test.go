package client

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func configMap(name string, data map[string]any) map[string]any {
	return map[string]any{"apiVersion": "v1", "kind": "ConfigMap", "metadata": map[string]any{"name": name, "namespace": "kube-system"}, "data": data}
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
		if err := client.Apply(t.Context(), configMap("a", map[string]any{"k": "v"})); err != nil {
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
	if err := client.Apply(t.Context(), map[string]any{"apiVersion": "v1", "kind": "Nonsense", "metadata": map[string]any{"name": "a"}}); err == nil {
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

func TestFollow_ListsThenTellsOfChangesUntilTheServerCloses(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Query().Get("watch") == "" {
			_, _ = io.WriteString(w, `{"metadata":{"resourceVersion":"7"},"items":[{"metadata":{"name":"a"}}]}`)
			return
		}
		if r.URL.Query().Get("resourceVersion") != "7" || r.URL.Query().Get("fieldSelector") != "x=y" {
			t.Errorf("watch asks %s", r.URL.RequestURI())
		}
		_, _ = io.WriteString(w, `{"type":"MODIFIED","object":{"metadata":{"name":"a"}}}{"type":"DELETED","object":{"metadata":{"name":"a"}}}`)
	}))
	defer server.Close()
	var got []string
	err := (&Client{http: server.Client()}).At(server.URL).Follow(t.Context(), "/api/v1/nodes", "x=y",
		func(list []map[string]any) error { got = append(got, "list"); return nil },
		func(_ map[string]any, deleted bool) error {
			got = append(got, map[bool]string{false: "change", true: "deleted"}[deleted])
			return nil
		})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"list", "change", "deleted"}, got); diff != "" {
		t.Errorf("told (-want +got):\n%s", diff)
	}
}
