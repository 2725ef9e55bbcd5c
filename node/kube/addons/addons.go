// Package addons makes a cluster of a control plane: the objects that every
// cluster has and those that the config adds, applied through the API server and
// taken away again when nothing wants them any more.
package addons

import (
	"encoding/json"
	"net/netip"
	"slices"
	"strings"

	"github.com/ichor-os/ichor/node/kube/spec"
)

// joining lets nodes join with the bootstrap token, and renew on their own.
func joining(token string) []map[string]any {
	const bootstrappers, nodes = "system:bootstrappers:nodes", "system:nodes"
	objects := []map[string]any{
		bind("ichor:node-bootstrapper", "system:node-bootstrapper", "Group", bootstrappers),
		bind("ichor:approve-joining", "system:certificates.k8s.io:certificatesigningrequests:nodeclient", "Group", bootstrappers),
		bind("ichor:approve-renewal", "system:certificates.k8s.io:certificatesigningrequests:selfnodeclient", "Group", nodes),
	}
	id, secret, ok := strings.Cut(token, ".")
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

func proxy(c spec.BootstrapManifestsConfigSpec, namespaced bool) []map[string]any {
	config := object{
		"apiVersion": "kubeproxy.config.k8s.io/v1alpha1", "kind": "KubeProxyConfiguration",
		"mode": mode(c), "clusterCIDR": strings.Join(c.PodCIDRs, ","),
		"clientConnection":   object{"kubeconfig": "/var/lib/kube-proxy/kubeconfig.conf"},
		"metricsBindAddress": "127.0.0.1:10249",
	}
	if namespaced {
		config["oomScoreAdj"] = 0
		config["conntrack"] = object{
			"maxPerCore": 0, "min": 0, "tcpEstablishedTimeout": "0s", "tcpCloseWaitTimeout": "0s", "udpTimeout": "0s", "udpStreamTimeout": "0s",
		}
	}
	kubeconfig := object{
		"apiVersion": "v1", "kind": "Config",
		"clusters":        list(object{"name": "default", "cluster": object{"server": c.Server, "certificate-authority": "/var/run/secrets/kubernetes.io/serviceaccount/ca.crt"}}),
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
				"name": "kube-proxy", "image": c.ProxyImage,
				"command":         append(list("/usr/local/bin/kube-proxy", "--config=/var/lib/kube-proxy/config.conf", "--hostname-override=$(NODE_NAME)"), texts(without(c.ProxyArgs, "--proxy-mode="))...),
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

func flannel(c spec.BootstrapManifestsConfigSpec) []map[string]any {
	network := object{"EnableNFTables": true, "Backend": object{"Type": "vxlan", "Port": 4789}}
	for _, subnet := range c.PodCIDRs {
		switch p, err := netip.ParsePrefix(subnet); {
		case err != nil:
		case p.Addr().Is4():
			network["Network"], network["EnableIPv4"] = subnet, true
		default:
			network["IPv6Network"], network["EnableIPv6"] = subnet, true
		}
	}
	if network["Network"] == nil {
		network["EnableIPv4"] = false
	}
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
				"name": "install-plugin", "image": c.FlannelImage,
				"command":      list("/usr/local/bin/install-cni", "/opt/cni/bin/flannel", "/host/opt/cni/bin/flannel"),
				"volumeMounts": list(mountAt("plugins", "/host/opt/cni/bin", false)),
			}),
			"containers": list(object{
				"name": "kube-flannel", "image": c.FlannelImage,
				"command": append(list("/opt/bin/flanneld", "--ip-masq", "--kube-subnet-mgr"), texts(c.FlannelExtraArgs)...),
				"env": list(
					fieldEnv("POD_NAME", "metadata.name"), fieldEnv("POD_NAMESPACE", "metadata.namespace"), fieldEnv("NODE_NAME", "spec.nodeName"),
					// The pod network is there before the service network.
					object{"name": "KUBERNETES_SERVICE_HOST", "value": c.FlannelKubeServiceHost},
					object{"name": "KUBERNETES_SERVICE_PORT", "value": c.FlannelKubeServicePort},
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
	}
}

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

func coreDNS(c spec.BootstrapManifestsConfigSpec) []map[string]any {
	labels := object{"k8s-app": "kube-dns"}
	probe := func(path string, port int) object {
		return object{"httpGet": object{"path": path, "port": port}, "periodSeconds": 2, "timeoutSeconds": 5, "failureThreshold": 5}
	}
	pod := object{
		"serviceAccountName": "coredns", "priorityClassName": "system-cluster-critical", "dnsPolicy": "Default",
		"tolerations": list(object{"key": "node-role.kubernetes.io/control-plane", "operator": "Exists", "effect": "NoSchedule"}),
		"containers": list(object{
			"name": "coredns", "image": c.CoreDNSImage, "args": list("-conf", "/etc/coredns/Corefile"),
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
	var addresses []any
	for _, address := range []string{c.DNSServiceIP, c.DNSServiceIPv6} {
		if address != "" {
			addresses = append(addresses, address)
		}
	}
	service := object{"clusterIP": addresses[0], "clusterIPs": addresses, "selector": labels, "ports": list(
		object{"name": "dns", "port": 53, "protocol": "UDP", "targetPort": 53},
		object{"name": "dns-tcp", "port": 53, "protocol": "TCP", "targetPort": 53},
		object{"name": "metrics", "port": 9153, "protocol": "TCP", "targetPort": 9153},
	)}
	if len(addresses) > 1 {
		service["ipFamilyPolicy"] = "PreferDualStack"
	}
	return []map[string]any{
		serviceAccount("coredns"),
		clusterRole("system:coredns",
			rule(list(""), list("endpoints", "services", "pods", "namespaces"), list("list", "watch")),
			rule(list("discovery.k8s.io"), list("endpointslices"), list("list", "watch")),
		),
		bind("system:coredns", "system:coredns", "ServiceAccount", "coredns"),
		configMap("coredns", object{"Corefile": corefile(c.ClusterDomain)}),
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
			"spec": service,
		},
	}
}

// text renders an object for a config map; it holds plain values only, which
// always encode.
func text(value object) string {
	out, err := json.MarshalIndent(value, "", "  ")
	if err != nil {
		panic(err)
	}
	return string(out)
}

func texts(in []string) []any {
	var out []any
	for _, text := range in {
		out = append(out, text)
	}
	return out
}

// mode is how kube-proxy directs packets: it is an argument among the others.
func mode(c spec.BootstrapManifestsConfigSpec) string {
	for _, arg := range c.ProxyArgs {
		if mode, ok := strings.CutPrefix(arg, "--proxy-mode="); ok {
			return mode
		}
	}
	return "nftables"
}

func without(args []string, prefix string) []string {
	return slices.DeleteFunc(slices.Clone(args), func(arg string) bool { return strings.HasPrefix(arg, prefix) })
}
