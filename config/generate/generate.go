package generate

import (
	"errors"
	"fmt"
	"net/url"
	"strings"
	"time"

	"github.com/ichor-os/ichor/config"
	"github.com/ichor-os/ichor/config/document"
	"github.com/ichor-os/ichor/config/scalar"
	"github.com/ichor-os/ichor/pki"
	"github.com/ichor-os/ichor/pki/secrets"
	"github.com/ichor-os/ichor/pki/talosconfig"
	"github.com/ichor-os/ichor/version"
)

// Role is what a machine is in its cluster.
type Role string

// The roles that configs are generated for.
const (
	ControlPlane Role = "controlplane"
	Worker       Role = "worker"
)

// Options says how the configs of a cluster shall be. [NewOptions] fills in the
// defaults.
type Options struct {
	ClusterName       string
	Endpoint          string // URL of the control plane; see [CheckEndpoint]
	Contract          Contract
	Secrets           *secrets.Bundle
	KubernetesVersion string // without v; empty leaves the images out
	InstallDisk       string // empty leaves the key out
	InstallImage      string
	AdditionalSANs    []string
	DNSDomain         string
	Mirrors           []Mirror
	KubeSpan          bool
	Discovery         bool
	ImagePolicy       ImagePolicy
}

// ImagePolicy says which workload images may run. The images of the system
// itself have a policy of their own, which no config changes.
type ImagePolicy string

// The policies that can be generated.
const (
	OpenImagePolicy   ImagePolicy = "open"   // every image
	ClosedImagePolicy ImagePolicy = "closed" // images that rules allow, signed
)

// Mirror says where the images of a registry are looked for first.
type Mirror struct {
	Registry  string
	Endpoints []string
}

// DefaultInstallImage is the installer that new configs name.
const DefaultInstallImage = version.InstallerImage + ":" + version.Tag

// Defaults of [Options].
const (
	DefaultInstallDisk = "/dev/sda"
	DefaultDNSDomain   = "cluster.local"
)

// NewOptions returns the options of a cluster with the defaults.
func NewOptions(clusterName, endpoint string, bundle *secrets.Bundle) Options {
	return Options{
		ClusterName:       clusterName,
		Endpoint:          endpoint,
		Contract:          CurrentContract,
		Secrets:           bundle,
		KubernetesVersion: version.Kubernetes,
		InstallDisk:       DefaultInstallDisk,
		InstallImage:      DefaultInstallImage,
		DNSDomain:         DefaultDNSDomain,
		Discovery:         true,
	}
}

// CheckEndpoint checks the URL of a control plane: https, with a host. The
// error says what was probably meant.
func CheckEndpoint(endpoint string) error {
	parsed, err := url.Parse(endpoint)
	if err == nil && parsed.Scheme == "https" {
		if parsed.Hostname() == "" {
			return fmt.Errorf("the control plane endpoint %q names no host", endpoint)
		}
		return nil
	}
	_, rest, found := strings.Cut(endpoint, "://")
	if !found {
		rest = endpoint
	}
	if err != nil && found {
		return fmt.Errorf("the control plane endpoint: %w", err)
	}
	return fmt.Errorf("the control plane endpoint has to begin with https://\ntry: %q", "https://"+rest)
}

// ParseMirrors reads mirrors of the form REGISTRY=ENDPOINT. Those of one
// registry are collected; registries keep the order of their first mention.
func ParseMirrors(specs []string) ([]Mirror, error) {
	var mirrors []Mirror
	places := map[string]int{}
	for _, spec := range specs {
		registry, endpoint, found := strings.Cut(spec, "=")
		if !found || registry == "" || endpoint == "" {
			return nil, fmt.Errorf("registry mirror %q is not of the form REGISTRY=URL", spec)
		}
		place, known := places[registry]
		if !known {
			place = len(mirrors)
			places[registry] = place
			mirrors = append(mirrors, Mirror{Registry: registry})
		}
		mirrors[place].Endpoints = append(mirrors[place].Endpoints, endpoint)
	}
	return mirrors, nil
}

// MachineConfig makes the config of the machines of a role.
func MachineConfig(role Role, options Options) (*config.Config, error) {
	if err := options.check(); err != nil {
		return nil, fmt.Errorf("generate %s config: %w", role, err)
	}
	endpoint, err := scalar.ParseURL(options.Endpoint)
	if err != nil {
		return nil, fmt.Errorf("generate %s config: control plane endpoint: %w", role, err)
	}
	g := generator{Options: options, controlPlane: role == ControlPlane, endpoint: &endpoint}
	further, err := g.furtherDocuments()
	if err != nil {
		return nil, fmt.Errorf("generate %s config: %w", role, err)
	}
	made, err := config.New(append([]document.Document{g.mainDocument(role)}, further...)...)
	if err != nil {
		return nil, fmt.Errorf("generate %s config: %w", role, err)
	}
	return made, nil
}

func (o Options) check() error {
	if o.Secrets == nil {
		return errors.New("no secrets given")
	}
	if o.Contract == (Contract{}) {
		return errors.New("no contract given")
	}
	switch o.ImagePolicy {
	case "", OpenImagePolicy:
	case ClosedImagePolicy:
		if !o.Contract.since(13) {
			return fmt.Errorf("a closed image policy needs contract v1.13 or newer, not %v", o.Contract)
		}
	default:
		return fmt.Errorf("image policy %q is neither open nor closed", o.ImagePolicy)
	}
	return CheckEndpoint(o.Endpoint)
}

// ClientConfig makes the config with which an administrator reaches the
// cluster. It names no endpoint: nobody knows the machines' addresses yet.
func ClientConfig(options Options, now time.Time) (*talosconfig.Config, error) {
	if options.Secrets == nil {
		return nil, errors.New("generate client config: no secrets given")
	}
	authority, err := pki.LoadAuthority(options.Secrets.Certs.OS)
	if err != nil {
		return nil, fmt.Errorf("generate client config: %w", err)
	}
	client, err := authority.IssueClient([]pki.Role{pki.RoleAdmin}, pki.AdminLifetime, now)
	if err != nil {
		return nil, fmt.Errorf("generate client config: %w", err)
	}
	made := &talosconfig.Config{Context: options.ClusterName}
	made.Set(options.ClusterName, talosconfig.NewContext(nil, options.Secrets.Certs.OS.Crt, client))
	return made, nil
}
