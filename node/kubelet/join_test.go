package kubelet

import (
	"encoding/pem"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	secretspec "github.com/ichor-os/ichor/node/secret/spec"
	"github.com/ichor-os/ichor/resource/value"
)

func TestJoin_SaysWhatKeepsANode(t *testing.T) {
	status, answer := http.StatusCreated, `{"status":{"allowed":true}}`
	api := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "Bearer abcdef.0123456789abcdef" {
			status = http.StatusUnauthorized
		}
		w.WriteHeader(status)
		_, _ = w.Write([]byte(answer))
	}))
	defer api.Close()
	own := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: api.Certificate().Raw})

	ask := func(server, token string, ca []byte) error {
		t.Helper()
		endpoint, err := url.Parse(server)
		if err != nil {
			t.Fatal(err)
		}
		j, err := newJoiner(secretspec.KubeletSecretSpec{
			Endpoint: endpoint, BootstrapTokenID: "abcdef", BootstrapTokenSecret: token,
			AcceptedCAs: []*value.Certificate{{Crt: ca}},
		})
		if err != nil {
			t.Fatal(err)
		}
		return j.ask(t.Context())
	}
	const good = "0123456789abcdef"
	if err := ask(api.URL, good, own); err != nil {
		t.Errorf("a good token: %v", err)
	}
	for _, test := range []struct {
		name, server, token, answer, want string
		status                            int
	}{
		{"wrong token", api.URL, "wrong", "", "cluster.token", http.StatusCreated},
		{"not allowed yet", api.URL, good, `{"status":{"allowed":false}}`, "does not let", http.StatusCreated},
		{"starting", api.URL, good, "", "503", http.StatusServiceUnavailable},
		{"garbage", api.URL, good, "<html>", "read answer", http.StatusOK},
		{"nobody there", "https://127.0.0.1:1", good, "", "no API server answers", 0},
	} {
		status, answer = test.status, test.answer
		if err := ask(test.server, test.token, own); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: got %v, want %q in it", test.name, err, test.want)
		}
	}
	if err := ask(api.URL, good, authority(t)); err == nil || !strings.Contains(err.Error(), "cluster.ca") {
		t.Errorf("another authority: %v", err)
	}
}
