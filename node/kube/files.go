package kube

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	filespec "github.com/ichor-os/ichor/node/file/spec"
	"github.com/ichor-os/ichor/node/kube/spec"
	secretspec "github.com/ichor-os/ichor/node/secret/spec"
	"github.com/ichor-os/ichor/resource"
	"github.com/ichor-os/ichor/resource/value"
)

// SecretFolder holds the keys of the control plane, in memory. It lies outside
// of /system, which no pod may see.
const SecretFolder = "/run/kubernetes"

// configFolder holds what the components are configured with.
const configFolder = "/run/kubernetes-config"

// Users that the components run as, none reading another's keys.
const (
	apiServerUID         = 65534
	controllerManagerUID = 65535
	schedulerUID         = 65536
)

// AdminKubeconfig is where this node's own administrator's kubeconfig is.
var AdminKubeconfig = filepath.Join(SecretFolder, "admin", "kubeconfig")

// component is a file of one component. Fixed ones are read at the start alone:
// a change of them takes a restart.
type componentFile struct {
	component string
	fixed     bool
	file      filespec.File
}

func owner(component string) int {
	switch component {
	case apiServer:
		return apiServerUID
	case controllerManager:
		return controllerManagerUID
	case scheduler:
		return schedulerUID
	}
	return 0
}

func secretFile(component, name string, content []byte, fixed bool) componentFile {
	uid := owner(component)
	return componentFile{component, fixed, filespec.File{
		Path: filepath.Join(SecretFolder, component, name), Content: content, Mode: 0o400, UID: uid, GID: uid,
	}}
}

// secretFiles renders the control plane's keys and certificates.
func secretFiles(root secretspec.KubernetesRootSecretSpec, certs secretspec.KubernetesDynamicCertSpec, configs secretspec.KubernetesSecretSpec,
	etcd secretspec.EtcdSecretSpec, etcdCA []byte,
) ([]componentFile, error) {
	encryption, err := encryptionConfig(root.SecretboxEncryptionSecret, root.AesCBCEncryptionSecret)
	if err != nil {
		return nil, err
	}
	if root.ServiceAccount == nil {
		return nil, fmt.Errorf("cluster.serviceAccount.key is missing in the config of a control plane node")
	}
	public, err := publicKey(root.ServiceAccount.Key)
	if err != nil {
		return nil, err
	}
	var files []componentFile
	add := func(component, name string, content []byte, fixed bool) {
		files = append(files, secretFile(component, name, content, fixed))
	}
	pair := func(component, name string, p *value.CertificateAndKey) {
		add(component, name+".key", p.Key, false)
		add(component, name+".crt", p.Crt, false)
	}
	ca := bundle(root.AcceptedCAs)
	pair(apiServer, "apiserver", certs.APIServer)
	pair(apiServer, "kubelet-client", certs.APIServerKubeletClient)
	pair(apiServer, "front-proxy", certs.FrontProxy)
	pair(apiServer, "etcd-client", etcd.EtcdAPIServer)
	add(apiServer, "ca.crt", ca, false)
	add(apiServer, "aggregator-ca.crt", root.AggregatorCA.Crt, false)
	add(apiServer, "etcd-ca.crt", etcdCA, true)
	add(apiServer, "service-account.key", root.ServiceAccount.Key, true)
	add(apiServer, "service-account.pub", public, true)
	add(apiServer, "encryption.json", encryption, true)
	add(controllerManager, "ca.crt", ca, true)
	add(controllerManager, "signer.crt", root.IssuingCA.Crt, false)
	add(controllerManager, "ca.key", root.IssuingCA.Key, false)
	add(controllerManager, "service-account.key", root.ServiceAccount.Key, true)
	for component, text := range map[string]string{
		controllerManager: configs.ControllerManagerKubeconfig, scheduler: configs.SchedulerKubeconfig,
	} {
		parts, err := referring(component, []byte(text))
		if err != nil {
			return nil, err
		}
		files = append(files, parts...)
	}
	add("admin", "kubeconfig", []byte(configs.LocalhostAdminKubeconfig), false)
	return files, nil
}

// referring renders a kubeconfig whose certificate is in files of its own: what
// reads it takes a renewed one without a restart.
func referring(component string, text []byte) ([]componentFile, error) {
	var config map[string]any
	if err := json.Unmarshal(text, &config); err != nil {
		return nil, fmt.Errorf("read kubeconfig: %s: %w", component, err)
	}
	var embedded struct {
		Users []struct {
			Name string
			User struct {
				Crt []byte `json:"client-certificate-data"`
				Key []byte `json:"client-key-data"`
			}
		}
	}
	if err := json.Unmarshal(text, &embedded); err != nil || len(embedded.Users) != 1 {
		return nil, fmt.Errorf("read kubeconfig: %s: want one user", component)
	}
	user := embedded.Users[0]
	in := func(name string) string { return filepath.Join(SecretFolder, component, name) }
	config["users"] = []any{map[string]any{"name": user.Name, "user": map[string]any{
		"client-certificate": in("client.crt"), "client-key": in("client.key"),
	}}}
	out, err := encode(config)
	if err != nil {
		return nil, err
	}
	return []componentFile{
		secretFile(component, "client.key", user.User.Key, false),
		secretFile(component, "client.crt", user.User.Crt, false),
		secretFile(component, "kubeconfig", out, true),
	}, nil
}

func bundle(list []*value.Certificate) []byte {
	var out []byte
	for _, c := range list {
		out = append(append(out, bytes.TrimSpace(c.Crt)...), '\n')
	}
	return out
}

// encryptionConfig says how the API server keeps secrets at rest: what it writes
// is encrypted with the first key, what it reads with any.
func encryptionConfig(secretbox, aescbc string) ([]byte, error) {
	providers := []any{}
	provider := func(kind, name, secret string) {
		if secret != "" {
			providers = append(providers, map[string]any{kind: map[string]any{"keys": []any{map[string]any{"name": name, "secret": secret}}}})
		}
	}
	provider("secretbox", "key2", secretbox)
	provider("aescbc", "key1", aescbc)
	providers = append(providers, map[string]any{"identity": map[string]any{}})
	return encode(map[string]any{
		"apiVersion": "apiserver.config.k8s.io/v1",
		"kind":       "EncryptionConfiguration",
		"resources":  []any{map[string]any{"resources": []any{"secrets"}, "providers": providers}},
	})
}

// ensureSecrets writes the keys of the control plane.
func (c *ControlPlane) ensureSecrets(_ context.Context, s *resource.Session, r resource.Resource[secretspec.KubernetesSecretSpec]) error {
	root, ok := secretspec.KubernetesRootSecrets.Get(s, "k8s")
	certs, ok2 := secretspec.KubernetesDynamicCerts.Get(s, "k8s-dynamic-certs")
	etcd, ok3 := secretspec.EtcdSecrets.Get(s, "etcd")
	etcdRoot, ok4 := secretspec.EtcdRootSecrets.Get(s, "etcd")
	if !ok || !ok2 || !ok3 || !ok4 {
		return resource.Hold("waiting for the certificates of the control plane")
	}
	files, err := secretFiles(root, certs, r.Spec, etcd, etcdRoot.EtcdCA.Crt)
	if err != nil {
		return err
	}
	versions, err := c.write(files)
	if err != nil {
		return err
	}
	c.setVersions(&c.secrets, versions)
	spec.SecretStatuses.Put(s, "static-pods", spec.SecretStatusSpec{Ready: true, Version: whole(versions)})
	return nil
}

// ensureConfigs writes what the components are configured with.
func (c *ControlPlane) ensureConfigs(_ context.Context, s *resource.Session, _ resource.Resource[spec.APIServerConfigSpec]) error {
	admission, ok := spec.AdmissionControlConfigs.Get(s, "admission-control")
	policy, ok2 := spec.AuditPolicyConfigs.Get(s, "audit-policy")
	authorization, ok3 := spec.AuthorizationConfigs.Get(s, "authorization-config")
	plan, ok4 := spec.SchedulerConfigs.Get(s, scheduler)
	if !ok || !ok2 || !ok3 || !ok4 {
		return resource.Hold("waiting for the settings of the control plane")
	}
	files, err := configFiles(admission, policy, authorization, plan)
	if err != nil {
		return err
	}
	versions, err := c.write(files)
	if err != nil {
		return err
	}
	c.setVersions(&c.configs, versions)
	spec.ConfigStatuses.Put(s, "static-pods", spec.ConfigStatusSpec{Ready: true, Version: whole(versions)})
	return nil
}

func configFiles(admission spec.AdmissionControlConfigSpec, policy spec.AuditPolicyConfigSpec, authorization spec.AuthorizationConfigSpec,
	plan spec.SchedulerConfigSpec,
) ([]componentFile, error) {
	plugins := []any{}
	for _, p := range admission.Config {
		plugins = append(plugins, map[string]any{"name": p.Name, "configuration": p.Configuration})
	}
	authorizers := []any{}
	for _, a := range authorization.Config {
		one := map[string]any{"type": a.Type, "name": a.Name}
		if len(a.Webhook) > 0 {
			one["webhook"] = a.Webhook
		}
		authorizers = append(authorizers, one)
	}
	var files []componentFile
	for _, f := range []struct {
		component, name string
		fixed           bool
		content         any
	}{
		{apiServer, "admission.json", true, map[string]any{"apiVersion": "apiserver.config.k8s.io/v1", "kind": "AdmissionConfiguration", "plugins": plugins}},
		{apiServer, "audit-policy.json", true, policy.Config},
		{apiServer, "authorization.json", false, map[string]any{
			"apiVersion": authorizationVersion(authorization.Image), "kind": "AuthorizationConfiguration", "authorizers": authorizers,
		}},
		{scheduler, "scheduler.json", true, schedulerConfig(plan.Config)},
	} {
		text, err := encode(f.content)
		if err != nil {
			return nil, fmt.Errorf("render %s: %w", f.name, err)
		}
		uid := owner(f.component)
		files = append(files, componentFile{f.component, f.fixed, filespec.File{
			Path: filepath.Join(configFolder, f.component, f.name), Content: text, Mode: 0o400, UID: uid, GID: uid,
		}})
	}
	return files, nil
}

// authorizationVersion is the newest form that the API server of an image reads.
func authorizationVersion(image string) string {
	if strings.HasPrefix(image[strings.LastIndex(image, ":")+1:], "v1.31.") {
		return "apiserver.config.k8s.io/v1beta1"
	}
	return "apiserver.config.k8s.io/v1"
}

// schedulerConfig is the config's own with what the system must set: nothing
// else is added, so that what is not given is the scheduler's to choose.
func schedulerConfig(given map[string]any) map[string]any {
	out := map[string]any{"apiVersion": "kubescheduler.config.k8s.io/v1", "kind": "KubeSchedulerConfiguration"}
	for key, v := range given {
		out[key] = v
	}
	connection := map[string]any{"kubeconfig": filepath.Join(SecretFolder, scheduler, "kubeconfig")}
	if own, ok := out["clientConnection"].(map[string]any); ok {
		for key, v := range own {
			if key != "kubeconfig" {
				connection[key] = v
			}
		}
	}
	out["clientConnection"] = connection
	return out
}

// write writes files and gives, for each component, a version of those that it
// reads only when it starts.
func (c *ControlPlane) write(files []componentFile) (map[string]string, error) {
	hashes, list := map[string][]byte{}, make([]filespec.File, 0, len(files))
	slices.SortStableFunc(files, func(a, b componentFile) int { return bytes.Compare([]byte(a.file.Path), []byte(b.file.Path)) })
	for _, f := range files {
		list = append(list, f.file)
		if f.fixed {
			sum := sha256.Sum256(f.file.Content)
			hashes[f.component] = append(append(hashes[f.component], f.file.Path...), sum[:]...)
		}
	}
	if err := c.Write(list); err != nil {
		return nil, err
	}
	versions := map[string]string{}
	for component, h := range hashes {
		versions[component] = fmt.Sprintf("%.8x", sha256.Sum256(h))
	}
	return versions, nil
}

// whole is one version of those of all components.
func whole(versions map[string]string) string {
	text, err := json.Marshal(versions)
	if err != nil {
		panic(err) // texts always encode
	}
	return fmt.Sprintf("%.8x", sha256.Sum256(text))
}
