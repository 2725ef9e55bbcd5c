// Package client speaks to an API server of Kubernetes. It knows objects as plain
// maps and learns their resources from the server, so that no typed client is
// linked.
package client

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"

	"github.com/ichor-os/ichor/pki"
)

// Client speaks to one API server. It is for one goroutine at a time.
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

// New makes a client with the text of a kubeconfig that has one cluster and one
// user. Certificates that it names as files are read at each connection.
func New(text []byte) (*Client, error) {
	var config struct {
		Clusters []struct {
			Cluster struct {
				Server string `yaml:"server"`
				CA     string `yaml:"certificate-authority-data"`
			} `yaml:"cluster"`
		} `yaml:"clusters"`
		Users []struct {
			User struct {
				Crt     string `yaml:"client-certificate-data"`
				Key     string `yaml:"client-key-data"`
				CrtFile string `yaml:"client-certificate"`
				KeyFile string `yaml:"client-key"`
			} `yaml:"user"`
		} `yaml:"users"`
	}
	if err := yaml.Unmarshal(text, &config); err != nil {
		return nil, fmt.Errorf("read kubeconfig: %w", err)
	}
	if len(config.Clusters) != 1 || len(config.Users) != 1 {
		return nil, errors.New("read kubeconfig: want one cluster and one user")
	}
	user := config.Users[0].User
	var identity func() (tls.Certificate, error)
	if user.CrtFile != "" {
		identity = func() (tls.Certificate, error) { return tls.LoadX509KeyPair(user.CrtFile, user.KeyFile) }
	} else {
		crt, err := base64.StdEncoding.DecodeString(user.Crt)
		key, err2 := base64.StdEncoding.DecodeString(user.Key)
		if err := errors.Join(err, err2); err != nil {
			return nil, fmt.Errorf("read kubeconfig: %w", err)
		}
		pair, err := pki.Pair{Crt: crt, Key: key}.TLS()
		if err != nil {
			return nil, fmt.Errorf("read kubeconfig: %w", err)
		}
		identity = func() (tls.Certificate, error) { return pair, nil }
	}
	ca, err := base64.StdEncoding.DecodeString(config.Clusters[0].Cluster.CA)
	if err != nil {
		return nil, fmt.Errorf("read kubeconfig: %w", err)
	}
	pool := x509.NewCertPool()
	if !pool.AppendCertsFromPEM(ca) {
		return nil, errors.New("read kubeconfig: no CA in it")
	}
	transport := &http.Transport{
		TLSClientConfig: &tls.Config{
			RootCAs: pool, MinVersion: tls.VersionTLS12,
			GetClientCertificate: func(*tls.CertificateRequestInfo) (*tls.Certificate, error) {
				pair, err := identity()
				return &pair, err
			},
		},
		TLSHandshakeTimeout:   10 * time.Second,
		ResponseHeaderTimeout: 30 * time.Second,
		IdleConnTimeout:       30 * time.Second,
		ForceAttemptHTTP2:     true,
	}
	return &Client{server: strings.TrimSuffix(config.Clusters[0].Cluster.Server, "/"), http: &http.Client{Transport: transport}, known: map[string]resource{}}, nil
}

// Close ends idle connections.
func (c *Client) Close() { c.http.CloseIdleConnections() }

// At gives a client with the same identity for another API server's URL.
func (c *Client) At(server string) *Client {
	return &Client{server: strings.TrimSuffix(server, "/"), http: c.http, known: map[string]resource{}}
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

// Status is a failure that the API server tells of.
type Status struct {
	Code    int
	Message string
}

// Error implements error.
func (s *Status) Error() string { return s.Message }

// IsNotFound reports whether an error says that there is no such object.
func IsNotFound(err error) bool {
	var s *Status
	return errors.As(err, &s) && s.Code == http.StatusNotFound
}

// send sends a request and gives a good answer, whose body the caller closes.
func (c *Client) send(ctx context.Context, method, path, contentType string, body []byte) (*http.Response, error) {
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
	if response.StatusCode/100 == 2 {
		return response, nil
	}
	defer response.Body.Close()
	answer, err := io.ReadAll(io.LimitReader(response.Body, 1<<20))
	if err != nil {
		return nil, err
	}
	failure := Status{Code: response.StatusCode}
	if json.Unmarshal(answer, &failure) != nil || failure.Message == "" {
		failure.Message = "status " + response.Status
	}
	failure.Code = response.StatusCode
	return nil, &failure
}

// requestTimeout bounds one request, with its answer.
const requestTimeout = 30 * time.Second

// do sends a request and gives the body of a good answer.
func (c *Client) do(ctx context.Context, method, path, contentType string, body []byte) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, requestTimeout)
	defer cancel()
	response, err := c.send(ctx, method, path, contentType, body)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	return io.ReadAll(io.LimitReader(response.Body, 32<<20))
}

// Get gives what is at a path.
func (c *Client) Get(ctx context.Context, path string, into any) error {
	answer, err := c.do(ctx, http.MethodGet, path, "", nil)
	if err != nil {
		return fmt.Errorf("get %s: %w", path, err)
	}
	return json.Unmarshal(answer, into)
}

// Merge changes what is at a path by a JSON merge patch.
func (c *Client) Merge(ctx context.Context, path string, change any) error {
	body, err := json.Marshal(change)
	if err != nil {
		return err
	}
	if _, err := c.do(ctx, http.MethodPatch, path+"?fieldManager="+fieldManager, "application/merge-patch+json", body); err != nil {
		return fmt.Errorf("change %s: %w", path, err)
	}
	return nil
}

// Put replaces what is at a path.
func (c *Client) Put(ctx context.Context, path string, object any) error {
	body, err := json.Marshal(object)
	if err != nil {
		return err
	}
	if _, err := c.do(ctx, http.MethodPut, path, "application/json", body); err != nil {
		return fmt.Errorf("replace %s: %w", path, err)
	}
	return nil
}

// Delete deletes an object; one that is not there is no error.
func (c *Client) Delete(ctx context.Context, o map[string]any) error {
	path, err := c.path(ctx, o)
	if err == nil {
		_, err = c.do(ctx, http.MethodDelete, path+"?propagationPolicy=Background", "", nil)
	}
	if err != nil && !IsNotFound(err) {
		metadata, _ := o["metadata"].(map[string]any)
		return fmt.Errorf("delete object: %v %v: %w", o["kind"], metadata["name"], err)
	}
	return nil
}

// Follow lists what is at a collection's path and tells each again as it
// changes, until ctx ends or the server closes, which is no error. deleted says
// that an object is no more.
func (c *Client) Follow(ctx context.Context, path, selector string, all func([]map[string]any) error, change func(o map[string]any, deleted bool) error) error {
	query := url.Values{}
	if selector != "" {
		query.Set("fieldSelector", selector)
	}
	var list struct {
		Metadata struct{ ResourceVersion string }
		Items    []map[string]any
	}
	if err := c.Get(ctx, path+"?"+query.Encode(), &list); err != nil {
		return err
	}
	if err := all(list.Items); err != nil {
		return err
	}
	query.Set("watch", "1")
	query.Set("timeoutSeconds", "300")
	query.Set("resourceVersion", list.Metadata.ResourceVersion)
	response, err := c.send(ctx, http.MethodGet, path+"?"+query.Encode(), "", nil)
	if err != nil {
		return fmt.Errorf("watch %s: %w", path, err)
	}
	defer response.Body.Close()
	for events := json.NewDecoder(response.Body); ; {
		var event struct {
			Type   string
			Object map[string]any
		}
		if err := events.Decode(&event); err != nil {
			if errors.Is(err, io.EOF) {
				return nil
			}
			return fmt.Errorf("watch %s: %w", path, err)
		}
		if event.Type == "ERROR" {
			return nil // it is listed anew
		}
		if err := change(event.Object, event.Type == "DELETED"); err != nil {
			return err
		}
	}
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
