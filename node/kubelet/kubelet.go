// Package kubelet runs the Kubernetes agent of a node as a container: which name
// and addresses the node has, kubelet's configuration, its identity and its
// mounts.
//
// Reconcilers derive KubeletSpecs from the config; an Agent writes kubelet's
// files and starts it again when the spec changes, and for nothing else.
package kubelet

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"sync"

	filespec "github.com/ichor-os/ichor/node/file/spec"
	"github.com/ichor-os/ichor/node/kubelet/spec"
	secretspec "github.com/ichor-os/ichor/node/secret/spec"
	servicespec "github.com/ichor-os/ichor/node/service/spec"
	"github.com/ichor-os/ichor/pki"
	"github.com/ichor-os/ichor/pki/kubeconfig"
	"github.com/ichor-os/ichor/resource"
	"github.com/ichor-os/ichor/resource/value"
	"github.com/ichor-os/ichor/told"
)

// Places of kubelet on a node.
const (
	ConfigPath     = "/etc/kubernetes/kubelet.yaml"
	KubeconfigPath = "/etc/kubernetes/kubeconfig-kubelet"
	BootstrapPath  = "/etc/kubernetes/bootstrap-kubeconfig"
	CAPath         = "/etc/kubernetes/pki/ca.crt"
	// CredentialPath is CredentialProviderConfig, and CredentialProviders the
	// folder of the programs that it names.
	CredentialPath      = "/etc/kubernetes/credential-providers.yaml"
	CredentialProviders = "/usr/local/lib/kubelet/credentialproviders"
	servingBase         = "/etc/kubernetes/pki/kubelet"
)

// Manifests is the folder of static pods: one that lives in memory, or the one
// that people put files of their own in.
func Manifests(own bool) string {
	if own {
		return "/run/kubelet/manifests"
	}
	return "/etc/kubernetes/manifests"
}

// Folders must be there before kubelet starts.
var Folders = []string{Manifests(true), Manifests(false), "/var/lib/kubelet", "/var/log/pods", "/var/log/containers", "/etc/cni/net.d"}

// Service is kubelet's service on the node.
type Service interface {
	// Start starts it; one that runs is left alone.
	Start() error
	// Restart stops it and starts it anew.
	Restart(ctx context.Context) error
	// Stop stops it.
	Stop(ctx context.Context) error
}

// Agent runs kubelet as its spec says.
type Agent struct {
	Service Service
	// Write writes files to the node.
	Write func([]filespec.File) error
	Log   *slog.Logger
	// Namespaced nodes share a kernel whose limits are not theirs.
	Namespaced bool
	// Folders are made before kubelet starts.
	Folders []string

	mu        sync.Mutex
	container *servicespec.Container
	running   [sha256.Size]byte // of what it was started with
	joining   *joiner           // nil where the node signs for itself
	said      told.Errors
}

// Blocks are the blocks of kubelet and of the node's name and addresses.
func (a *Agent) Blocks() []resource.Block {
	return []resource.Block{
		resource.Reconciler("settled-addresses", reconcileSettled),
		resource.Reconciler("nodename", reconcileNodename),
		resource.Reconciler("node-ip-config", reconcileNodeIPConfig),
		resource.Reconciler("node-ips", reconcileNodeIPs),
		resource.Reconciler("node-labels", reconcileNode),
		resource.Reconciler("kubelet-config", reconcileConfig),
		resource.Reconciler("kubelet-spec", a.reconcileSpec),
		resource.Mirror("kubelet", spec.KubeletSpecs, nil, a.ensure, a.remove),
	}
}

// ensure writes kubelet's files, and starts it again if it was started with
// others that it reads only then.
func (a *Agent) ensure(ctx context.Context, s *resource.Session, r resource.Resource[spec.KubeletSpecSpec]) error {
	secrets, ok := secretspec.KubeletSecrets.Get(s, "kubelet")
	if !ok {
		return resource.Hold("waiting for what kubelet joins with")
	}
	own, signs := secretspec.KubeletCertificates.Get(s)
	if root, ok := secretspec.KubernetesRootSecrets.Get(s, "k8s"); ok && !signs && root.IssuingCA != nil && len(root.IssuingCA.Key) > 0 {
		return resource.Hold("waiting for kubelet's certificates")
	}
	files, err := filesOf(r.Spec, secrets, own)
	if err != nil {
		return err
	}
	if err := makeFolders(a.Folders); err != nil {
		return err
	}
	if err := a.Write(files); err != nil {
		return err
	}
	identity, err := identityOf(r.Spec, secrets)
	if err != nil {
		return err
	}
	started := containerOf(r.Spec, signs)
	started.Args = append(started.Args, registration(specsOf(spec.NodeLabelSpecs.List(s)), specsOf(spec.NodeTaintSpecs.List(s)))...)

	var joining *joiner
	if !signs {
		if joining, err = newJoiner(secrets); err != nil {
			return err
		}
	}

	a.mu.Lock()
	a.joining = joining
	first, same := a.container == nil, a.running == identity
	a.container = &started
	a.mu.Unlock()
	switch {
	case first:
		err = a.Service.Start()
	case !same:
		a.Log.Info("kubelet starts again, as what it is started with changed")
		err = a.Service.Restart(ctx)
	}
	if err != nil {
		return fmt.Errorf("start kubelet: %w", err)
	}
	a.mu.Lock()
	a.running = identity
	a.mu.Unlock()
	spec.KubeletKubeconfigs.Put(s, "kubelet", spec.KubeletKubeconfigSpec{Hash: fmt.Sprintf("%x", sha256.Sum256([]byte(secrets.Endpoint.String())))})
	spec.KubeletLifecycles.Put(s, "kubelet", spec.KubeletLifecycleSpec{})
	return nil
}

func specsOf[T any](list []resource.Resource[T]) []T {
	out := make([]T, 0, len(list))
	for _, r := range list {
		out = append(out, r.Spec)
	}
	return out
}

func (a *Agent) remove(ctx context.Context, _ *resource.Session, _ resource.Resource[spec.KubeletSpecSpec]) error {
	return a.Service.Stop(ctx)
}

// Container is what the service runs; it is asked for at each start.
func (a *Agent) Container() (servicespec.Container, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.container == nil {
		return servicespec.Container{}, errors.New("kubelet is not configured yet")
	}
	return *a.container, nil
}

func makeFolders(folders []string) error {
	for _, folder := range folders {
		if err := os.MkdirAll(folder, 0o700); err != nil {
			return fmt.Errorf("make folder: %w", err)
		}
	}
	return nil
}

// identityOf is what kubelet reads only when it starts. Its certificates are not
// in it: it takes new ones while it runs.
func identityOf(s spec.KubeletSpecSpec, secrets secretspec.KubeletSecretSpec) ([sha256.Size]byte, error) {
	text, err := json.Marshal([]any{s, secrets.Endpoint.String(), bundle(secrets.AcceptedCAs)})
	return sha256.Sum256(text), err
}

func bundle(list []*value.Certificate) []byte {
	var out []byte
	for _, c := range list {
		out = append(out, c.Crt...)
	}
	return out
}

// filesOf renders kubelet's configuration and identity. A node that can sign has
// its own certificates; others join with the token.
func filesOf(s spec.KubeletSpecSpec, secrets secretspec.KubeletSecretSpec, own secretspec.KubeletCertificateSpec) ([]filespec.File, error) {
	config := s.Config
	if own.Serving == nil {
		config = lay(config, map[string]any{"serverTLSBootstrap": true})
	} else {
		config = lay(config, map[string]any{"tlsCertFile": servingBase + ".crt", "tlsPrivateKeyFile": servingBase + ".key"})
	}
	ca := bundle(secrets.AcceptedCAs)
	text, err := json.MarshalIndent(config, "", "  ")
	if err != nil {
		return nil, fmt.Errorf("render kubelet configuration: %w", err)
	}
	files := []filespec.File{{Path: ConfigPath, Content: text}, {Path: CAPath, Content: ca, Mode: 0o644}}
	if s.CredentialProviderConfig != nil {
		text, err := json.MarshalIndent(s.CredentialProviderConfig, "", "  ")
		if err != nil {
			return nil, fmt.Errorf("render credential providers: %w", err)
		}
		files = append(files, filespec.File{Path: CredentialPath, Content: text})
	}
	user := kubeconfig.Component{Server: secrets.Endpoint.String(), CA: ca, User: "kubelet-bootstrap", Token: secrets.BootstrapTokenID + "." + secrets.BootstrapTokenSecret}
	path := BootstrapPath
	if own.Client != nil {
		path, user.User, user.Client = KubeconfigPath, "kubelet", pki.Pair{Crt: own.Client.Crt, Key: own.Client.Key}
		files = append(files,
			filespec.File{Path: servingBase + ".crt", Content: own.Serving.Crt},
			filespec.File{Path: servingBase + ".key", Content: own.Serving.Key})
	}
	if text, err = user.Encode(); err != nil {
		return nil, fmt.Errorf("render kubelet kubeconfig: %w", err)
	}
	return append(files, filespec.File{Path: path, Content: text}), nil
}

// containerOf describes kubelet's container.
func containerOf(s spec.KubeletSpecSpec, signs bool) servicespec.Container {
	args := append([]string{"/usr/local/bin/kubelet"}, s.Args...)
	if !signs && slices.Contains(args, "--kubeconfig="+KubeconfigPath) {
		args = append(args, "--bootstrap-kubeconfig="+BootstrapPath)
	}
	return servicespec.Container{
		ID:         "kubelet",
		Image:      s.Image,
		Args:       args,
		Privileged: true,
		Group:      "/system/kubelet",
		Mounts: append([]servicespec.Mount{
			// The node's own proc, with its private view of kernel settings.
			{Source: "/proc", Target: "/proc"},
			{Source: "/dev", Target: "/dev"},
			{Source: "/sys", Target: "/sys"},
			{Source: "/run", Target: "/run", Shared: true},
			{Source: "/var", Target: "/var", Shared: true},
			{Source: "/etc/kubernetes", Target: "/etc/kubernetes"},
			{Source: "/etc/cni", Target: "/etc/cni", ReadOnly: true},
			// Pods get the name servers of this file.
			{Source: "/system/etc/resolved/resolv.conf", Target: "/etc/resolv.conf", ReadOnly: true},
			{Source: "/etc/machine-id", Target: "/etc/machine-id", ReadOnly: true},
			{Source: "/etc/os-release", Target: "/etc/os-release", ReadOnly: true},
			{Source: "/opt", Target: "/opt"},
			{Source: "/usr/libexec/kubernetes", Target: "/usr/libexec/kubernetes"},
		}, mountsOf(s.ExtraMounts)...),
	}
}

func mountsOf(list []value.Mount) []servicespec.Mount {
	var out []servicespec.Mount
	for _, m := range list {
		out = append(out, servicespec.Mount{
			Source: filepath.Clean(m.Source), Target: filepath.Clean(m.Destination), ReadOnly: slices.Contains(m.Options, "ro"),
			Shared: slices.Contains(m.Options, "rshared") || slices.Contains(m.Options, "shared"),
		})
	}
	return out
}

// Healthy asks kubelet's local health endpoint.
func Healthy(ctx context.Context) error {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://127.0.0.1:10248/healthz", nil)
	if err != nil {
		return err
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return fmt.Errorf("kubelet is not healthy: status %s", response.Status)
	}
	return nil
}
