package kubelet

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"os"
	"time"

	secretspec "github.com/ichor-os/ichor/node/secret/spec"
	"github.com/ichor-os/ichor/told"
)

// joinEvery is how often a node asks whether it may join, joinBound how long an
// answer may take.
const (
	joinEvery = 500 * time.Millisecond
	joinBound = 5 * time.Second
)

// joiner asks the Kubernetes API whether a kubelet may join with a token.
type joiner struct {
	url, token string
	client     *http.Client
}

func newJoiner(s secretspec.KubeletSecretSpec) (*joiner, error) {
	roots := x509.NewCertPool()
	if !roots.AppendCertsFromPEM(bundle(s.AcceptedCAs)) {
		return nil, errors.New("join: no certificate in cluster.ca")
	}
	if s.Endpoint == nil {
		return nil, errors.New("join: no endpoint of the Kubernetes API is known")
	}
	return &joiner{
		url:   s.Endpoint.JoinPath("/apis/authorization.k8s.io/v1/selfsubjectaccessreviews").String(),
		token: s.BootstrapTokenID + "." + s.BootstrapTokenSecret,
		client: &http.Client{Timeout: joinBound, Transport: &http.Transport{
			TLSClientConfig: &tls.Config{RootCAs: roots, MinVersion: tls.VersionTLS12}, DisableKeepAlives: true,
		}},
	}, nil
}

// ask is nil when kubelet may ask for a certificate with the token; the error
// says what keeps it, and what an administrator may do about that.
func (j *joiner) ask(ctx context.Context) error {
	const review = `{"apiVersion":"authorization.k8s.io/v1","kind":"SelfSubjectAccessReview","spec":{"resourceAttributes":` +
		`{"group":"certificates.k8s.io","resource":"certificatesigningrequests","verb":"create"}}}`
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, j.url, bytes.NewReader([]byte(review)))
	if err != nil {
		return fmt.Errorf("join: %w", err)
	}
	request.Header.Set("Authorization", "Bearer "+j.token)
	request.Header.Set("Content-Type", "application/json")
	response, err := j.client.Do(request)
	var foreign x509.UnknownAuthorityError
	switch {
	case errors.As(err, &foreign):
		return fmt.Errorf("the Kubernetes API shows a certificate of another authority: is cluster.ca that of this cluster, and cluster.controlPlane.endpoint its address? (%w)", err)
	case err != nil:
		return fmt.Errorf("no API server answers: %w", err)
	}
	defer response.Body.Close()
	switch response.StatusCode {
	case http.StatusCreated, http.StatusOK:
	case http.StatusUnauthorized:
		return errors.New("the Kubernetes API does not know the token yet: if that goes on, cluster.token is not that of this cluster")
	default:
		return fmt.Errorf("the Kubernetes API answers %s", response.Status)
	}
	var answer struct{ Status struct{ Allowed bool } }
	if err := json.NewDecoder(response.Body).Decode(&answer); err != nil {
		return fmt.Errorf("read answer of the Kubernetes API: %w", err)
	}
	if !answer.Status.Allowed {
		return errors.New("the Kubernetes API does not let the token ask for certificates yet")
	}
	return nil
}

// AwaitJoin returns when kubelet may start: at once where the node has joined
// before or signs for itself, and otherwise when the Kubernetes API takes its
// token. Kubelet would try too, but with pauses that grow to minutes, and its
// first answers are those for a nobody.
func (a *Agent) AwaitJoin(ctx context.Context) error {
	var said told.Errors
	for {
		a.mu.Lock()
		joining := a.joining
		a.mu.Unlock()
		if _, err := os.Stat(KubeconfigPath); err == nil || joining == nil {
			return nil
		}
		err := joining.ask(ctx)
		if err == nil {
			return nil
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		said.Tell(a.Log, slog.LevelWarn, "node does not join yet", err)
		select {
		case <-time.After(joinEvery):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}
