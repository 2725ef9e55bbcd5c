package kube

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/netip"
	"net/url"
	"os"
	"strings"
	"time"

	"github.com/ichor-os/ichor/pki"
)

// Client speaks to the API server of this node. It knows objects as plain maps
// and learns their resources from the server, so no typed client is linked.
type Client struct {
	server string
	http   *http.Client
	known  map[string]resource
}

type resource struct {
	Name       string `json:"name"`
	Kind       string `json:"kind"`
	Namespaced bool   `json:"namespaced"`
}

// fieldManager owns the fields that the system applies.
const fieldManager = "ichor"

// NewClient makes a client with an administrator's kubeconfig, as Files wrote it.
func NewClient(path string) (*Client, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("read kubeconfig: %w", err)
	}
	var config struct {
		Clusters []struct {
			Cluster struct {
				Server string `json:"server"`
				CA     []byte `json:"certificate-authority-data"`
			} `json:"cluster"`
		} `json:"clusters"`
		Users []struct {
			User struct {
				Crt []byte `json:"client-certificate-data"`
				Key []byte `json:"client-key-data"`
			} `json:"user"`
		} `json:"users"`
	}
	if err := json.Unmarshal(text, &config); err != nil {
		return nil, fmt.Errorf("read kubeconfig: %s: %w", path, err)
	}
	if len(config.Clusters) != 1 || len(config.Users) != 1 {
		return nil, fmt.Errorf("read kubeconfig: %s: want one cluster and one user", path)
	}
	pair, err := pki.Pair{Crt: config.Users[0].User.Crt, Key: config.Users[0].User.Key}.TLS()
	if err != nil {
		return nil, fmt.Errorf("read kubeconfig: %s: %w", path, err)
	}
	pool := x509.NewCertPool()
	if !pool.AppendCertsFromPEM(config.Clusters[0].Cluster.CA) {
		return nil, fmt.Errorf("read kubeconfig: %s: no CA in it", path)
	}
	transport := &http.Transport{
		TLSClientConfig:     &tls.Config{Certificates: []tls.Certificate{pair}, RootCAs: pool, MinVersion: tls.VersionTLS12},
		TLSHandshakeTimeout: 10 * time.Second,
		IdleConnTimeout:     30 * time.Second,
		ForceAttemptHTTP2:   true,
	}
	return &Client{
		server: config.Clusters[0].Cluster.Server,
		http:   &http.Client{Transport: transport, Timeout: 30 * time.Second},
		known:  map[string]resource{},
	}, nil
}

// At gives a client with the same identity for another API server's URL.
func (c *Client) At(server string) *Client {
	return &Client{server: strings.TrimSuffix(server, "/"), http: c.http, known: map[string]resource{}}
}

// Get reads a path of the API, as JSON, into a value.
func (c *Client) Get(ctx context.Context, path string, into any) error {
	answer, err := c.do(ctx, http.MethodGet, path, "", nil)
	if err != nil {
		return fmt.Errorf("ask Kubernetes API: %s%s: %w", c.server, path, err)
	}
	if err := json.Unmarshal(answer, into); err != nil {
		return fmt.Errorf("ask Kubernetes API: %s%s: %w", c.server, path, err)
	}
	return nil
}

// ControlPlanes lists the addresses of the cluster's API servers.
func (c *Client) ControlPlanes(ctx context.Context) ([]netip.Addr, error) {
	answer, err := c.do(ctx, http.MethodGet, "/apis/discovery.k8s.io/v1/namespaces/default/endpointslices/kubernetes", "", nil)
	if err != nil {
		return nil, fmt.Errorf("ask for control planes: %w", err)
	}
	var slice struct {
		Endpoints []struct{ Addresses []netip.Addr }
	}
	if err := json.Unmarshal(answer, &slice); err != nil {
		return nil, fmt.Errorf("ask for control planes: %w", err)
	}
	var list []netip.Addr
	for _, endpoint := range slice.Endpoints {
		list = append(list, endpoint.Addresses...)
	}
	return list, nil
}

// do sends a request and gives the body of a good answer.
func (c *Client) do(ctx context.Context, method, path, contentType string, body []byte) ([]byte, error) {
	request, err := http.NewRequestWithContext(ctx, method, c.server+path, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	if contentType != "" {
		request.Header.Set("Content-Type", contentType)
	}
	request.Header.Set("Accept", "application/json")
	response, err := c.http.Do(request)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	answer, err := io.ReadAll(io.LimitReader(response.Body, 32<<20))
	if err != nil {
		return nil, err
	}
	if response.StatusCode/100 != 2 {
		var failure struct{ Message string }
		if json.Unmarshal(answer, &failure) == nil && failure.Message != "" {
			return nil, errors.New(failure.Message)
		}
		return nil, fmt.Errorf("status %s", response.Status)
	}
	return answer, nil
}

// Ready asks whether the API server is ready to serve.
func (c *Client) Ready(ctx context.Context) error {
	if _, err := c.do(ctx, http.MethodGet, "/readyz", "", nil); err != nil {
		return fmt.Errorf("ask API server: %w", err)
	}
	return nil
}

// path gives the URL path of an object.
func (c *Client) path(ctx context.Context, o map[string]any) (string, error) {
	version, _ := o["apiVersion"].(string)
	kind, _ := o["kind"].(string)
	metadata, _ := o["metadata"].(map[string]any)
	name, _ := metadata["name"].(string)
	namespace, _ := metadata["namespace"].(string)
	if version == "" || kind == "" || name == "" {
		return "", errors.New("an object needs apiVersion, kind and a name")
	}
	base := "/apis/" + version
	if !strings.Contains(version, "/") {
		base = "/api/" + version
	}
	found, ok := c.known[version+"/"+kind]
	if !ok {
		answer, err := c.do(ctx, http.MethodGet, base, "", nil)
		if err != nil {
			return "", fmt.Errorf("ask for resources: %s: %w", version, err)
		}
		var served struct {
			Resources []resource `json:"resources"`
		}
		if err := json.Unmarshal(answer, &served); err != nil {
			return "", fmt.Errorf("ask for resources: %s: %w", version, err)
		}
		for _, r := range served.Resources {
			if !strings.Contains(r.Name, "/") {
				c.known[version+"/"+r.Kind] = r
			}
		}
		if found, ok = c.known[version+"/"+kind]; !ok {
			return "", fmt.Errorf("the API server does not know %s %s", version, kind)
		}
	}
	if found.Namespaced {
		if namespace == "" {
			namespace = "default"
		}
		base += "/namespaces/" + namespace
	}
	return base + "/" + found.Name + "/" + url.PathEscape(name), nil
}

// Apply brings an object to the wanted state by server-side apply. Fields that
// others set stay theirs; ours win.
func (c *Client) Apply(ctx context.Context, o map[string]any) error {
	path, err := c.path(ctx, o)
	if err == nil {
		var body []byte
		if body, err = json.Marshal(o); err == nil {
			_, err = c.do(ctx, http.MethodPatch, path+"?fieldManager="+fieldManager+"&force=true", "application/apply-patch+yaml", body)
		}
	}
	if err != nil {
		metadata, _ := o["metadata"].(map[string]any)
		return fmt.Errorf("apply object: %v %v: %w", o["kind"], metadata["name"], err)
	}
	return nil
}

// LabelNode sets labels that kubelet may not set on its own node.
func (c *Client) LabelNode(ctx context.Context, node string, labels map[string]string) error {
	body, err := json.Marshal(map[string]any{"metadata": map[string]any{"labels": labels}})
	if err != nil {
		return err
	}
	if _, err := c.do(ctx, http.MethodPatch, "/api/v1/nodes/"+url.PathEscape(node), "application/merge-patch+json", body); err != nil {
		return fmt.Errorf("label node: %s: %w", node, err)
	}
	return nil
}
