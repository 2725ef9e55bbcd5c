package e2e

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"syscall"
	"testing"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/types/known/emptypb"

	machinepb "github.com/ichor-os/ichor/api/machine"
	"github.com/ichor-os/ichor/client"
	"github.com/ichor-os/ichor/localcluster"
	"github.com/ichor-os/ichor/localcluster/namespaces"
)

func TestCluster_ThreeControlPlanesAndAWorker(t *testing.T) {
	winner := -1
	bootstrap := func(ctx context.Context, cluster *localcluster.Cluster) (err error) {
		winner, err = bootstrapAll(ctx, cluster)
		return err
	}
	cluster := makeCluster(t, localcluster.Options{Name: "e2e-many", ControlPlanes: 3, Workers: 1, Bootstrap: bootstrap})
	api, err := cluster.Client()
	if err != nil {
		t.Fatal(err)
	}
	defer api.Close()
	nodes := cluster.Spec.Nodes

	t.Run("etcd has three voting members, the same on each", func(t *testing.T) {
		for _, node := range nodes[:3] {
			within(t, time.Minute, node.Name+" lists three voters", func() error {
				voters, err := voters(client.WithNode(t.Context(), node.Address.String()), api)
				if err == nil && voters != 3 {
					err = fmt.Errorf("%d voters", voters)
				}
				return err
			})
		}
	})
	t.Run("a control plane node forwards to the worker", func(t *testing.T) {
		response, err := api.Machine.Hostname(client.WithNode(t.Context(), nodes[3].Address.String()), &emptypb.Empty{})
		if err != nil {
			t.Fatal(err)
		}
		if got := response.GetMessages()[0].GetHostname(); got != nodes[3].Name {
			t.Errorf("hostname = %s, want %s", got, nodes[3].Name)
		}
	})
	t.Run("bootstrap of a joined node and of a worker is refused", func(t *testing.T) {
		for i, node := range nodes {
			if i == winner {
				continue // repeating it there changes nothing
			}
			_, err := api.Machine.Bootstrap(client.WithNode(t.Context(), node.Address.String()), &machinepb.BootstrapRequest{})
			if err == nil {
				t.Errorf("bootstrap of %s is accepted", node.Name)
			}
		}
	})
	t.Run("leadership goes to another member", func(t *testing.T) { leadershipMoves(t, api, nodes) })
	t.Run("the first control plane is killed and the endpoint still answers", func(t *testing.T) {
		status, err := namespaces.Store{Root: cluster.State}.Show(cluster.Spec.Name)
		if err != nil {
			t.Fatal(err)
		}
		if err := syscall.Kill(status.Nodes[0].PID, syscall.SIGKILL); err != nil {
			t.Fatal(err)
		}
		kubernetes, err := localcluster.NewAPI(cluster.Kubeconfig)
		if err != nil {
			t.Fatal(err)
		}
		within(t, 15*time.Second, "the Kubernetes API answers", func() error {
			ctx, cancel := context.WithTimeout(t.Context(), 3*time.Second)
			defer cancel()
			_, err := kubernetes.Nodes(ctx)
			return err
		})
		within(t, 2*time.Minute, "the killed node is back with its etcd", func() error {
			ctx, cancel := context.WithTimeout(t.Context(), 3*time.Second)
			defer cancel()
			return serviceHealthy(client.WithNode(ctx, nodes[0].Address.String()), api, "etcd")
		})
	})
	t.Run("a member leaves and two are left", func(t *testing.T) {
		if _, err := api.Machine.EtcdLeaveCluster(client.WithNode(t.Context(), nodes[2].Address.String()), &machinepb.EtcdLeaveClusterRequest{}); err != nil {
			t.Fatal(err)
		}
		within(t, time.Minute, "two voters are left", func() error {
			voters, err := voters(client.WithNode(t.Context(), nodes[1].Address.String()), api)
			if err == nil && voters != 2 {
				err = fmt.Errorf("%d voters", voters)
			}
			return err
		})
	})
}

// leadershipMoves asks each member to give its leadership away: one does.
func leadershipMoves(t *testing.T, api *client.Client, nodes []namespaces.Node) {
	t.Helper()
	for _, node := range nodes[:3] {
		ctx := client.WithNode(t.Context(), node.Address.String())
		answer, err := api.Machine.EtcdForfeitLeadership(ctx, &machinepb.EtcdForfeitLeadershipRequest{})
		if err != nil {
			t.Fatalf("%s: %v", node.Name, err)
		}
		next := answer.GetMessages()[0].GetMember()
		if next == "" {
			continue // it did not lead
		}
		within(t, 10*time.Second, next+" leads", func() error {
			now, err := api.Machine.EtcdStatus(ctx, &emptypb.Empty{})
			if err != nil {
				return err
			}
			if s := now.GetMessages()[0].GetMemberStatus(); s.GetLeader() == 0 || s.GetLeader() == s.GetMemberId() {
				return errors.New("the leader is the same")
			}
			return nil
		})
		return
	}
	t.Error("no member led")
}

func serviceHealthy(ctx context.Context, api *client.Client, id string) error {
	response, err := api.Machine.ServiceList(ctx, &emptypb.Empty{})
	if err != nil {
		return err
	}
	for _, s := range response.GetMessages()[0].GetServices() {
		if s.GetId() == id && s.GetHealth().GetHealthy() {
			return nil
		}
	}
	return errors.New(id + " is not healthy")
}

// voters counts the voting members of etcd that a node lists.
func voters(ctx context.Context, api *client.Client) (int, error) {
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	response, err := api.Machine.EtcdMemberList(ctx, &machinepb.EtcdMemberListRequest{})
	if err != nil {
		return 0, err
	}
	count := 0
	for _, member := range response.GetMessages()[0].GetMembers() {
		if !member.GetIsLearner() {
			count++
		}
	}
	return count, nil
}

// bootstrapAll asks all control plane nodes at once to make the cluster's etcd,
// and gives the one that does; it is content with exactly one.
func bootstrapAll(ctx context.Context, cluster *localcluster.Cluster) (winner int, err error) {
	ctx, cancel := context.WithTimeout(ctx, 2*time.Minute)
	defer cancel()
	api, err := cluster.Client()
	if err != nil {
		return -1, err
	}
	defer api.Close()
	var group sync.WaitGroup
	errs := make([]error, 3)
	for i, node := range cluster.Spec.Nodes[:3] {
		group.Go(func() {
			target := client.WithNode(ctx, node.Address.String())
			for {
				_, errs[i] = api.Machine.Bootstrap(target, &machinepb.BootstrapRequest{})
				if code := status.Code(errs[i]); code != codes.Unavailable && code != codes.PermissionDenied || ctx.Err() != nil {
					return
				}
				time.Sleep(50 * time.Millisecond)
			}
		})
	}
	group.Wait()
	made := 0
	for i, err := range errs {
		if err == nil {
			winner = i
			made++
		}
	}
	if made != 1 {
		return -1, fmt.Errorf("%d nodes made an etcd, want 1: %v", made, errs)
	}
	return winner, nil
}
