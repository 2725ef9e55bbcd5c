package kubelet

import (
	"context"
	"fmt"
	"log/slog"
	"maps"
	"net/netip"
	"slices"
	"strings"

	"github.com/ichor-os/ichor/config/documents/v1alpha1"
	configspec "github.com/ichor-os/ichor/node/config/spec"
	"github.com/ichor-os/ichor/node/kubelet/spec"
	"github.com/ichor-os/ichor/resource"
	"github.com/ichor-os/ichor/resource/value"
	"github.com/ichor-os/ichor/version"
)

// reconcileConfig says what the config wants of kubelet.
func reconcileConfig(_ context.Context, s *resource.Session) error {
	c, ok, err := configspec.Config(s)
	if err != nil || !ok || c.Main() == nil || c.Main().Machine == nil || c.Main().Cluster == nil {
		return err
	}
	out, err := configOf(c.Main())
	if err != nil {
		return err
	}
	spec.KubeletConfigs.Put(s, "kubelet", out)
	return nil
}

func configOf(main *v1alpha1.Config) (spec.KubeletConfigSpec, error) {
	k, cluster := kubeletOf(main), main.Cluster
	out := spec.KubeletConfigSpec{
		Image:         "ghcr.io/siderolabs/kubelet:v" + version.Kubernetes,
		ClusterDNS:    k.ClusterDNS,
		ClusterDomain: "cluster.local",
		ExtraConfig:   k.ExtraConfig, CredentialProviderConfig: k.CredentialProviderConfig,
		CloudProviderExternal:         cluster.ExternalCloudProvider != nil && isTrue(cluster.ExternalCloudProvider.Enabled),
		DefaultRuntimeSeccompEnabled:  isTrue(k.DefaultRuntimeSeccomp),
		SkipNodeRegistration:          isTrue(k.SkipNodeRegistration),
		DisableManifestsDirectory:     isTrue(k.DisableManifests),
		EnableFSQuotaMonitoring:       main.Machine.Features != nil && isTrue(main.Machine.Features.DiskQuotaSupport),
		AllowSchedulingOnControlPlane: isTrue(cluster.AllowSchedulingOnControlPlane) || isTrue(cluster.AllowSchedulingOnMasters),
		ExtraArgs:                     map[string]spec.ArgValues{},
	}
	if k.Image != "" {
		out.Image = k.Image
	}
	services := []string{"10.96.0.0/12"}
	if n := cluster.Network; n != nil {
		if n.DNSDomain != "" {
			out.ClusterDomain = n.DNSDomain
		}
		if len(n.ServiceSubnets) > 0 {
			services = n.ServiceSubnets
		}
	}
	if len(out.ClusterDNS) == 0 {
		for _, network := range services {
			dns, err := spec.NameService(network)
			if err != nil {
				return out, err
			}
			out.ClusterDNS = append(out.ClusterDNS, dns.String())
		}
	}
	for name, argument := range k.ExtraArgs {
		out.ExtraArgs[name] = spec.ArgValues{Values: argument.Values}
	}
	for _, m := range k.ExtraMounts {
		out.ExtraMounts = append(out.ExtraMounts, value.Mount{Destination: m.Destination, Type: m.Type, Source: m.Source, Options: m.Options})
	}
	return out, nil
}

func isTrue(b *bool) bool { return b != nil && *b }

// refusedArgs are arguments that belong to the system: with others the node
// could not be run or would not be the one that the cluster knows.
var refusedArgs = []string{
	"bootstrap-kubeconfig", "cert-dir", "config", "hostname-override", "kubeconfig", "node-labels", "register-with-taints",
	"container-runtime-endpoint", "config-dir",
}

// refusedKeys are keys of KubeletConfiguration that belong to the system.
var refusedKeys = []string{
	"apiVersion", "kind", "authentication", "authorization", "cgroupRoot", "kubeletCgroups", "port", "protectKernelDefaults", "resolvConf",
	"rotateCertificates", "systemCgroups", "staticPodPath", "seccompDefault",
}

// reconcileSpec says how kubelet is started. What it cannot take on is refused
// by name, and kubelet goes on as it was.
func (a *Agent) reconcileSpec(_ context.Context, s *resource.Session) error {
	config, ok := spec.KubeletConfigs.Get(s, "kubelet")
	if !ok {
		return nil
	}
	node, ok := spec.Nodenames.Get(s, "nodename")
	if !ok {
		return resource.Hold("waiting for the node's name")
	}
	ips, ok := spec.NodeIPs.Get(s, "kubelet")
	if !ok {
		return resource.Hold("waiting for the node's addresses")
	}
	out, err := a.specOf(config, node.Nodename, ips.Addresses)
	a.said.Tell(a.Log, slog.LevelError, "kubelet goes on as it was", err)
	if err != nil {
		return err
	}
	spec.KubeletSpecs.Put(s, "kubelet", out)
	return nil
}

func (a *Agent) specOf(config spec.KubeletConfigSpec, name string, ips []netip.Addr) (spec.KubeletSpecSpec, error) {
	out := spec.KubeletSpecSpec{
		Image: config.Image, ExtraMounts: config.ExtraMounts, ExpectedNodename: name, CredentialProviderConfig: config.CredentialProviderConfig,
	}
	args := map[string][]string{
		"config": {ConfigPath}, "cert-dir": {"/var/lib/kubelet/pki"}, "hostname-override": {name},
	}
	var addresses []string
	for _, ip := range ips {
		addresses = append(addresses, ip.String())
	}
	if len(addresses) > 0 {
		args["node-ip"] = []string{strings.Join(addresses, ",")}
	}
	if !config.SkipNodeRegistration {
		args["kubeconfig"] = []string{KubeconfigPath}
	}
	if config.CloudProviderExternal {
		args["cloud-provider"] = []string{"external"}
	}
	if config.CredentialProviderConfig != nil {
		args["image-credential-provider-bin-dir"] = []string{CredentialProviders}
		args["image-credential-provider-config"] = []string{CredentialPath}
	}
	for _, name := range slices.Sorted(maps.Keys(config.ExtraArgs)) {
		if slices.Contains(refusedArgs, name) {
			return out, fmt.Errorf("machine.kubelet.extraArgs: %s: the system sets this argument itself", name)
		}
		args[name] = config.ExtraArgs[name].Values
	}
	for _, name := range slices.Sorted(maps.Keys(args)) {
		for _, value := range args[name] {
			out.Args = append(out.Args, "--"+name+"="+value)
		}
		if len(args[name]) == 0 {
			out.Args = append(out.Args, "--"+name)
		}
	}
	for key := range config.ExtraConfig {
		if slices.Contains(refusedKeys, key) {
			return out, fmt.Errorf("machine.kubelet.extraConfig: %s: the system sets this key itself", key)
		}
	}
	out.Config = lay(configuration(config, a.Namespaced), config.ExtraConfig)
	return out, nil
}

// lay puts keys over others, section by section.
func lay(below, over map[string]any) map[string]any {
	out := maps.Clone(below)
	for key, value := range over {
		section, ok := value.(map[string]any)
		old, had := out[key].(map[string]any)
		if ok && had {
			value = lay(old, section)
		}
		out[key] = value
	}
	return out
}

// configuration is KubeletConfiguration as the system wants it.
func configuration(c spec.KubeletConfigSpec, namespaced bool) map[string]any {
	dns := make([]any, 0, len(c.ClusterDNS))
	for _, address := range c.ClusterDNS {
		dns = append(dns, address)
	}
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
		"clusterDNS":                dns,
		"clusterDomain":             c.ClusterDomain,
		"staticPodPath":             Manifests(c.DisableManifestsDirectory),
		"volumePluginDir":           "/var/lib/kubelet/volumeplugins",
		"resolvConf":                "/etc/resolv.conf",
		"rotateCertificates":        true,
		"makeIPTablesUtilChains":    false,
		"failSwapOn":                false,
		"seccompDefault":            c.DefaultRuntimeSeccompEnabled,
		"serializeImagePulls":       false,
		"nodeStatusUpdateFrequency": "10s",
		"kubeletCgroups":            "/system/kubelet",
	}
	if c.SkipNodeRegistration {
		// There is no API server to ask who may do what.
		config["authentication"].(map[string]any)["webhook"] = map[string]any{"enabled": false}
		config["authorization"] = map[string]any{"mode": "AlwaysAllow"}
	}
	if c.EnableFSQuotaMonitoring {
		config["featureGates"] = map[string]any{"LocalStorageCapacityIsolationFSQuotaMonitoring": true}
	}
	if namespaced {
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
