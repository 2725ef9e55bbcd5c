//lint:file-ignore SA1019 older methods and metadata are what clients of the API use

package e2e

import (
	"context"
	"crypto/sha256"
	"errors"
	"io"
	"os"
	"strings"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/types/known/durationpb"
	"google.golang.org/protobuf/types/known/emptypb"

	commonpb "github.com/ichor-os/ichor/api/common"
	machinepb "github.com/ichor-os/ichor/api/machine"
	timepb "github.com/ichor-os/ichor/api/time"
	"github.com/ichor-os/ichor/client"
	"github.com/ichor-os/ichor/localcluster"
	"github.com/ichor-os/ichor/pki"
)

// drain reads a stream to its end and counts its items.
func drain[T any](stream grpc.ServerStreamingClient[T], err error) ([]*T, error) {
	var items []*T
	for err == nil {
		var item *T
		if item, err = stream.Recv(); err == nil {
			items = append(items, item)
		}
	}
	if errors.Is(err, io.EOF) {
		err = nil
	}
	return items, err
}

// TestCluster_Calls asks a node with everything running for what the calls
// beside config and services say, over TLS and apid.
func TestCluster_Calls(t *testing.T) {
	cluster := makeCluster(t, localcluster.Options{Name: "e2e-calls", ControlPlanes: 1})
	api, err := cluster.Client()
	if err != nil {
		t.Fatal(err)
	}
	defer api.Close()
	node := client.WithNode(t.Context(), cluster.Spec.Nodes[0].Address.String())
	node, cancel := context.WithTimeout(node, 5*time.Minute)
	defer cancel()
	name := cluster.Spec.Nodes[0].Name

	t.Run("statistics", func(t *testing.T) { statistics(t, node, api) })
	t.Run("containers", func(t *testing.T) { containers(t, node, api, name) })
	t.Run("images", func(t *testing.T) { images(t, node, api) })
	t.Run("etcd", func(t *testing.T) { etcdCalls(t, node, api) })
	t.Run("events", func(t *testing.T) {
		ctx, cancel := context.WithTimeout(node, 3*time.Second)
		defer cancel()
		events, err := drain(api.Machine.Events(ctx, &machinepb.EventsRequest{TailEvents: -1}))
		if status.Code(err) != codes.DeadlineExceeded {
			t.Errorf("events ended with %v", err)
		}
		kinds := map[string]int{}
		for _, e := range events {
			kinds[strings.TrimPrefix(e.GetData().GetTypeUrl(), "talos/runtime/machine.")]++
		}
		t.Log(kinds)
		for _, kind := range []string{"ServiceStateEvent", "MachineStatusEvent", "AddressEvent", "SequenceEvent"} {
			if kinds[kind] == 0 {
				t.Errorf("there is no %s", kind)
			}
		}
	})
	t.Run("meta", func(t *testing.T) {
		if _, err := api.Machine.MetaWrite(node, &machinepb.MetaWriteRequest{Key: 0x0c, Value: []byte("kept")}); err != nil {
			t.Fatal(err)
		}
		if _, err := api.Machine.MetaDelete(node, &machinepb.MetaDeleteRequest{Key: 0x0d}); status.Code(err) != codes.NotFound {
			t.Errorf("delete of what is not there = %v, want NotFound", err)
		}
	})
	t.Run("files", func(t *testing.T) { files(t, node, api, name) })
	t.Run("what needs a disk", func(t *testing.T) { withoutADisk(t, node, api) })
	t.Run("resources", func(t *testing.T) { resources(t, node, api) })
	t.Run("health", func(t *testing.T) { healthCheck(t, node, api) })
	t.Run("local sockets are for the node's own", func(t *testing.T) { localSockets(t, cluster) })
	t.Run("every method with every role", func(t *testing.T) { everyMethodWithEveryRole(t, node, cluster, api) })
	t.Run("a client configuration", func(t *testing.T) { clientConfiguration(t, node, cluster, api) })
	t.Run("a boot id of its own", func(t *testing.T) {
		const path = "/proc/sys/kernel/random/boot_id"
		computers, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		data, err := drain(api.Machine.Read(node, &machinepb.ReadRequest{Path: path}))
		if err != nil || len(data) != 1 || len(data[0].GetBytes()) != 37 || string(data[0].GetBytes()) == string(computers) {
			t.Errorf("boot id = %v, %v; the computer's is %q", data, err, computers)
		}
	})
	t.Run("refusals", func(t *testing.T) {
		_, err := drain(api.Machine.Dmesg(node, &machinepb.DmesgRequest{}))
		if status.Code(err) != codes.FailedPrecondition {
			t.Errorf("dmesg = %v, want FailedPrecondition", err)
		}
		_, err = drain(api.Machine.PacketCapture(node, &machinepb.PacketCaptureRequest{}))
		if status.Code(err) != codes.Unimplemented || !strings.Contains(err.Error(), "captured") {
			t.Errorf("packet capture = %v, want Unimplemented with its reason", err)
		}
		if _, err := api.Machine.Reset(node, &machinepb.ResetRequest{Graceful: true}); status.Code(err) != codes.FailedPrecondition {
			t.Errorf("graceful reset of the last member = %v, want FailedPrecondition", err)
		}
	})
	t.Run("reset returns to maintenance", func(t *testing.T) { resetToMaintenance(t, node, cluster, api) })
}

func statistics(t *testing.T, node context.Context, api *client.Client) {
	for name, call := range map[string]func() (any, error){
		"memory":   func() (any, error) { return api.Machine.Memory(node, &emptypb.Empty{}) },
		"cpuinfo":  func() (any, error) { return api.Machine.CPUInfo(node, &emptypb.Empty{}) },
		"cpufreq":  func() (any, error) { return api.Machine.CPUFreqStats(node, &emptypb.Empty{}) },
		"load":     func() (any, error) { return api.Machine.LoadAvg(node, &emptypb.Empty{}) },
		"stat":     func() (any, error) { return api.Machine.SystemStat(node, &emptypb.Empty{}) },
		"disks":    func() (any, error) { return api.Machine.DiskStats(node, &emptypb.Empty{}) },
		"links":    func() (any, error) { return api.Machine.NetworkDeviceStats(node, &emptypb.Empty{}) },
		"hostname": func() (any, error) { return api.Machine.Hostname(node, &emptypb.Empty{}) },
		"mounts":   func() (any, error) { return api.Machine.Mounts(node, &emptypb.Empty{}) },
		"statfs": func() (any, error) {
			return api.Usage.Statfs(node, &machinepb.StorageServiceStatfsRequest{Path: "/var"})
		},
		"graph": func() (any, error) {
			return api.Inspect.ControllerRuntimeDependencies(node, &emptypb.Empty{})
		},
	} {
		answer, err := call()
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		t.Logf("%s: %.200v", name, answer)
	}
	processes, err := api.Machine.Processes(node, &emptypb.Empty{})
	if err != nil {
		t.Fatal(err)
	}
	commands := map[string]bool{}
	for _, p := range processes.GetMessages()[0].GetProcesses() {
		commands[p.GetCommand()] = true
	}
	for _, want := range []string{"containerd", "etcd", "kubelet"} {
		if !commands[want] {
			t.Errorf("process %s is not listed", want)
		}
	}
	sockets, err := api.Machine.Netstat(node, &machinepb.NetstatRequest{
		Filter: machinepb.NetstatRequest_LISTENING, Feature: &machinepb.NetstatRequest_Feature{Pid: true},
		Netns: &machinepb.NetstatRequest_NetNS{Allnetns: true},
	})
	if err != nil {
		t.Fatal(err)
	}
	owners, spaces := map[uint32]string{}, map[string]bool{}
	for _, r := range sockets.GetMessages()[0].GetConnectrecord() {
		spaces[r.GetNetns()] = true
		if r.GetNetns() == "" {
			owners[r.GetLocalport()] = r.GetProcess().GetName()
		}
	}
	if owners[2379] != "etcd" || owners[50000] == "" || len(spaces) < 2 {
		t.Errorf("listeners = %v in %v, want etcd, apid, and a pod's namespace", owners, spaces)
	}
	_, err = api.Time.TimeCheck(node, &timepb.TimeRequest{Server: "127.0.0.1"})
	if status.Code(err) != codes.Unavailable {
		t.Errorf("time check of nobody = %v, want Unavailable", err)
	}
}

func containers(t *testing.T, node context.Context, api *client.Client, name string) {
	apiServer := "kube-system/kube-apiserver-" + name
	for _, test := range []struct {
		driver commonpb.ContainerDriver
		want   string
	}{
		{commonpb.ContainerDriver_CONTAINERD, "etcd"},
		{commonpb.ContainerDriver_CRI, apiServer + ":kube-apiserver"},
	} {
		list, err := api.Machine.Containers(node, &machinepb.ContainersRequest{Driver: test.driver})
		if err != nil {
			t.Fatal(err)
		}
		found := false
		for _, c := range list.GetMessages()[0].GetContainers() {
			found = found || c.GetId() == test.want && c.GetPid() > 0
		}
		if !found {
			t.Errorf("container %s is not among %v", test.want, list)
		}
		stats, err := api.Machine.Stats(node, &machinepb.StatsRequest{Driver: test.driver})
		if err != nil {
			t.Fatal(err)
		}
		found = false
		for _, s := range stats.GetMessages()[0].GetStats() {
			found = found || s.GetId() == test.want && s.GetMemoryUsage() > 1<<20 && s.GetCpuUsage() > 0
		}
		if !found {
			t.Errorf("use of container %s is not among %v", test.want, stats)
		}
	}
	lines, err := drain(api.Machine.Logs(node, &machinepb.LogsRequest{
		Namespace: "k8s.io", Driver: commonpb.ContainerDriver_CRI, Id: apiServer + ":kube-apiserver", TailLines: 5,
	}))
	if err != nil || len(lines) != 5 {
		t.Errorf("log of the API server: %d lines, %v; want 5: %v", len(lines), err, lines)
	}
	ids, err := api.Machine.LogsContainers(node, &emptypb.Empty{})
	if err != nil || !strings.Contains(ids.String(), apiServer) || !strings.Contains(ids.String(), "machined") {
		t.Errorf("logs = %v, %v", ids, err)
	}
	_, err = api.Machine.Restart(node, &machinepb.RestartRequest{Driver: commonpb.ContainerDriver_CRI, Id: "kube-system/kube-scheduler-" + name + ":kube-scheduler"})
	if err != nil {
		t.Errorf("restart of the scheduler: %v", err)
	}
}

func images(t *testing.T, node context.Context, api *client.Client) {
	service := api.Image
	cri := &commonpb.ContainerdInstance{Driver: commonpb.ContainerDriver_CRI, Namespace: commonpb.ContainerdNamespace_NS_CRI}
	system := &commonpb.ContainerdInstance{Namespace: commonpb.ContainerdNamespace_NS_SYSTEM}
	list, err := drain(service.List(node, &machinepb.ImageServiceListRequest{Containerd: cri}))
	if err != nil || len(list) == 0 {
		t.Fatalf("images = %d, %v", len(list), err)
	}
	var ref string
	for _, i := range list {
		if strings.Contains(i.GetName(), "pause:") {
			ref = i.GetName()
		}
	}
	olderImageCalls(t, node, api, ref)
	progress, err := drain(service.Pull(node, &machinepb.ImageServicePullRequest{Containerd: system, ImageRef: ref}))
	if err != nil || len(progress) == 0 || progress[len(progress)-1].GetName() != ref {
		t.Errorf("pull of %s = %v, %v", ref, progress, err)
	}
	t.Logf("pull of %s: %d messages", ref, len(progress))
	older, err := drain(api.Machine.ImageList(node, &machinepb.ImageListRequest{Namespace: commonpb.ContainerdNamespace_NS_SYSTEM}))
	if err != nil || !strings.Contains(names2(older), ref) {
		t.Errorf("older list = %v, %v; want %s in it", names2(older), err, ref)
	}
	if _, err := service.Remove(node, &machinepb.ImageServiceRemoveRequest{Containerd: system, ImageRef: ref}); err != nil {
		t.Errorf("remove: %v", err)
	}
	if _, err := service.Remove(node, &machinepb.ImageServiceRemoveRequest{Containerd: system, ImageRef: ref}); status.Code(err) != codes.NotFound {
		t.Errorf("second remove = %v, want NotFound", err)
	}
}

func names2(list []*machinepb.ImageListResponse) string {
	var all []string
	for _, i := range list {
		all = append(all, i.GetName())
	}
	return strings.Join(all, " ")
}

func etcdCalls(t *testing.T, node context.Context, api *client.Client) {
	if answer, err := api.Machine.EtcdStatus(node, &emptypb.Empty{}); err != nil || answer.GetMessages()[0].GetMemberStatus().GetDbSize() == 0 {
		t.Errorf("status = %v, %v", answer, err)
	}
	if answer, err := api.Machine.EtcdAlarmList(node, &emptypb.Empty{}); err != nil || len(answer.GetMessages()[0].GetMemberAlarms()) != 0 {
		t.Errorf("alarms = %v, %v", answer, err)
	}
	if _, err := api.Machine.EtcdAlarmDisarm(node, &emptypb.Empty{}); err != nil {
		t.Errorf("disarm: %v", err)
	}
	if _, err := api.Machine.EtcdDefragment(node, &emptypb.Empty{}); err != nil {
		t.Errorf("defragment: %v", err)
	}
	if _, err := api.Machine.EtcdLeaveCluster(node, &machinepb.EtcdLeaveClusterRequest{}); status.Code(err) != codes.FailedPrecondition {
		t.Errorf("leave of the last member = %v, want FailedPrecondition", err)
	}
	if _, err := api.Machine.EtcdForfeitLeadership(node, &machinepb.EtcdForfeitLeadershipRequest{}); err == nil {
		t.Error("a single member gives its leadership to nobody")
	}
	answer, err := api.Machine.EtcdDowngradeValidate(node, &machinepb.EtcdDowngradeValidateRequest{Version: "3.6.0"})
	t.Logf("downgrade validate: %v, %v", answer, err)
	parts, err := drain(api.Machine.EtcdSnapshot(node, &machinepb.EtcdSnapshotRequest{}))
	if err != nil {
		t.Fatal(err)
	}
	var snapshot []byte
	for _, p := range parts {
		snapshot = append(snapshot, p.GetBytes()...)
	}
	database := snapshot[:len(snapshot)-sha256.Size]
	if sum := sha256.Sum256(database); string(sum[:]) != string(snapshot[len(database):]) || len(database) < 1<<16 {
		t.Errorf("snapshot of %d bytes does not end with its sum", len(snapshot))
	}
}

func clientConfiguration(t *testing.T, node context.Context, cluster *localcluster.Cluster, api *client.Client) {
	answer, err := api.Machine.GenerateClientConfiguration(node, &machinepb.GenerateClientConfigurationRequest{
		Roles: []string{"os:reader"}, CrtTtl: durationpb.New(36 * time.Hour),
	})
	if err != nil {
		t.Fatal(err)
	}
	got := answer.GetMessages()[0]
	certificate, err := pki.ParseCertificate(got.GetCrt())
	if err != nil {
		t.Fatal(err)
	}
	if left := time.Until(certificate.NotAfter) - 36*time.Hour; left > time.Minute || left < -time.Minute || strings.Join(certificate.Subject.Organization, " ") != "os:reader" {
		t.Errorf("certificate until %s for %v", certificate.NotAfter, certificate.Subject.Organization)
	}
	if !strings.Contains(string(got.GetTalosconfig()), cluster.Spec.Name) {
		t.Errorf("talosconfig lacks the cluster's name")
	}
	_, err = api.Machine.GenerateClientConfiguration(node, &machinepb.GenerateClientConfigurationRequest{Roles: []string{"os:king"}})
	if status.Code(err) != codes.InvalidArgument {
		t.Errorf("unknown role = %v, want InvalidArgument", err)
	}
}

func resetToMaintenance(t *testing.T, node context.Context, cluster *localcluster.Cluster, api *client.Client) {
	answer, err := api.Machine.Reset(node, &machinepb.ResetRequest{
		Reboot:                 true,
		SystemPartitionsToWipe: []*machinepb.ResetPartitionSpec{{Label: "EPHEMERAL", Wipe: true}, {Label: "STATE", Wipe: true}},
	})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(node, time.Minute)
	defer cancel()
	events, err := drain(api.Machine.Events(ctx, &machinepb.EventsRequest{TailEvents: -1, WithActorId: answer.GetMessages()[0].GetActorId()}))
	t.Logf("%d events of the reset, then %v", len(events), err)
	if len(events) == 0 || !strings.HasSuffix(events[0].GetData().GetTypeUrl(), "SequenceEvent") {
		t.Errorf("events of the reset = %v", events)
	}
	stranger, err := client.New(client.Options{Endpoints: []string{cluster.Spec.Nodes[0].Loopback.String()}, Insecure: true})
	if err != nil {
		t.Fatal(err)
	}
	defer stranger.Close()
	within(t, 3*time.Minute, "the node is in maintenance", func() error {
		ctx, cancel := context.WithTimeout(t.Context(), 3*time.Second)
		defer cancel()
		_, err := stranger.Machine.Version(ctx, &emptypb.Empty{})
		return err
	})
	// META was not to be wiped.
	if _, err := stranger.Machine.MetaDelete(t.Context(), &machinepb.MetaDeleteRequest{Key: 0x0c}); err != nil {
		t.Errorf("META after the reset: %v", err)
	}
}
