package addons

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"

	"github.com/ichor-os/ichor/config/documents/v1alpha1"
	configspec "github.com/ichor-os/ichor/node/config/spec"
	filespec "github.com/ichor-os/ichor/node/file/spec"
	"github.com/ichor-os/ichor/node/kube/client"
	"github.com/ichor-os/ichor/node/kube/spec"
	kubeletspec "github.com/ichor-os/ichor/node/kubelet/spec"
	secretspec "github.com/ichor-os/ichor/node/secret/spec"
	"github.com/ichor-os/ichor/resource"
	"github.com/ichor-os/ichor/version"
)

// Addons brings the wanted objects to the cluster.
type Addons struct {
	// Client gives a client of this node's API server.
	Client func() (*client.Client, error)
	// Write writes files to the node.
	Write func([]filespec.File) error
	Log   *slog.Logger
	// Namespaced nodes share a kernel whose limits are not theirs.
	Namespaced bool
}

// Blocks are the blocks of the add-ons.
func (a *Addons) Blocks() []resource.Block {
	return []resource.Block{
		resource.Reconciler("manifests-config", reconcileConfig),
		resource.Reconciler("bootstrap-manifests", a.reconcileManifests),
		resource.Job("extra-manifests", spec.ExtraManifestsConfigs, fetchExtra, resource.CancelOnChange(), resource.Timeout(5*time.Minute)),
		resource.Mirror("manifests", spec.BootstrapManifestsConfigs, nil, a.ensure, func(context.Context, *resource.Session, resource.Resource[spec.BootstrapManifestsConfigSpec]) error {
			return nil // the cluster's objects outlive a node of it
		}),
		resource.Mirror("pod-network", spec.PodNetworks, nil, a.configureNetwork, removeNetwork),
		resource.Reconciler("pod-network-config", reconcileNetwork),
	}
}

// reconcileNetwork asks for the configuration of the system's own pod network.
func reconcileNetwork(_ context.Context, s *resource.Session) error {
	c, ok, err := configspec.Config(s)
	if err != nil || !ok || c.Main() == nil || c.Main().Cluster == nil {
		return err
	}
	if cniName(c.Main().Cluster) == "flannel" {
		spec.PodNetworks.Put(s, "", spec.PodNetworkSpec{Name: "flannel"})
	}
	return nil
}

func cniName(cluster *v1alpha1.ClusterConfig) string {
	if n := cluster.Network; n != nil && n.CNI != nil && n.CNI.Name != "" {
		return n.CNI.Name
	}
	return "flannel"
}

// reconcileConfig says what the config wants of the cluster's objects.
func reconcileConfig(_ context.Context, s *resource.Session) error {
	c, ok, err := configspec.Config(s)
	if err != nil || !ok {
		return err
	}
	main := c.Main()
	if main == nil || main.Machine == nil || main.Machine.Type == "worker" || main.Cluster == nil || main.Cluster.ControlPlane == nil {
		return nil
	}
	out, err := configOf(main)
	if err != nil {
		return err
	}
	spec.BootstrapManifestsConfigs.Put(s, "manifests", out)
	if extra := extraOf(main.Cluster); len(extra.ExtraManifests) > 0 {
		spec.ExtraManifestsConfigs.Put(s, "extra", extra)
	}
	return nil
}

func configOf(main *v1alpha1.Config) (spec.BootstrapManifestsConfigSpec, error) {
	cluster := main.Cluster
	endpoint := cluster.ControlPlane.Endpoint.URL
	if port := main.KubePrismPort(); port != 0 {
		// These run on the nodes' own network, so the balancer of each is there.
		endpoint = &url.URL{Scheme: "https", Host: net.JoinHostPort("127.0.0.1", strconv.Itoa(port))}
	}
	out := spec.BootstrapManifestsConfigSpec{
		Server: endpoint.String(), ClusterDomain: "cluster.local", PodCIDRs: []string{"10.244.0.0/16"},
		ProxyEnabled: true, ProxyImage: "registry.k8s.io/kube-proxy:v" + version.Kubernetes,
		CoreDNSEnabled: true, CoreDNSImage: version.CoreDNSImage, FlannelImage: version.FlannelImage, CNIName: cniName(cluster),
		FlannelKubeServiceHost: endpoint.Hostname(), FlannelKubeServicePort: endpoint.Port(),
	}
	if out.FlannelKubeServicePort == "" {
		out.FlannelKubeServicePort = "443"
	}
	out.FlannelEnabled = out.CNIName == "flannel"
	services := []string{"10.96.0.0/12"}
	if n := cluster.Network; n != nil {
		if n.DNSDomain != "" {
			out.ClusterDomain = n.DNSDomain
		}
		if len(n.PodSubnets) > 0 {
			out.PodCIDRs = n.PodSubnets
		}
		if len(n.ServiceSubnets) > 0 {
			services = n.ServiceSubnets
		}
		if n.CNI != nil && n.CNI.Flannel != nil {
			out.FlannelExtraArgs = n.CNI.Flannel.ExtraArgs
		}
	}
	for _, subnet := range services {
		dns, err := kubeletspec.NameService(subnet)
		if err != nil {
			return out, err
		}
		if dns.Is4() {
			out.DNSServiceIP = dns.String()
		} else {
			out.DNSServiceIPv6 = dns.String()
		}
	}
	if d := cluster.CoreDNS; d != nil {
		out.CoreDNSEnabled = d.Disabled == nil || !*d.Disabled
		if d.Image != "" {
			out.CoreDNSImage = d.Image
		}
	}
	if p := cluster.Proxy; p != nil {
		out.ProxyEnabled = p.Disabled == nil || !*p.Disabled
		if p.Image != "" {
			out.ProxyImage = p.Image
		}
		if p.Mode != "" {
			out.ProxyArgs = append(out.ProxyArgs, "--proxy-mode="+p.Mode)
		}
		for _, name := range slices.Sorted(maps.Keys(p.ExtraArgs)) {
			for _, value := range p.ExtraArgs[name].Values {
				out.ProxyArgs = append(out.ProxyArgs, "--"+name+"="+value)
			}
		}
	}
	return out, nil
}

// extraOf lists the manifests that the config adds: a pod network of its own
// first, a cloud's next, the others last.
func extraOf(cluster *v1alpha1.ClusterConfig) spec.ExtraManifestsConfigSpec {
	var out spec.ExtraManifestsConfigSpec
	add := func(priority string, urls []string, headers map[string]string) {
		for _, url := range urls {
			out.ExtraManifests = append(out.ExtraManifests, spec.ExtraManifest{Name: url, URL: url, Priority: priority, ExtraHeaders: headers})
		}
	}
	if n := cluster.Network; n != nil && n.CNI != nil && n.CNI.Name == "custom" {
		add("05", n.CNI.URLs, nil)
	}
	if e := cluster.ExternalCloudProvider; e != nil && e.Enabled != nil && *e.Enabled {
		add("30", e.Manifests, nil)
	}
	add("99", cluster.ExtraManifests, cluster.ExtraManifestHeaders)
	for _, m := range cluster.InlineManifests {
		out.ExtraManifests = append(out.ExtraManifests, spec.ExtraManifest{Name: m.Name, Priority: "99", InlineManifest: m.Contents})
	}
	return out
}

// reconcileManifests lists the objects that every cluster has.
func (a *Addons) reconcileManifests(_ context.Context, s *resource.Session) error {
	c, ok := spec.BootstrapManifestsConfigs.Get(s, "manifests")
	if !ok {
		return nil
	}
	root, ok := secretspec.KubernetesRootSecrets.Get(s, "k8s")
	if !ok {
		return resource.Hold("waiting for the cluster's secrets")
	}
	put := func(id string, objects []map[string]any) error {
		m, err := manifest(objects)
		if err == nil {
			spec.Manifests.Put(s, id, m)
		}
		return err
	}
	token := root.BootstrapTokenID + "." + root.BootstrapTokenSecret
	failures := put("00-kubelet-bootstrapping", joining(token))
	if c.FlannelEnabled {
		failures = errors.Join(failures, put("05-flannel", flannel(c)))
	}
	if c.ProxyEnabled {
		failures = errors.Join(failures, put("10-kube-proxy", proxy(c, a.Namespaced)))
	}
	if c.CoreDNSEnabled {
		failures = errors.Join(failures, put("11-core-dns", coreDNS(c)))
	}
	return failures
}

// manifest makes plain values of objects, as the API has them.
func manifest(objects []map[string]any) (spec.ManifestSpec, error) {
	var out spec.ManifestSpec
	for _, object := range objects {
		text, err := yaml.Marshal(object)
		if err != nil {
			return out, err
		}
		items, err := parse(text)
		if err != nil {
			return out, err
		}
		out.Items = append(out.Items, items...)
	}
	return out, nil
}

// parse reads a manifest: documents of YAML, each an object or a list of them.
func parse(text []byte) ([]spec.SingleManifest, error) {
	var out []spec.SingleManifest
	for documents := yaml.NewDecoder(bytes.NewReader(text)); ; {
		var object map[string]any
		err := documents.Decode(&object)
		if errors.Is(err, io.EOF) {
			return out, nil
		}
		if err != nil {
			return nil, fmt.Errorf("read manifest: %w", err)
		}
		kind, _ := object["kind"].(string)
		items, isList := object["items"].([]any)
		switch {
		case len(object) == 0:
		case isList && strings.HasSuffix(kind, "List"):
			for _, item := range items {
				if one, ok := item.(map[string]any); ok {
					out = append(out, spec.SingleManifest{Object: one})
				}
			}
		case kind == "":
			return nil, errors.New("read manifest: an object has no kind")
		default:
			out = append(out, spec.SingleManifest{Object: object})
		}
	}
}

// fetchExtra gets the manifests that the config adds. One that cannot be had
// keeps no other back; it is tried again.
func fetchExtra(ctx context.Context, s *resource.Session, r resource.Resource[spec.ExtraManifestsConfigSpec]) error {
	var failures error
	for _, m := range r.Spec.ExtraManifests {
		text := []byte(m.InlineManifest)
		id := m.Priority + "-" + m.Name
		var err error
		if m.URL != "" {
			text, err = download(ctx, m)
		}
		var items []spec.SingleManifest
		if err == nil {
			items, err = parse(text)
		}
		if err != nil {
			failures = errors.Join(failures, fmt.Errorf("extra manifest %s: %w", m.Name, err))
			// What was had before stays wanted.
			if old, ok := spec.Manifests.Get(s, id); ok {
				spec.Manifests.Put(s, id, old)
			}
			continue
		}
		spec.Manifests.Put(s, id, spec.ManifestSpec{Items: items})
	}
	if err := s.Publish(); err != nil {
		return err
	}
	if failures != nil {
		slog.Error("extra manifests are not complete, they will be tried again", "error", failures)
	}
	return failures
}

// largest is the size of the largest manifest, in bytes.
const largest = 16 << 20

func download(ctx context.Context, m spec.ExtraManifest) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, 30*time.Second)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, m.URL, nil)
	if err != nil {
		return nil, err
	}
	for name, value := range m.ExtraHeaders {
		request.Header.Set(name, value)
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("status %s", response.Status)
	}
	return io.ReadAll(io.LimitReader(response.Body, largest))
}
