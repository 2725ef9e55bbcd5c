package kube

import (
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	filespec "github.com/ichor-os/ichor/node/file/spec"
	"github.com/ichor-os/ichor/pki"
)

// ManifestFolder is where kubelet looks for static pods.
const ManifestFolder = "/etc/kubernetes/manifests"

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
	extra       map[string][]string
	uid, port   int
	cpu, memory string
	health      string
}

// APIServer renders the API server's static pod.
func APIServer(s Settings) (filespec.File, error) {
	in := func(name string) string { return filepath.Join(SecretFolder, "kube-apiserver", name) }
	return s.pod(component{
		name: "kube-apiserver", image: s.Images.APIServer, extra: s.APIServerArgs,
		uid: apiServerUID, port: s.Port, cpu: "200m", memory: "512Mi", health: "/livez",
		args: map[string]string{
			"advertise-address":                  s.Address.String(),
			"allow-privileged":                   "true",
			"api-audiences":                      s.Endpoint,
			"authorization-mode":                 "Node,RBAC",
			"bind-address":                       "0.0.0.0",
			"client-ca-file":                     in("ca.crt"),
			"enable-admission-plugins":           "NodeRestriction",
			"enable-bootstrap-token-auth":        "true",
			"encryption-provider-config":         in("encryption.json"),
			"etcd-cafile":                        in("etcd-ca.crt"),
			"etcd-certfile":                      in("etcd-client.crt"),
			"etcd-keyfile":                       in("etcd-client.key"),
			"etcd-servers":                       "https://127.0.0.1:2379",
			"kubelet-certificate-authority":      "", // workers still serve with certificates of their own
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
			"secure-port":                        fmt.Sprint(s.Port),
			"service-account-issuer":             s.Endpoint,
			"service-account-key-file":           in("service-account.pub"),
			"service-account-signing-key-file":   in("service-account.key"),
			"service-cluster-ip-range":           strings.Join(s.ServiceNets, ","),
			"tls-cert-file":                      in("apiserver.crt"),
			"tls-min-version":                    "VersionTLS12",
			"tls-private-key-file":               in("apiserver.key"),
		},
	})
}

// ControllerManager renders the controller manager's static pod.
func ControllerManager(s Settings) (filespec.File, error) {
	in := func(name string) string { return filepath.Join(SecretFolder, "kube-controller-manager", name) }
	return s.pod(component{
		name: "kube-controller-manager", image: s.Images.ControllerManager, extra: s.ControllerManagerArgs,
		uid: controllerManagerUID, port: 10257, cpu: "50m", memory: "256Mi", health: "/healthz",
		args: map[string]string{
			"allocate-node-cidrs":              "true",
			"authentication-kubeconfig":        in("kubeconfig"),
			"authorization-kubeconfig":         in("kubeconfig"),
			"bind-address":                     "127.0.0.1",
			"cluster-cidr":                     strings.Join(s.PodNets, ","),
			"cluster-name":                     s.ClusterName,
			"cluster-signing-cert-file":        in("ca.crt"),
			"cluster-signing-key-file":         in("ca.key"),
			"configure-cloud-routes":           "false",
			"controllers":                      "*,tokencleaner,bootstrapsigner",
			"kubeconfig":                       in("kubeconfig"),
			"leader-elect":                     "true",
			"profiling":                        "false",
			"root-ca-file":                     in("ca.crt"),
			"service-account-private-key-file": in("service-account.key"),
			"service-cluster-ip-range":         strings.Join(s.ServiceNets, ","),
			"use-service-account-credentials":  "true",
		},
	})
}

// Scheduler renders the scheduler's static pod.
func Scheduler(s Settings) (filespec.File, error) {
	in := func(name string) string { return filepath.Join(SecretFolder, "kube-scheduler", name) }
	return s.pod(component{
		name: "kube-scheduler", image: s.Images.Scheduler, extra: s.SchedulerArgs,
		uid: schedulerUID, port: 10259, cpu: "10m", memory: "64Mi", health: "/healthz",
		args: map[string]string{
			"authentication-kubeconfig": in("kubeconfig"),
			"authorization-kubeconfig":  in("kubeconfig"),
			"bind-address":              "127.0.0.1",
			"kubeconfig":                in("kubeconfig"),
			"leader-elect":              "true",
			"profiling":                 "false",
		},
	})
}

// pod renders a component as a static pod.
func (s Settings) pod(c component) (filespec.File, error) {
	tag := c.image[strings.LastIndex(c.image, ":")+1:]
	folder := filepath.Join(SecretFolder, c.name)
	probe := func(path string, period, failures int) map[string]any {
		return map[string]any{
			"httpGet":        map[string]any{"host": "127.0.0.1", "path": path, "port": c.port, "scheme": "HTTPS"},
			"timeoutSeconds": 15, "periodSeconds": period, "failureThreshold": failures,
		}
	}
	readiness := c.health
	if c.name == "kube-apiserver" {
		readiness = "/readyz"
	}
	text, err := encode(map[string]any{
		"apiVersion": "v1",
		"kind":       "Pod",
		"metadata": map[string]any{
			"name":      c.name,
			"namespace": "kube-system",
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
				"runAsNonRoot": true, "runAsUser": c.uid, "runAsGroup": c.uid,
				"seccompProfile": map[string]any{"type": "RuntimeDefault"},
			},
			"containers": []any{map[string]any{
				"name":            c.name,
				"image":           c.image,
				"imagePullPolicy": "IfNotPresent",
				"command":         append([]string{"/usr/local/bin/" + c.name}, flags(c.args, c.extra)...),
				"resources":       map[string]any{"requests": map[string]any{"cpu": c.cpu, "memory": c.memory}},
				"securityContext": map[string]any{"allowPrivilegeEscalation": false, "capabilities": map[string]any{"drop": []any{"ALL"}}},
				"startupProbe":    probe(c.health, 2, 120),
				"livenessProbe":   probe(c.health, 10, 8),
				"readinessProbe":  probe(readiness, 2, 3),
				"volumeMounts":    []any{map[string]any{"name": "secrets", "mountPath": folder, "readOnly": true}},
			}},
			"volumes": []any{map[string]any{"name": "secrets", "hostPath": map[string]any{"path": folder, "type": "Directory"}}},
		},
	})
	if err != nil {
		return filespec.File{}, err
	}
	return filespec.File{Path: filepath.Join(ManifestFolder, c.name+".json"), Content: text}, nil
}

// flags orders ours and the further ones, which win.
func flags(ours map[string]string, extra map[string][]string) []string {
	all := map[string][]string{}
	for name, value := range ours {
		if value != "" {
			all[name] = []string{value}
		}
	}
	maps.Copy(all, extra)
	var out []string
	for _, name := range slices.Sorted(maps.Keys(all)) {
		for _, value := range all[name] {
			out = append(out, "--"+name+"="+value)
		}
	}
	return out
}
