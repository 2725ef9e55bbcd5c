package health

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"google.golang.org/protobuf/types/known/emptypb"

	machinepb "github.com/ichor-os/ichor/api/machine"
	"github.com/ichor-os/ichor/client"
)

// Cluster is what the checks are about.
type Cluster struct {
	Machine machinepb.MachineServiceClient
	// ControlPlane and Workers are the addresses of the nodes that there should
	// be; with none of them it is those that Kubernetes knows.
	ControlPlane, Workers []string
	// First is the node to begin with while no control plane node is known; ""
	// is the one that is connected to.
	First string
	// Connect finds the Kubernetes API, given a control plane node or "".
	Connect func(ctx context.Context, node string) (Kubernetes, error)
	// Reconnect, if not nil, is called when the first node did not answer.
	Reconnect func()

	given      bool
	kubernetes Kubernetes
	nodes      []node
}

// Kubernetes reads a path of the Kubernetes API, as JSON, into a value.
type Kubernetes interface {
	Get(ctx context.Context, path string, into any) error
}

// Checks are all of them, from the machines up to what runs on Kubernetes.
func (c *Cluster) Checks() []Check {
	c.given = len(c.ControlPlane)+len(c.Workers) > 0
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
		{"kube-proxy to be ready", c.addon(addon{"kube-proxy", "DaemonSet", "kube-proxy", true})},
		{"CoreDNS to be ready", c.addon(addon{"kube-dns", "Deployment", "coredns", false})},
	}
}

func (c *Cluster) all() []string { return slices.Concat(c.ControlPlane, c.Workers) }

func (c *Cluster) controlPlanes() []string { return c.ControlPlane }

// first is the node to begin with.
func (c *Cluster) first() string {
	if len(c.ControlPlane) > 0 {
		return c.ControlPlane[0]
	}
	return c.First
}

func (c *Cluster) answers(ctx context.Context) error {
	if node := c.first(); node != "" {
		ctx = client.WithNode(ctx, node)
	}
	_, err := c.Machine.Version(ctx, &emptypb.Empty{})
	if err != nil && c.Reconnect != nil {
		c.Reconnect()
	}
	return err
}

func (c *Cluster) connect(ctx context.Context) (err error) {
	c.kubernetes, err = c.Connect(ctx, c.first())
	return err
}

// discover finds the nodes, or compares those that were given with those that
// Kubernetes knows.
func (c *Cluster) discover(ctx context.Context) error {
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
		c.ControlPlane, c.Workers = controlPlane, workers
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
func (c *Cluster) service(id string, on func() []string) func(ctx context.Context) error {
	return func(ctx context.Context) error {
		response, err := c.Machine.ServiceList(client.WithNodes(ctx, on()...), &emptypb.Empty{})
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
func (c *Cluster) members(ctx context.Context) (map[string][]*machinepb.EtcdMember, error) {
	response, err := c.Machine.EtcdMemberList(client.WithNodes(ctx, c.ControlPlane...), &machinepb.EtcdMemberListRequest{QueryLocal: true})
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

func (c *Cluster) sameMembers(ctx context.Context) error {
	byNode, err := c.members(ctx)
	if err != nil {
		return err
	}
	var first string
	seen := ""
	for _, node := range c.ControlPlane {
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

func (c *Cluster) membersAreNodes(ctx context.Context) error {
	byNode, err := c.members(ctx)
	if err != nil {
		return err
	}
	var addresses []string
	for _, member := range byNode[c.ControlPlane[0]] {
		if member.GetIsLearner() {
			return fmt.Errorf("member %s does not vote yet", member.GetHostname())
		}
		for _, peer := range member.GetPeerUrls() {
			if parsed, err := url.Parse(peer); err == nil {
				addresses = append(addresses, parsed.Hostname())
			}
		}
	}
	for _, node := range c.ControlPlane {
		if !slices.Contains(addresses, node) {
			return fmt.Errorf("control plane node %s is no member of etcd: the members are at %s", node, strings.Join(addresses, ", "))
		}
	}
	for _, address := range addresses {
		if !slices.Contains(c.ControlPlane, address) {
			return fmt.Errorf("etcd has a member at %s, which is no control plane node: remove it with 'etcd remove-member' if it is gone for good", address)
		}
	}
	return nil
}
