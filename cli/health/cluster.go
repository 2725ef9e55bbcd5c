package health

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/url"
	"slices"
	"strings"

	"google.golang.org/protobuf/types/known/emptypb"

	machinepb "github.com/ichor-os/ichor/api/machine"
	"github.com/ichor-os/ichor/cli/machine"
	"github.com/ichor-os/ichor/cli/target"
	"github.com/ichor-os/ichor/client"
)

// cluster is what the checks are about.
type cluster struct {
	session               *target.Session
	controlPlane, workers []string
	given                 bool // the user said which nodes there should be
	endpoint              string

	kubernetes *kubernetes
	nodes      []node
}

// checks are all of them, from the machines up to what runs on Kubernetes.
func (c *cluster) checks() []Check {
	return []Check{
		{"apid to answer on the first node", c.answers},
		{"Kubernetes API to answer", c.connect},
		{"all nodes to be known", c.discover},
		{"apid to be healthy on all nodes", c.service("apid", c.all)},
		{"kubelet to be healthy on all nodes", c.service("kubelet", c.all)},
		{"etcd to be healthy on control plane nodes", c.service("etcd", c.controlPlanes)},
		{"etcd members to be the same on control plane nodes", c.sameMembers},
		{"etcd members to be the control plane nodes", c.membersAreNodes},
		{"all nodes to be Ready and schedulable", c.ready},
		{"static pods of the control plane to be ready", c.staticPods},
		{"kube-proxy to be ready", c.pods("kube-proxy")},
		{"CoreDNS to be ready", c.pods("kube-dns")},
	}
}

func (c *cluster) all() []string { return slices.Concat(c.controlPlane, c.workers) }

func (c *cluster) controlPlanes() []string { return c.controlPlane }

// first is the node to begin with.
func (c *cluster) first(ctx context.Context) context.Context {
	switch {
	case len(c.controlPlane) > 0:
		return client.WithNode(ctx, c.controlPlane[0])
	case len(c.session.Nodes) > 0:
		return client.WithNode(ctx, c.session.Nodes[0])
	}
	return ctx
}

func (c *cluster) answers(ctx context.Context) error {
	_, err := c.session.Machine.Version(c.first(ctx), &emptypb.Empty{})
	if err != nil {
		c.session.Reconnect()
	}
	return err
}

// connect gets a kubeconfig and finds an address at which the Kubernetes API can
// be reached from here: the given one, the cluster's, or an endpoint of the node
// API.
func (c *cluster) connect(ctx context.Context) error {
	one := *c.session
	if len(c.controlPlane) > 0 {
		one.Nodes = c.controlPlane[:1]
	} else if len(one.Nodes) > 1 {
		one.Nodes = one.Nodes[:1]
	}
	fetched, err := machine.FetchKubeconfig(ctx, &one)
	if err != nil {
		return err
	}
	servers := []string{c.endpoint}
	if c.endpoint == "" {
		servers = []string{machine.ThroughLoopback(c.session.Endpoint(), fetched.Server()), "https://" + net.JoinHostPort(hostOf(c.session.Endpoint()), "6443")}
	}
	var errs []error
	for _, server := range servers {
		if _, err := url.Parse(server); err != nil || server == "" {
			continue
		}
		fetched.SetServer(server)
		api, err := newKubernetes(fetched)
		if err != nil {
			return err
		}
		if _, err := nodesOf(ctx, api); err != nil {
			errs = append(errs, err)
			continue
		}
		c.kubernetes = api
		return nil
	}
	return errors.Join(errs...)
}

func hostOf(endpoint string) string {
	if host, _, err := net.SplitHostPort(endpoint); err == nil {
		return host
	}
	return strings.Trim(endpoint, "[]")
}

// discover finds the nodes, or compares those that were given with those that
// Kubernetes knows.
func (c *cluster) discover(ctx context.Context) error {
	nodes, err := nodesOf(ctx, c.kubernetes)
	if err != nil {
		return err
	}
	c.nodes = nodes
	var controlPlane, workers []string
	for _, n := range nodes {
		if n.controlPlane {
			controlPlane = append(controlPlane, n.address)
		} else {
			workers = append(workers, n.address)
		}
	}
	if !c.given {
		c.controlPlane, c.workers = controlPlane, workers
		if len(controlPlane) == 0 {
			return errors.New("there is no control plane node in Kubernetes yet")
		}
		return nil
	}
	known := slices.Concat(controlPlane, workers)
	for _, address := range c.all() {
		if !slices.Contains(known, address) {
			return fmt.Errorf("node %s is not in Kubernetes yet: there are %s", address, strings.Join(known, ", "))
		}
	}
	return nil
}

// service checks that a service runs and is healthy.
func (c *cluster) service(id string, on func() []string) func(ctx context.Context) error {
	return func(ctx context.Context) error {
		response, err := c.session.Machine.ServiceList(client.WithNodes(ctx, on()...), &emptypb.Empty{})
		if err != nil {
			return err
		}
		answers, failed := client.Answers(response.GetMessages())
		errs := []error{failed}
		for _, answer := range answers {
			if why := serviceFault(answer, id); why != "" {
				errs = append(errs, fmt.Errorf("%s: %s", client.Node(answer), why))
			}
		}
		return errors.Join(errs...)
	}
}

// serviceFault says what is wrong with a service of a node, or nothing.
func serviceFault(list *machinepb.ServiceList, id string) string {
	for _, s := range list.GetServices() {
		switch {
		case s.GetId() != id:
			continue
		case s.GetState() != "Running":
			return fmt.Sprintf("service %s is in state %s", id, s.GetState())
		case s.GetHealth().GetUnknown():
			return fmt.Sprintf("the health of service %s is not known yet", id)
		case !s.GetHealth().GetHealthy():
			return fmt.Sprintf("service %s is not healthy: %s", id, s.GetHealth().GetLastMessage())
		}
		return ""
	}
	return fmt.Sprintf("there is no service %s", id)
}

// members asks each control plane node for the members of etcd: host names and
// the hosts of their URLs, sorted.
func (c *cluster) members(ctx context.Context) (map[string][]*machinepb.EtcdMember, error) {
	response, err := c.session.Machine.EtcdMemberList(client.WithNodes(ctx, c.controlPlane...), &machinepb.EtcdMemberListRequest{QueryLocal: true})
	if err != nil {
		return nil, err
	}
	answers, failed := client.Answers(response.GetMessages())
	byNode := map[string][]*machinepb.EtcdMember{}
	for _, answer := range answers {
		byNode[client.Node(answer)] = answer.GetMembers()
	}
	return byNode, failed
}

func (c *cluster) sameMembers(ctx context.Context) error {
	byNode, err := c.members(ctx)
	if err != nil {
		return err
	}
	var first string
	seen := ""
	for _, node := range c.controlPlane {
		var names []string
		for _, member := range byNode[node] {
			names = append(names, member.GetHostname())
		}
		slices.Sort(names)
		list := strings.Join(names, ", ")
		if first == "" {
			first, seen = node, list
		} else if list != seen {
			return fmt.Errorf("%s knows the members %s, but %s knows %s", first, seen, node, list)
		}
	}
	return nil
}

func (c *cluster) membersAreNodes(ctx context.Context) error {
	byNode, err := c.members(ctx)
	if err != nil {
		return err
	}
	var addresses []string
	for _, member := range byNode[c.controlPlane[0]] {
		if member.GetIsLearner() {
			return fmt.Errorf("member %s does not vote yet", member.GetHostname())
		}
		for _, peer := range member.GetPeerUrls() {
			if parsed, err := url.Parse(peer); err == nil {
				addresses = append(addresses, parsed.Hostname())
			}
		}
	}
	for _, node := range c.controlPlane {
		if !slices.Contains(addresses, node) {
			return fmt.Errorf("control plane node %s is no member of etcd: the members are at %s", node, strings.Join(addresses, ", "))
		}
	}
	for _, address := range addresses {
		if !slices.Contains(c.controlPlane, address) {
			return fmt.Errorf("etcd has a member at %s, which is no control plane node: remove it with 'etcd remove-member' if it is gone for good", address)
		}
	}
	return nil
}
