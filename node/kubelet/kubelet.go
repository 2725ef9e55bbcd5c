// Package kubelet runs the Kubernetes agent of a node as a container: its
// configuration, its identity and its mounts.
package kubelet

import (
	"context"
	"crypto/x509"
	"encoding/json"
	"fmt"
	"net/http"
	"net/netip"
	"strings"
	"time"

	filespec "github.com/ichor-os/ichor/node/file/spec"
	"github.com/ichor-os/ichor/node/service/spec"
	"github.com/ichor-os/ichor/pki"
	"github.com/ichor-os/ichor/pki/kubeconfig"
)

// Places of kubelet on a node.
const (
	ConfigPath     = "/etc/kubernetes/kubelet.yaml"
	KubeconfigPath = "/etc/kubernetes/kubeconfig-kubelet"
	BootstrapPath  = "/etc/kubernetes/bootstrap-kubeconfig"
	CAPath         = "/etc/kubernetes/pki/ca.crt"
	ManifestFolder = "/etc/kubernetes/manifests"
	servingBase    = "/etc/kubernetes/pki/kubelet"
	lifetime       = 365 * 24 * time.Hour
)

// Folders must be there before kubelet starts.
var Folders = []string{ManifestFolder, "/var/lib/kubelet", "/var/log/pods", "/var/log/containers", "/etc/cni/net.d"}

// Settings are what kubelet depends on.
type Settings struct {
	Image    string
	NodeName string
	Address  netip.Addr
	// Server is the API server that this kubelet talks to.
	Server string
	// CA is the Kubernetes CA; only control plane nodes hold its key.
	CA pki.Pair
	// Token joins a node that cannot sign its own certificate.
	Token      string
	ClusterDNS []string
	Domain     string
	// Labels and Taints are set when the node registers.
	Labels, Taints []string
	// Namespaced nodes share a kernel whose limits are not theirs.
	Namespaced bool
	Extra      map[string][]string
}

// Files renders kubelet's configuration and identity. A control plane node signs
// its own certificates; others join with the token.
func Files(s Settings, now time.Time) ([]filespec.File, error) {
	config, err := json.MarshalIndent(configuration(s), "", "  ")
	if err != nil {
		return nil, fmt.Errorf("render kubelet configuration: %w", err)
	}
	files := []filespec.File{
		{Path: ConfigPath, Content: config},
		{Path: CAPath, Content: s.CA.Crt, Mode: 0o644},
	}
	if len(s.CA.Key) == 0 {
		text, err := kubeconfig.Component{Server: s.Server, CA: s.CA.Crt, User: "kubelet-bootstrap", Token: s.Token}.Encode()
		if err != nil {
			return nil, fmt.Errorf("render kubelet kubeconfig: %w", err)
		}
		return append(files, filespec.File{Path: BootstrapPath, Content: text}), nil
	}
	authority, err := pki.LoadAuthority(s.CA)
	if err != nil {
		return nil, fmt.Errorf("load Kubernetes CA: %w", err)
	}
	client, err := authority.Issue(pki.ECDSAP256, pki.Template{
		CommonName: "system:node:" + s.NodeName, Organizations: []string{"system:nodes"},
		Usages: pki.ClientAuth, Lifetime: lifetime, NotBefore: now,
	})
	if err != nil {
		return nil, fmt.Errorf("issue kubelet client certificate: %w", err)
	}
	serving, err := authority.Issue(pki.ECDSAP256, pki.Template{
		CommonName: "system:node:" + s.NodeName, Organizations: []string{"system:nodes"},
		Names:  []string{s.NodeName, s.Address.String()},
		Usages: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth}, Lifetime: lifetime, NotBefore: now,
	})
	if err != nil {
		return nil, fmt.Errorf("issue kubelet serving certificate: %w", err)
	}
	text, err := kubeconfig.Component{Server: s.Server, CA: s.CA.Crt, User: "kubelet", Client: client}.Encode()
	if err != nil {
		return nil, fmt.Errorf("render kubelet kubeconfig: %w", err)
	}
	return append(files,
		filespec.File{Path: KubeconfigPath, Content: text},
		filespec.File{Path: servingBase + ".crt", Content: serving.Crt},
		filespec.File{Path: servingBase + ".key", Content: serving.Key},
	), nil
}

func configuration(s Settings) map[string]any {
	config := map[string]any{
		"apiVersion": "kubelet.config.k8s.io/v1beta1",
		"kind":       "KubeletConfiguration",
		"authentication": map[string]any{
			"anonymous": map[string]any{"enabled": false},
			"webhook":   map[string]any{"enabled": true},
			"x509":      map[string]any{"clientCAFile": CAPath},
		},
		"authorization":             map[string]any{"mode": "Webhook"},
		"cgroupDriver":              "cgroupfs",
		"cgroupRoot":                "/",
		"containerRuntimeEndpoint":  "unix:///run/containerd/containerd.sock",
		"clusterDNS":                s.ClusterDNS,
		"clusterDomain":             s.Domain,
		"staticPodPath":             ManifestFolder,
		"volumePluginDir":           "/var/lib/kubelet/volumeplugins",
		"resolvConf":                "/etc/resolv.conf",
		"rotateCertificates":        true,
		"makeIPTablesUtilChains":    false,
		"failSwapOn":                false,
		"seccompDefault":            true,
		"serializeImagePulls":       false,
		"nodeStatusUpdateFrequency": "10s",
		"kubeletCgroups":            "/system/kubelet",
	}
	if len(s.CA.Key) > 0 {
		config["tlsCertFile"] = servingBase + ".crt"
		config["tlsPrivateKeyFile"] = servingBase + ".key"
	}
	if s.Namespaced {
		config["failCgroupV1"] = false
		config["oomScoreAdj"] = 0
		config["maxOpenFiles"] = 20000
		// The disk is the computer's. Shares of it say nothing about the node:
		// a large disk that is nearly full still has room for a cluster.
		config["evictionHard"] = map[string]any{
			"memory.available": "100Mi", "nodefs.available": "1Gi", "nodefs.inodesFree": "1%",
			"imagefs.available": "1Gi", "imagefs.inodesFree": "1%",
		}
		config["imageGCHighThresholdPercent"] = 100
		config["imageGCLowThresholdPercent"] = 99
	}
	return config
}

// Container describes kubelet's container.
func Container(s Settings) spec.Container {
	args := []string{
		"/usr/local/bin/kubelet",
		"--config=" + ConfigPath,
		"--kubeconfig=" + KubeconfigPath,
		"--cert-dir=/var/lib/kubelet/pki",
		"--hostname-override=" + s.NodeName,
		"--node-ip=" + s.Address.String(),
	}
	if len(s.CA.Key) == 0 {
		args = append(args, "--bootstrap-kubeconfig="+BootstrapPath)
	}
	if len(s.Labels) > 0 {
		args = append(args, "--node-labels="+strings.Join(s.Labels, ","))
	}
	if len(s.Taints) > 0 {
		args = append(args, "--register-with-taints="+strings.Join(s.Taints, ","))
	}
	for name, values := range s.Extra {
		for _, value := range values {
			args = append(args, "--"+name+"="+value)
		}
	}
	return spec.Container{
		ID:         "kubelet",
		Image:      s.Image,
		Args:       args,
		Privileged: true,
		Group:      "/system/kubelet",
		Mounts: []spec.Mount{
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
		},
	}
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
