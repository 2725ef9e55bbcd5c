package kube

import (
	"fmt"
	"net/url"
	"strings"
)

// Addons lists the objects that make a cluster of a control plane, in the order
// in which they are applied.
func Addons(s Settings) ([]map[string]any, error) {
	objects := joining(s)
	if !s.ProxyDisabled {
		objects = append(objects, proxy(s)...)
	}
	if s.CNI == "flannel" {
		flannel, err := flannel(s)
		if err != nil {
			return nil, err
		}
		objects = append(objects, flannel...)
	}
	if !s.DNSDisabled {
		dns, err := coreDNS(s)
		if err != nil {
			return nil, err
		}
		objects = append(objects, dns...)
	}
	return objects, nil
}

// joining lets nodes join with the bootstrap token, and renew on their own.
func joining(s Settings) []map[string]any {
	const bootstrappers, nodes = "system:bootstrappers:nodes", "system:nodes"
	objects := []map[string]any{
		bind("ichor:node-bootstrapper", "system:node-bootstrapper", "Group", bootstrappers),
		bind("ichor:approve-joining", "system:certificates.k8s.io:certificatesigningrequests:nodeclient", "Group", bootstrappers),
		bind("ichor:approve-renewal", "system:certificates.k8s.io:certificatesigningrequests:selfnodeclient", "Group", nodes),
	}
	id, secret, ok := strings.Cut(s.BootstrapToken, ".")
	if !ok {
		return objects
	}
	return append(objects, object{
		"apiVersion": "v1", "kind": "Secret", "type": "bootstrap.kubernetes.io/token",
		"metadata": meta("bootstrap-token-"+id, system),
		"stringData": object{
			"token-id": id, "token-secret": secret,
			"usage-bootstrap-authentication": "true", "usage-bootstrap-signing": "true",
			"auth-extra-groups": bootstrappers,
		},
	})
}

func proxy(s Settings) []map[string]any {
	config := object{
		"apiVersion": "kubeproxy.config.k8s.io/v1alpha1", "kind": "KubeProxyConfiguration",
		"mode": "nftables", "clusterCIDR": strings.Join(s.PodNets, ","),
		"clientConnection":   object{"kubeconfig": "/var/lib/kube-proxy/kubeconfig.conf"},
		"metricsBindAddress": "127.0.0.1:10249",
	}
	if s.Namespaced {
		config["oomScoreAdj"] = 0
		config["conntrack"] = object{
			"maxPerCore": 0, "min": 0, "tcpEstablishedTimeout": "0s", "tcpCloseWaitTimeout": "0s", "udpTimeout": "0s", "udpStreamTimeout": "0s",
		}
	}
	kubeconfig := object{
		"apiVersion": "v1", "kind": "Config",
		"clusters":        list(object{"name": "default", "cluster": object{"server": s.Endpoint, "certificate-authority": "/var/run/secrets/kubernetes.io/serviceaccount/ca.crt"}}),
		"users":           list(object{"name": "default", "user": object{"tokenFile": "/var/run/secrets/kubernetes.io/serviceaccount/token"}}),
		"contexts":        list(object{"name": "default", "context": object{"cluster": "default", "user": "default"}}),
		"current-context": "default",
	}
	return []map[string]any{
		serviceAccount("kube-proxy"),
		bind("ichor:node-proxier", "system:node-proxier", "ServiceAccount", "kube-proxy"),
		configMap("kube-proxy", object{"config.conf": text(config), "kubeconfig.conf": text(kubeconfig)}, "k8s-app", "kube-proxy"),
		daemonSet("kube-proxy", object{"k8s-app": "kube-proxy", "tier": "node"}, object{
			"hostNetwork": true, "serviceAccountName": "kube-proxy", "priorityClassName": "system-node-critical", "tolerations": everywhere(),
			"containers": list(object{
				"name": "kube-proxy", "image": s.Images.Proxy,
				"command":         list("/usr/local/bin/kube-proxy", "--config=/var/lib/kube-proxy/config.conf", "--hostname-override=$(NODE_NAME)"),
				"env":             list(fieldEnv("NODE_NAME", "spec.nodeName")),
				"securityContext": object{"privileged": true},
				"volumeMounts":    list(mountAt("config", "/var/lib/kube-proxy", true)),
			}),
			"volumes": list(fromConfigMap("config", "kube-proxy")),
		}),
	}
}

func fieldEnv(name, field string) object {
	return object{"name": name, "valueFrom": object{"fieldRef": object{"fieldPath": field}}}
}

func flannel(s Settings) ([]map[string]any, error) {
	endpoint, err := url.Parse(s.Endpoint)
	if err != nil {
		return nil, fmt.Errorf("read endpoint: %s: %w", s.Endpoint, err)
	}
	port := endpoint.Port()
	if port == "" {
		port = "443"
	}
	network := object{"Network": s.PodNets[0], "EnableNFTables": true, "Backend": object{"Type": "vxlan", "Port": 4789}}
	return []map[string]any{
		serviceAccount("flannel"),
		clusterRole("flannel",
			rule(list(""), list("pods"), list("get")),
			rule(list(""), list("nodes"), list("get", "list", "watch")),
			rule(list(""), list("nodes/status"), list("patch")),
		),
		bind("flannel", "flannel", "ServiceAccount", "flannel"),
		configMap("kube-flannel-cfg", object{"net-conf.json": text(network)}, "k8s-app", "flannel"),
		daemonSet("kube-flannel", object{"k8s-app": "kube-flannel", "tier": "node"}, object{
			"hostNetwork": true, "serviceAccountName": "flannel", "priorityClassName": "system-node-critical", "tolerations": everywhere(),
			"initContainers": list(object{
				"name": "install-plugin", "image": s.Images.Flannel,
				"command":      list("/usr/local/bin/install-cni", "/opt/cni/bin/flannel", "/host/opt/cni/bin/flannel"),
				"volumeMounts": list(mountAt("plugins", "/host/opt/cni/bin", false)),
			}),
			"containers": list(object{
				"name": "kube-flannel", "image": s.Images.Flannel,
				"command": list("/opt/bin/flanneld", "--ip-masq", "--kube-subnet-mgr"),
				"env": list(
					fieldEnv("POD_NAME", "metadata.name"), fieldEnv("POD_NAMESPACE", "metadata.namespace"), fieldEnv("NODE_NAME", "spec.nodeName"),
					// The pod network is there before the service network.
					object{"name": "KUBERNETES_SERVICE_HOST", "value": endpoint.Hostname()},
					object{"name": "KUBERNETES_SERVICE_PORT", "value": port},
				),
				"securityContext": object{"privileged": true},
				"volumeMounts":    list(mountAt("run", "/run/flannel", false), mountAt("config", "/etc/kube-flannel", true)),
			}),
			"volumes": list(
				hostPath("run", "/run/flannel", "DirectoryOrCreate"),
				hostPath("plugins", "/opt/cni/bin", "DirectoryOrCreate"),
				fromConfigMap("config", "kube-flannel-cfg"),
			),
		}),
	}, nil
}

// CNIConfig is the network configuration of a node with flannel. It is written
// when flannel's subnet file is there: a runtime that sees it before fails to
// attach pods and waits long before it tries again.
const CNIConfig = `{
  "name": "cbr0",
  "cniVersion": "1.0.0",
  "plugins": [
    {"type": "flannel", "delegate": {"hairpinMode": true, "isDefaultGateway": true}},
    {"type": "portmap", "backend": "nftables", "capabilities": {"portMappings": true}}
  ]
}
`

// Places of the network configuration and of flannel's subnet file.
const (
	CNIConfigPath = "/etc/cni/net.d/10-flannel.conflist"
	SubnetFile    = "/run/flannel/subnet.env"
)

func corefile(domain string) string {
	return `.:53 {
    errors
    health {
        lameduck 5s
    }
    ready
    kubernetes ` + domain + ` in-addr.arpa ip6.arpa {
        pods insecure
        fallthrough in-addr.arpa ip6.arpa
        ttl 30
    }
    prometheus :9153
    cache 30
    reload
    loadbalance
}
`
}

func coreDNS(s Settings) ([]map[string]any, error) {
	address, err := s.ServiceIP(10)
	if err != nil {
		return nil, err
	}
	labels := object{"k8s-app": "kube-dns"}
	probe := func(path string, port int) object {
		return object{"httpGet": object{"path": path, "port": port}, "periodSeconds": 2, "timeoutSeconds": 5, "failureThreshold": 5}
	}
	pod := object{
		"serviceAccountName": "coredns", "priorityClassName": "system-cluster-critical", "dnsPolicy": "Default",
		"tolerations": list(object{"key": "node-role.kubernetes.io/control-plane", "operator": "Exists", "effect": "NoSchedule"}),
		"containers": list(object{
			"name": "coredns", "image": s.Images.CoreDNS, "args": list("-conf", "/etc/coredns/Corefile"),
			"resources":      object{"limits": object{"memory": "170Mi"}, "requests": object{"cpu": "100m", "memory": "70Mi"}},
			"volumeMounts":   list(mountAt("config", "/etc/coredns", true)),
			"livenessProbe":  probe("/health", 8080),
			"readinessProbe": probe("/ready", 8181),
			"securityContext": object{
				"allowPrivilegeEscalation": false, "readOnlyRootFilesystem": true,
				"capabilities": object{"add": list("NET_BIND_SERVICE"), "drop": list("ALL")},
			},
		}),
		"volumes": list(fromConfigMap("config", "coredns")),
	}
	return []map[string]any{
		serviceAccount("coredns"),
		clusterRole("system:coredns",
			rule(list(""), list("endpoints", "services", "pods", "namespaces"), list("list", "watch")),
			rule(list("discovery.k8s.io"), list("endpointslices"), list("list", "watch")),
		),
		bind("system:coredns", "system:coredns", "ServiceAccount", "coredns"),
		configMap("coredns", object{"Corefile": corefile(s.Domain)}),
		{
			"apiVersion": "apps/v1", "kind": "Deployment",
			"metadata": object{"name": "coredns", "namespace": system, "labels": labels},
			"spec": object{
				"replicas": 2, "selector": object{"matchLabels": labels},
				"strategy": object{"type": "RollingUpdate", "rollingUpdate": object{"maxUnavailable": 1}},
				"template": object{"metadata": object{"labels": labels}, "spec": pod},
			},
		},
		{
			"apiVersion": "v1", "kind": "Service", "metadata": meta("kube-dns", system, "k8s-app", "kube-dns", "kubernetes.io/name", "CoreDNS"),
			"spec": object{
				"clusterIP": address.String(), "selector": labels,
				"ports": list(
					object{"name": "dns", "port": 53, "protocol": "UDP", "targetPort": 53},
					object{"name": "dns-tcp", "port": 53, "protocol": "TCP", "targetPort": 53},
					object{"name": "metrics", "port": 9153, "protocol": "TCP", "targetPort": 9153},
				),
			},
		},
	}, nil
}

// text renders an object for a config map; it holds plain values only, which
// always encode.
func text(value object) string {
	out, err := encode(value)
	if err != nil {
		panic(err)
	}
	return string(out)
}
