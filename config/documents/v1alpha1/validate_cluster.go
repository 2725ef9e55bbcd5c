package v1alpha1

import (
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"

	"github.com/ichor-os/ichor/config/document"
)

func (c *Config) validateCluster(v *document.Validation) {
	cl := c.Cluster

	switch {
	case cl.ControlPlane == nil || cl.ControlPlane.Endpoint == nil || cl.ControlPlane.Endpoint.URL == nil:
		v.Errorf("controlPlane.endpoint", "the endpoint of the control plane is required").Fix("write https://host:6443")
	default:
		if fault := endpointFault(cl.ControlPlane.Endpoint.URL); fault != "" {
			v.Errorf("controlPlane.endpoint", "%s", fault).Fix("write https://host:6443")
		}
	}

	c.validateClusterNetwork(v.At("network"))
	c.validateDiscovery(v.At("discovery"))

	if cl.Etcd != nil {
		c.validateEtcd(v.At("etcd"))
	}

	seen := make(map[string]bool)

	for i, m := range cl.InlineManifests {
		path := fmt.Sprintf("inlineManifests[%d].name", i)

		switch name := strings.TrimSpace(m.Name); {
		case name == "":
			v.Errorf(path, "a manifest needs a name").Fix("give each manifest a name of its own")
		case seen[m.Name]:
			v.Errorf(path, "name of a manifest stands twice: %q", m.Name).Fix("give each manifest a name of its own")
		}

		seen[m.Name] = true
	}

	if p := cl.ExternalCloudProvider; p != nil {
		if len(p.Manifests) > 0 && !isTrue(p.Enabled) {
			v.Errorf("externalCloudProvider.manifests", "manifests need externalCloudProvider.enabled: true").Fix("set enabled to true, or remove the manifests")
		}

		for i, m := range p.Manifests {
			if u, err := url.Parse(m); err != nil || u.Scheme == "" {
				v.Errorf(fmt.Sprintf("externalCloudProvider.manifests[%d]", i), "not a URL: %q", m).Fix("write https://host/path")
			}
		}
	}

	cl.validateComponents(v)
}

func (c *Config) validateClusterNetwork(v *document.Validation) {
	n := c.Cluster.Network
	if n == nil {
		return
	}

	if n.DNSDomain != "" && !dnsSubdomain().MatchString(strings.ToLower(n.DNSDomain)) {
		v.Errorf("dnsDomain", "not a DNS name: %q", n.DNSDomain).Fix("write cluster.local, or another name in lower case")
	}

	if n.CNI == nil || !c.ControlPlane() {
		return
	}

	switch n.CNI.Name {
	case "custom":
		if len(n.CNI.URLs) == 0 {
			v.Warnf("cni.urls", "a custom CNI without urls leaves the cluster without a pod network").Fix("give urls, or name: none to install it yourself")
		}
	case "flannel", "none":
		if len(n.CNI.URLs) > 0 {
			v.Errorf("cni.urls", "urls belong to a custom CNI only").Fix("set cni.name to custom")
		}
	default:
		v.Errorf("cni.name", "unknown CNI: %q", n.CNI.Name).Fix("use flannel, custom or none")
	}

	if n.CNI.Flannel != nil && n.CNI.Name != "flannel" {
		v.Errorf("cni.flannel", "these settings belong to flannel only").Fix("set cni.name to flannel")
	}
}

func (c *Config) validateDiscovery(v *document.Validation) {
	d := c.Cluster.Discovery
	if d == nil || !isTrue(d.Enabled) || isTrue(d.Registries.Service.Disabled) {
		return
	}

	if c.Cluster.ID == "" {
		v.Errorf("registries.service", "discovery through a service needs cluster.id").Fix("give cluster.id, or disable the service")
	}

	if c.Cluster.Secret == "" {
		v.Errorf("registries.service", "discovery through a service needs cluster.secret").Fix("give cluster.secret, or disable the service")
	}

	if e := d.Registries.Service.Endpoint; e != "" {
		u, err := url.Parse(e)

		switch {
		case err != nil || u.Host == "":
			v.Errorf("registries.service.endpoint", "not a URL: %q", e).Fix("write https://host/")
		case u.Path != "" && u.Path != "/":
			v.Errorf("registries.service.endpoint", "the discovery service's URL must not have a path: %q", e).Fix("end the URL after the host")
		}
	}
}

func (c *Config) validateEtcd(v *document.Validation) {
	e := c.Cluster.Etcd

	if !c.ControlPlane() {
		v.Errorf("", "etcd belongs on control plane machines only").Fix("remove the section")
	}

	if e.CA == nil {
		v.Errorf("ca", "the authority of etcd is required").Fix("give etcd.ca.crt and etcd.ca.key")
	}

	if e.Subnet != "" && len(e.AdvertisedSubnets) > 0 {
		v.Errorf("subnet", "subnet and advertisedSubnets exclude each other").Fix("use advertisedSubnets")
	}

	if e.Subnet != "" {
		validateSubnets(v, "subnet", []string{e.Subnet})
	}

	validateSubnets(v, "advertisedSubnets", e.AdvertisedSubnets)
	validateSubnets(v, "listenSubnets", e.ListenSubnets)
}

func (cl *ClusterConfig) validateComponents(v *document.Validation) {
	if a := cl.APIServer; a != nil {
		a.Resources.validate(v.At("apiServer.resources"))

		for i, z := range a.AuthorizationConfig {
			z.validate(v.Item("apiServer.authorizationConfig", i))
		}

		if len(a.AuthorizationConfig) > 0 {
			for _, flag := range slices.Sorted(maps.Keys(a.ExtraArgs)) {
				if flag == "authorization-mode" || strings.HasPrefix(flag, "authorization-webhook-") {
					v.Errorf(document.Join("apiServer.extraArgs", flag), "this flag and apiServer.authorizationConfig exclude each other").Fix("remove one of them")
				}
			}
		}
	}

	if m := cl.ControllerManager; m != nil {
		m.Resources.validate(v.At("controllerManager.resources"))
	}

	if s := cl.Scheduler; s != nil {
		s.Resources.validate(v.At("scheduler.resources"))
	}
}

func (a *AuthorizerConfig) validate(v *document.Validation) {
	if a == nil {
		v.Errorf("", "authorizer is empty").Fix("give type and name, or remove the item")

		return
	}

	if !slices.Contains([]string{"Node", "RBAC", "Webhook"}, a.Type) {
		v.Errorf("type", "unknown sort of authorizer: %q", a.Type).Fix("use Node, RBAC or Webhook")
	}

	if a.Name == "" {
		v.Errorf("name", "an authorizer needs a name").Fix("give it one")
	}
}

func (r *ResourcesConfig) validate(v *document.Validation) {
	if r == nil {
		return
	}

	for part, amounts := range map[string]document.Freeform{"requests": r.Requests, "limits": r.Limits} {
		for _, key := range slices.Sorted(maps.Keys(amounts)) {
			if key != "cpu" && key != "memory" {
				v.Errorf(document.Join(part, key), "unknown resource").Fix("use cpu or memory")
			}
		}
	}
}
