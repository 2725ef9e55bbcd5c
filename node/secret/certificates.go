package secret

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/url"
	"strconv"

	configspec "github.com/ichor-os/ichor/node/config/spec"
	kubeletspec "github.com/ichor-os/ichor/node/kubelet/spec"
	"github.com/ichor-os/ichor/node/secret/spec"
	"github.com/ichor-os/ichor/pki"
	"github.com/ichor-os/ichor/pki/kubeconfig"
	"github.com/ichor-os/ichor/resource"
	"github.com/ichor-os/ichor/resource/value"
)

const admins = "system:masters"

// reconcileEtcd makes the certificates of the etcd member and of its clients.
func reconcileEtcd(_ context.Context, s *resource.Session) error {
	root, ok := spec.EtcdRootSecrets.Get(s, EtcdRoot)
	if !ok {
		return nil
	}
	a, ok, err := authority(root.EtcdCA)
	if err != nil {
		return fmt.Errorf("load etcd CA: %w", err)
	}
	if !ok {
		return nil
	}
	names, ok := spec.CertSANs.Get(s, SANsEtcd)
	if !ok {
		return resource.Hold("waiting for the names of etcd's certificates")
	}
	old, _ := spec.EtcdSecrets.Get(s, Etcd)
	i := newIssuer(s)
	var made spec.EtcdSecretSpec
	peer := pki.Template{CommonName: names.FQDN, Names: namesOf(names), Usages: pki.PeerAuth}
	for _, want := range []struct {
		what string
		to   **value.CertificateAndKey
		old  *value.CertificateAndKey
		t    pki.Template
	}{
		{"server", &made.Etcd, old.Etcd, peer},
		{"peer", &made.EtcdPeer, old.EtcdPeer, peer},
		{"administrator", &made.EtcdAdmin, old.EtcdAdmin, pki.Template{CommonName: "ichor", Usages: pki.ClientAuth}},
		{"API server", &made.EtcdAPIServer, old.EtcdAPIServer, pki.Template{CommonName: "kube-apiserver", Usages: pki.ClientAuth}},
	} {
		if *want.to, err = i.get(want.old, a, want.t); err != nil {
			return fmt.Errorf("issue etcd certificate: %s: %w", want.what, err)
		}
	}
	spec.EtcdSecrets.Put(s, Etcd, made)
	return nil
}

// controlPlane gives the root secrets on a node of the control plane that holds
// the authority's key.
func controlPlane(s *resource.Session) (spec.KubernetesRootSecretSpec, *pki.Authority, bool, error) {
	c, ok, err := configspec.Config(s)
	if err != nil || !ok || c.Main() == nil || !IsControlPlane(c.Main()) {
		return spec.KubernetesRootSecretSpec{}, nil, false, err
	}
	root, ok := spec.KubernetesRootSecrets.Get(s, KubernetesRoot)
	if !ok {
		return root, nil, false, nil
	}
	ca, ok, err := authority(root.IssuingCA)
	if err != nil {
		return root, nil, false, fmt.Errorf("load Kubernetes CA: %w", err)
	}
	return root, ca, ok, nil
}

// reconcileCertificates makes the API server's certificates.
func reconcileCertificates(_ context.Context, s *resource.Session) error {
	root, ca, ok, err := controlPlane(s)
	if err != nil || !ok {
		return err
	}
	front, ok, err := authority(root.AggregatorCA)
	if err != nil {
		return fmt.Errorf("load aggregator CA: %w", err)
	}
	if !ok {
		return errors.New("load aggregator CA: cluster.aggregatorCA needs a certificate and its key on a control plane node")
	}
	names, ok := spec.CertSANs.Get(s, SANsKubernetes)
	if !ok {
		return resource.Hold("waiting for the names of the API server's certificate")
	}
	old, _ := spec.KubernetesDynamicCerts.Get(s, KubernetesCerts)
	i := newIssuer(s)
	var made spec.KubernetesDynamicCertSpec
	made.APIServer, err = i.get(old.APIServer, ca, pki.Template{
		CommonName: "kube-apiserver", Organizations: []string{"kube-master"}, Names: namesOf(names), Usages: pki.ServerAuth,
	})
	if err != nil {
		return fmt.Errorf("issue API server certificate: %w", err)
	}
	made.APIServerKubeletClient, err = i.get(old.APIServerKubeletClient, ca, pki.Template{
		CommonName: "apiserver-kubelet-client", Organizations: []string{admins}, Usages: pki.ClientAuth,
	})
	if err != nil {
		return fmt.Errorf("issue kubelet client certificate: %w", err)
	}
	made.FrontProxy, err = i.get(old.FrontProxy, front, pki.Template{CommonName: "front-proxy-client", Usages: pki.ClientAuth})
	if err != nil {
		return fmt.Errorf("issue front proxy certificate: %w", err)
	}
	spec.KubernetesDynamicCerts.Put(s, KubernetesCerts, made)
	return nil
}

// reconcileKubeconfigs makes the kubeconfigs of the control plane's programs.
func reconcileKubeconfigs(_ context.Context, s *resource.Session) error {
	root, ca, ok, err := controlPlane(s)
	if err != nil || !ok {
		return err
	}
	old, _ := spec.KubernetesSecrets.Get(s, Kubernetes)
	i := newIssuer(s)
	var made spec.KubernetesSecretSpec
	local := root.LocalEndpoint.String()
	for _, want := range []struct {
		to           *string
		old, server  string
		user         string
		organization []string
	}{
		{&made.ControllerManagerKubeconfig, old.ControllerManagerKubeconfig, local, "system:kube-controller-manager", nil},
		{&made.SchedulerKubeconfig, old.SchedulerKubeconfig, local, "system:kube-scheduler", nil},
		{&made.LocalhostAdminKubeconfig, old.LocalhostAdminKubeconfig, local, "admin", []string{admins}},
		{&made.AdminKubeconfig, old.AdminKubeconfig, root.Endpoint.String(), "admin", []string{admins}},
	} {
		pair, err := i.get(clientOf(want.old), ca, pki.Template{CommonName: want.user, Organizations: want.organization, Usages: pki.ClientAuth})
		if err != nil {
			return fmt.Errorf("issue client certificate: %s: %w", want.user, err)
		}
		text, err := kubeconfig.Component{
			Server: want.server, CA: Bundle(root.AcceptedCAs), User: want.user, Client: pki.Pair{Crt: pair.Crt, Key: pair.Key},
		}.Encode()
		if err != nil {
			return err
		}
		*want.to = string(text)
	}
	spec.KubernetesSecrets.Put(s, Kubernetes, made)
	return nil
}

// clientOf gives the certificate in a kubeconfig that this package made.
func clientOf(text string) *value.CertificateAndKey {
	var config struct {
		Users []struct {
			User struct {
				Crt []byte `json:"client-certificate-data"`
				Key []byte `json:"client-key-data"`
			} `json:"user"`
		} `json:"users"`
	}
	if json.Unmarshal([]byte(text), &config) != nil || len(config.Users) != 1 {
		return nil
	}
	return &value.CertificateAndKey{Crt: config.Users[0].User.Crt, Key: config.Users[0].User.Key}
}

// reconcileKubelet gives kubelet what it joins with and, where the node holds
// the authority's key, its certificates.
func reconcileKubelet(_ context.Context, s *resource.Session) error {
	root, ok := spec.KubernetesRootSecrets.Get(s, KubernetesRoot)
	if !ok {
		return nil
	}
	endpoint := root.Endpoint
	_, ca, signs, err := controlPlane(s)
	if err != nil {
		return err
	}
	c, _, err := configspec.Config(s)
	if err != nil {
		return err
	}
	switch {
	case c != nil && c.Main() != nil && c.Main().KubePrismPort() != 0:
		endpoint = &url.URL{Scheme: "https", Host: net.JoinHostPort("127.0.0.1", strconv.Itoa(c.Main().KubePrismPort()))}
	case signs:
		endpoint = root.LocalEndpoint
	}
	spec.KubeletSecrets.Put(s, Kubelet, spec.KubeletSecretSpec{
		Endpoint: endpoint, AcceptedCAs: root.AcceptedCAs, BootstrapTokenID: root.BootstrapTokenID, BootstrapTokenSecret: root.BootstrapTokenSecret,
	})
	if !signs {
		return nil
	}
	node, ok := kubeletspec.Nodenames.Get(s, "nodename")
	if !ok {
		return resource.Hold("waiting for the node's name")
	}
	ips, ok := kubeletspec.NodeIPs.Get(s, "kubelet")
	if !ok {
		return resource.Hold("waiting for the node's addresses")
	}
	old, _ := spec.KubeletCertificates.Get(s)
	i := newIssuer(s)
	user := pki.Template{CommonName: "system:node:" + node.Nodename, Organizations: []string{"system:nodes"}, Usages: pki.ClientAuth}
	var made spec.KubeletCertificateSpec
	if made.Client, err = i.get(old.Client, ca, user); err != nil {
		return fmt.Errorf("issue kubelet client certificate: %w", err)
	}
	user.Usages, user.Names = pki.ServerAuth, []string{node.Nodename}
	for _, ip := range ips.Addresses {
		user.Names = append(user.Names, ip.String())
	}
	if made.Serving, err = i.get(old.Serving, ca, user); err != nil {
		return fmt.Errorf("issue kubelet serving certificate: %w", err)
	}
	spec.KubeletCertificates.Put(s, "", made)
	return nil
}
