package kube

import (
	"bytes"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/ichor-os/ichor/node/kube/spec"
	"github.com/ichor-os/ichor/pki"
)

func encode(value any) ([]byte, error) {
	text, err := json.MarshalIndent(value, "", "  ")
	if err != nil {
		return nil, fmt.Errorf("encode: %w", err)
	}
	return text, nil
}

func publicKey(key []byte) ([]byte, error) {
	signer, err := pki.ParseKey(key)
	if err != nil {
		return nil, fmt.Errorf("read service account key: %w", err)
	}
	der, err := x509.MarshalPKIXPublicKey(signer.Public())
	if err != nil {
		return nil, fmt.Errorf("read service account key: %w", err)
	}
	return pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: der}), nil
}

// component is a program of the control plane.
type component struct {
	name, image string
	args        map[string]string
	extra       map[string]spec.ArgValues
	refused     []string
	volumes     []spec.ExtraVolume
	env         map[string]string
	resources   spec.Resources
	port        int
	health      string
	// folders of the node that it uses besides its own.
	logs string
}

// Arguments that belong to the system: with others a component would not find
// its own files, or would let in who has no right to.
var (
	apiServerRefused = []string{
		"anonymous-auth", "client-ca-file", "encryption-provider-config", "etcd-cafile", "etcd-certfile", "etcd-keyfile", "etcd-servers",
		"kubelet-client-certificate", "kubelet-client-key", "kubelet-certificate-authority", "proxy-client-cert-file", "proxy-client-key-file",
		"requestheader-client-ca-file", "secure-port", "service-account-key-file", "service-account-signing-key-file",
		"tls-cert-file", "tls-private-key-file", "enable-bootstrap-token-auth", "admission-control-config-file", "audit-policy-file",
	}
	controllerManagerRefused = []string{
		"authentication-kubeconfig", "authorization-kubeconfig", "cluster-signing-cert-file", "cluster-signing-key-file", "kubeconfig",
		"root-ca-file", "service-account-private-key-file",
	}
	schedulerRefused = []string{"authentication-kubeconfig", "authorization-kubeconfig", "config", "kubeconfig"}
)

func apiServerOf(c spec.APIServerConfigSpec) component {
	in := func(name string) string { return filepath.Join(SecretFolder, apiServer, name) }
	config := func(name string) string { return filepath.Join(configFolder, apiServer, name) }
	out := component{
		name: apiServer, image: c.Image, extra: c.ExtraArgs, refused: apiServerRefused, volumes: c.ExtraVolumes, env: c.EnvironmentVariables,
		resources: c.Resources, port: c.LocalPort, health: "/livez", logs: auditFolder,
		args: map[string]string{
			"admission-control-config-file":      config("admission.json"),
			"advertise-address":                  c.AdvertisedAddress,
			"allow-privileged":                   "true",
			"api-audiences":                      c.ControlPlaneEndpoint,
			"audit-log-maxage":                   "30",
			"audit-log-maxbackup":                "10",
			"audit-log-maxsize":                  "100",
			"audit-log-path":                     filepath.Join(auditFolder, "kube-apiserver.log"),
			"audit-policy-file":                  config("audit-policy.json"),
			"authorization-config":               config("authorization.json"),
			"bind-address":                       bindAll(c.AdvertisedAddress),
			"client-ca-file":                     in("ca.crt"),
			"enable-admission-plugins":           "NodeRestriction",
			"enable-bootstrap-token-auth":        "true",
			"encryption-provider-config":         in("encryption.json"),
			"etcd-cafile":                        in("etcd-ca.crt"),
			"etcd-certfile":                      in("etcd-client.crt"),
			"etcd-keyfile":                       in("etcd-client.key"),
			"etcd-servers":                       strings.Join(c.EtcdServers, ","),
			"kubelet-certificate-authority":      in("ca.crt"),
			"kubelet-client-certificate":         in("kubelet-client.crt"),
			"kubelet-client-key":                 in("kubelet-client.key"),
			"kubelet-preferred-address-types":    "InternalIP,ExternalIP,Hostname",
			"profiling":                          "false",
			"proxy-client-cert-file":             in("front-proxy.crt"),
			"proxy-client-key-file":              in("front-proxy.key"),
			"requestheader-allowed-names":        "front-proxy-client",
			"requestheader-client-ca-file":       in("aggregator-ca.crt"),
			"requestheader-extra-headers-prefix": "X-Remote-Extra-",
			"requestheader-group-headers":        "X-Remote-Group",
			"requestheader-username-headers":     "X-Remote-User",
			"secure-port":                        fmt.Sprint(c.LocalPort),
			"service-account-issuer":             c.ControlPlaneEndpoint,
			"service-account-key-file":           in("service-account.pub"),
			"service-account-signing-key-file":   in("service-account.key"),
			"service-cluster-ip-range":           strings.Join(c.ServiceCIDR, ","),
			"tls-cert-file":                      in("apiserver.crt"),
			"tls-min-version":                    "VersionTLS12",
			"tls-private-key-file":               in("apiserver.key"),
		},
	}
	// Who names an older way to authorize takes it instead.
	for name := range c.ExtraArgs {
		if name == "authorization-mode" || strings.HasPrefix(name, "authorization-webhook") {
			delete(out.args, "authorization-config")
			out.args["authorization-mode"] = "Node,RBAC"
		}
	}
	return out
}

// auditFolder is where the API server records what it was asked.
const auditFolder = "/var/log/audit/kube"

func bindAll(address string) string {
	if strings.Contains(address, ":") {
		return "::"
	}
	return "0.0.0.0"
}

func controllerManagerOf(c spec.ControllerManagerConfigSpec, cluster string) component {
	in := func(name string) string { return filepath.Join(SecretFolder, controllerManager, name) }
	out := component{
		name: controllerManager, image: c.Image, extra: c.ExtraArgs, refused: controllerManagerRefused, volumes: c.ExtraVolumes,
		env: c.EnvironmentVariables, resources: c.Resources, port: 10257, health: "/healthz",
		args: map[string]string{
			"allocate-node-cidrs":              "true",
			"authentication-kubeconfig":        in("kubeconfig"),
			"authorization-kubeconfig":         in("kubeconfig"),
			"bind-address":                     "127.0.0.1",
			"cloud-provider":                   c.CloudProvider,
			"cluster-cidr":                     strings.Join(c.PodCIDRs, ","),
			"cluster-name":                     cluster,
			"cluster-signing-cert-file":        in("signer.crt"),
			"cluster-signing-key-file":         in("ca.key"),
			"configure-cloud-routes":           "false",
			"controllers":                      "*,tokencleaner,bootstrapsigner",
			"kubeconfig":                       in("kubeconfig"),
			"leader-elect":                     "true",
			"profiling":                        "false",
			"root-ca-file":                     in("ca.crt"),
			"service-account-private-key-file": in("service-account.key"),
			"service-cluster-ip-range":         strings.Join(c.ServiceCIDRs, ","),
			"use-service-account-credentials":  "true",
		},
	}
	return out
}

func schedulerOf(c spec.SchedulerConfigSpec) component {
	in := func(name string) string { return filepath.Join(SecretFolder, scheduler, name) }
	return component{
		name: scheduler, image: c.Image, extra: c.ExtraArgs, refused: schedulerRefused, volumes: c.ExtraVolumes, env: c.EnvironmentVariables,
		resources: c.Resources, port: 10259, health: "/healthz",
		args: map[string]string{
			"authentication-kubeconfig": in("kubeconfig"),
			"authorization-kubeconfig":  in("kubeconfig"),
			"bind-address":              "127.0.0.1",
			"config":                    filepath.Join(configFolder, scheduler, "scheduler.json"),
			"profiling":                 "false",
		},
	}
}

// pod renders a component as a static pod; the versions are those of what it
// reads at its start.
func (c component) pod(config, secret string) (map[string]any, error) {
	for _, name := range slices.Sorted(maps.Keys(c.extra)) {
		if slices.Contains(c.refused, name) {
			return nil, fmt.Errorf("extraArgs of %s: %s: the system sets this argument itself", c.name, name)
		}
	}
	tag := c.image[strings.LastIndex(c.image, ":")+1:]
	uid := owner(c.name)
	probe := func(path string, period, failures int) map[string]any {
		return map[string]any{
			"httpGet":        map[string]any{"host": "127.0.0.1", "path": path, "port": c.port, "scheme": "HTTPS"},
			"timeoutSeconds": 15, "periodSeconds": period, "failureThreshold": failures,
		}
	}
	readiness := c.health
	if c.name == apiServer {
		readiness = "/readyz"
	}
	mounts, volumes := c.mounts()
	var env []any
	for _, name := range slices.Sorted(maps.Keys(c.env)) {
		env = append(env, map[string]any{"name": name, "value": c.env[name]})
	}
	resources := map[string]any{"requests": c.resources.Requests}
	if len(c.resources.Limits) > 0 {
		resources["limits"] = c.resources.Limits
	}
	container := map[string]any{
		"name":            c.name,
		"image":           c.image,
		"imagePullPolicy": "IfNotPresent",
		"command":         append([]string{"/usr/local/bin/" + c.name}, flags(c.args, c.extra)...),
		"resources":       resources,
		"securityContext": map[string]any{"allowPrivilegeEscalation": false, "capabilities": map[string]any{"drop": []any{"ALL"}}},
		"startupProbe":    probe(c.health, 2, 120),
		"livenessProbe":   probe(c.health, 10, 8),
		"readinessProbe":  probe(readiness, 2, 3),
		"volumeMounts":    mounts,
	}
	if len(env) > 0 {
		container["env"] = env
	}
	pod := map[string]any{
		"apiVersion": "v1",
		"kind":       "Pod",
		"metadata": map[string]any{
			"name":        c.name,
			"namespace":   "kube-system",
			"annotations": map[string]any{"talos.dev/config-version": config, "talos.dev/secrets-version": secret},
			"labels": map[string]any{
				"tier": "control-plane", "k8s-app": c.name, "component": c.name,
				"app.kubernetes.io/name": c.name, "app.kubernetes.io/component": "control-plane", "app.kubernetes.io/version": tag,
			},
		},
		"spec": map[string]any{
			"hostNetwork":       true,
			"priority":          2000001000,
			"priorityClassName": "system-node-critical",
			"securityContext": map[string]any{
				"runAsNonRoot": true, "runAsUser": uid, "runAsGroup": uid,
				"seccompProfile": map[string]any{"type": "RuntimeDefault"},
			},
			"containers": []any{container},
			"volumes":    volumes,
		},
	}
	// As plain as the API has it, whatever the types above are.
	text, err := encode(pod)
	if err != nil {
		return nil, err
	}
	var plain map[string]any
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	if err := decoder.Decode(&plain); err != nil {
		return nil, err
	}
	return numbers(plain).(map[string]any), nil
}

// numbers makes whole numbers of the decoder's texts.
func numbers(v any) any {
	switch v := v.(type) {
	case map[string]any:
		for key := range v {
			v[key] = numbers(v[key])
		}
	case []any:
		for i := range v {
			v[i] = numbers(v[i])
		}
	case json.Number:
		if whole, err := v.Int64(); err == nil {
			return whole
		}
		f, _ := v.Float64()
		return f
	}
	return v
}

// mounts are the component's folders, and what the config adds.
func (c component) mounts() (mounts, volumes []any) {
	add := func(name, source, target, kind string, readOnly bool) {
		mounts = append(mounts, map[string]any{"name": name, "mountPath": target, "readOnly": readOnly})
		volumes = append(volumes, map[string]any{"name": name, "hostPath": map[string]any{"path": source, "type": kind}})
	}
	secrets := filepath.Join(SecretFolder, c.name)
	add("secrets", secrets, secrets, "Directory", true)
	if c.name != controllerManager {
		config := filepath.Join(configFolder, c.name)
		add("config", config, config, "Directory", true)
	}
	if c.logs != "" {
		add("logs", c.logs, c.logs, "Directory", false)
	}
	for _, v := range c.volumes {
		add(v.Name, v.HostPath, v.MountPath, "", v.Readonly)
	}
	return mounts, volumes
}

// flags orders ours and the further ones, which win. One without a value is
// given without.
func flags(ours map[string]string, extra map[string]spec.ArgValues) []string {
	all := map[string][]string{}
	for name, value := range ours {
		if value != "" {
			all[name] = []string{value}
		}
	}
	for name, argument := range extra {
		all[name] = argument.Values
	}
	var out []string
	for _, name := range slices.Sorted(maps.Keys(all)) {
		for _, value := range all[name] {
			out = append(out, "--"+name+"="+value)
		}
		if len(all[name]) == 0 {
			out = append(out, "--"+name)
		}
	}
	return out
}
