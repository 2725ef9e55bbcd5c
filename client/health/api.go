package health

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"time"

	"github.com/ichor-os/ichor/pki/kubeconfig"
)

// web reads from the Kubernetes API what tells that a cluster works.
type web struct {
	server string
	http   *http.Client
}

// NewKubernetes makes a Kubernetes of a kubeconfig.
func NewKubernetes(config *kubeconfig.Config) (Kubernetes, error) {
	secure, err := config.TLS()
	if err != nil {
		return nil, err
	}
	return &web{server: config.Server(), http: &http.Client{Timeout: 10 * time.Second, Transport: &http.Transport{TLSClientConfig: secure}}}, nil
}

// Get implements [Kubernetes].
func (k *web) Get(ctx context.Context, path string, into any) error {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, k.server+path, nil)
	if err != nil {
		return err
	}
	response, err := k.http.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return fmt.Errorf("ask Kubernetes API: %s%s: status %s", k.server, path, response.Status)
	}
	return json.NewDecoder(response.Body).Decode(into)
}
