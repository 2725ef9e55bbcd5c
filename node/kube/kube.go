// Package kube renders the Kubernetes control plane of a node: certificates,
// kubeconfigs and static pods, and the add-ons that make a cluster of it.
//
// Files and StaticPods give plain files. A static pod's file changes only when
// something that its program uses does, so kubelet restarts nothing else. Apply
// brings objects to the API server by server-side apply.
package kube

import (
	"encoding/base64"
	"fmt"
	"net/netip"
	"path/filepath"
	"time"

	filespec "github.com/ichor-os/ichor/node/file/spec"
	"github.com/ichor-os/ichor/pki"
	"github.com/ichor-os/ichor/pki/kubeconfig"
)

// SecretFolder holds the keys of the control plane, in memory. It lies outside
// of /system, which no pod may see.
const SecretFolder = "/run/kubernetes"

// Users that the components run as, none reading another's keys.
const (
	apiServerUID         = 65534
	controllerManagerUID = 65535
	schedulerUID         = 65536
)

const lifetime = 365 * 24 * time.Hour

// Settings are what the control plane depends on.
type Settings struct {
	ClusterName, NodeName string
	Address               netip.Addr
	// Endpoint is the URL by which the cluster is known, and the issuer of
	// service account tokens.
	Endpoint string
	// Port that the API server listens on.
	Port                 int
	PodNets, ServiceNets []string
	Domain               string
	CA, AggregatorCA     pki.Pair
	EtcdCA               pki.Pair
	ServiceAccountKey    []byte // PEM
	SecretboxKey         []byte // 32 bytes, or none
	CertSANs             []string
	Images               Images
	CNI                  string
	// AdminLifetime is that of the kubeconfigs that people get.
	AdminLifetime time.Duration
	// BootstrapToken lets nodes join, "id.secret".
	BootstrapToken string
	// APIServerArgs and so on are further arguments that override ours.
	APIServerArgs, ControllerManagerArgs, SchedulerArgs map[string][]string
	ProxyDisabled, DNSDisabled                          bool
	// Namespaced nodes share a kernel whose limits are not theirs.
	Namespaced bool
}

// Images are references of what the control plane runs.
type Images struct {
	APIServer, ControllerManager, Scheduler, Proxy, CoreDNS, Flannel string
}

// LocalServer is the API server of this node, as its own components reach it.
func (s Settings) LocalServer() string { return fmt.Sprintf("https://127.0.0.1:%d", s.Port) }

// ServiceIP is the address of the API server's service, the first of the first
// service network; n counts from there.
func (s Settings) ServiceIP(n int) (netip.Addr, error) {
	prefix, err := netip.ParsePrefix(s.ServiceNets[0])
	if err != nil {
		return netip.Addr{}, fmt.Errorf("read service network: %w", err)
	}
	address := prefix.Masked().Addr()
	for range n {
		address = address.Next()
	}
	return address, nil
}

// issue is a certificate to make.
type issue struct {
	folder, name string
	authority    *pki.Authority
	template     pki.Template
	uid          int
}

// Files makes the certificates and kubeconfigs of the control plane.
func Files(s Settings, now time.Time) ([]filespec.File, error) {
	ca, err := pki.LoadAuthority(s.CA)
	if err != nil {
		return nil, fmt.Errorf("load Kubernetes CA: %w", err)
	}
	front, err := pki.LoadAuthority(s.AggregatorCA)
	if err != nil {
		return nil, fmt.Errorf("load aggregator CA: %w", err)
	}
	etcd, err := pki.LoadAuthority(s.EtcdCA)
	if err != nil {
		return nil, fmt.Errorf("load etcd CA: %w", err)
	}
	service, err := s.ServiceIP(1)
	if err != nil {
		return nil, err
	}
	names := append([]string{
		s.NodeName, "localhost", "127.0.0.1", s.Address.String(), service.String(),
		"kubernetes", "kubernetes.default", "kubernetes.default.svc", "kubernetes.default.svc." + s.Domain,
	}, s.CertSANs...)
	const api = "kube-apiserver"
	var files []filespec.File
	for _, i := range []issue{
		{api, "apiserver", ca, pki.Template{CommonName: "kube-apiserver", Organizations: []string{"kube-master"}, Names: names, Usages: pki.ServerAuth}, apiServerUID},
		{api, "kubelet-client", ca, pki.Template{CommonName: "apiserver-kubelet-client", Organizations: []string{"system:masters"}, Usages: pki.ClientAuth}, apiServerUID},
		{api, "front-proxy", front, pki.Template{CommonName: "front-proxy-client", Usages: pki.ClientAuth}, apiServerUID},
		{api, "etcd-client", etcd, pki.Template{CommonName: "kube-apiserver", Usages: pki.ClientAuth}, apiServerUID},
	} {
		i.template.Lifetime, i.template.NotBefore = lifetime, now
		pair, err := i.authority.Issue(pki.ECDSAP256, i.template)
		if err != nil {
			return nil, fmt.Errorf("issue certificate: %s: %w", i.name, err)
		}
		base := filepath.Join(SecretFolder, i.folder, i.name)
		files = append(files, owned(base+".crt", pair.Crt, i.uid), owned(base+".key", pair.Key, i.uid))
	}
	encryption, err := encryptionConfig(s.SecretboxKey)
	if err != nil {
		return nil, err
	}
	public, err := publicKey(s.ServiceAccountKey)
	if err != nil {
		return nil, err
	}
	files = append(files,
		owned(filepath.Join(SecretFolder, api, "ca.crt"), s.CA.Crt, apiServerUID),
		owned(filepath.Join(SecretFolder, api, "aggregator-ca.crt"), s.AggregatorCA.Crt, apiServerUID),
		owned(filepath.Join(SecretFolder, api, "etcd-ca.crt"), s.EtcdCA.Crt, apiServerUID),
		owned(filepath.Join(SecretFolder, api, "service-account.key"), s.ServiceAccountKey, apiServerUID),
		owned(filepath.Join(SecretFolder, api, "service-account.pub"), public, apiServerUID),
		owned(filepath.Join(SecretFolder, api, "encryption.json"), encryption, apiServerUID),
		owned(filepath.Join(SecretFolder, "kube-controller-manager", "ca.crt"), s.CA.Crt, controllerManagerUID),
		owned(filepath.Join(SecretFolder, "kube-controller-manager", "ca.key"), s.CA.Key, controllerManagerUID),
		owned(filepath.Join(SecretFolder, "kube-controller-manager", "service-account.key"), s.ServiceAccountKey, controllerManagerUID),
	)
	for _, client := range []struct {
		component, user string
		groups          []string
		uid             int
	}{
		{"kube-controller-manager", "system:kube-controller-manager", nil, controllerManagerUID},
		{"kube-scheduler", "system:kube-scheduler", nil, schedulerUID},
		{"admin", "admin", []string{"system:masters"}, 0},
	} {
		text, err := clientConfig(s, ca, client.user, client.groups, now)
		if err != nil {
			return nil, err
		}
		files = append(files, owned(filepath.Join(SecretFolder, client.component, "kubeconfig"), text, client.uid))
	}
	return files, nil
}

// AdminKubeconfig is where this node's own administrator's kubeconfig is.
var AdminKubeconfig = filepath.Join(SecretFolder, "admin", "kubeconfig")

func clientConfig(s Settings, ca *pki.Authority, user string, groups []string, now time.Time) ([]byte, error) {
	pair, err := ca.Issue(pki.ECDSAP256, pki.Template{
		CommonName: user, Organizations: groups, Usages: pki.ClientAuth, Lifetime: lifetime, NotBefore: now,
	})
	if err != nil {
		return nil, fmt.Errorf("issue client certificate: %s: %w", user, err)
	}
	return kubeconfig.Component{Server: s.LocalServer(), CA: s.CA.Crt, User: user, Client: pair}.Encode()
}

func owned(path string, content []byte, uid int) filespec.File {
	return filespec.File{Path: path, Content: content, Mode: 0o400, UID: uid, GID: uid}
}

// encryptionConfig says how the API server keeps secrets at rest.
func encryptionConfig(key []byte) ([]byte, error) {
	providers := []any{}
	if len(key) > 0 {
		providers = append(providers, map[string]any{"secretbox": map[string]any{
			"keys": []any{map[string]any{"name": "key2", "secret": base64.StdEncoding.EncodeToString(key)}},
		}})
	}
	providers = append(providers, map[string]any{"identity": map[string]any{}})
	return encode(map[string]any{
		"apiVersion": "apiserver.config.k8s.io/v1",
		"kind":       "EncryptionConfiguration",
		"resources":  []any{map[string]any{"resources": []any{"secrets"}, "providers": providers}},
	})
}
