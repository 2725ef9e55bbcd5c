package container

import (
	"context"
	"testing"

	cgroup1 "github.com/containerd/cgroups/v3/cgroup1/stats"
	cgroup2 "github.com/containerd/cgroups/v3/cgroup2/stats"
	"github.com/containerd/errdefs"
	"github.com/google/go-cmp/cmp"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	commonpb "github.com/ichor-os/ichor/api/common"
	machinepb "github.com/ichor-os/ichor/api/machine"
)

// fake is an Engine with fixed containers.
type fake struct {
	containers map[string][]Container
	ended      []string
}

func (f *fake) List(_ context.Context, namespace string) ([]Container, error) {
	return f.containers[namespace], nil
}

func (f *fake) Use(_ context.Context, _, id string) (Use, error) {
	if id == "gone" {
		return Use{}, errdefs.ErrNotFound
	}
	return Use{Memory: 5, CPU: 7}, nil
}

func (f *fake) End(_ context.Context, _, id string) error {
	f.ended = append(f.ended, id)
	return nil
}

func engine() *fake {
	pod := func(id, name, state string) Container {
		return Container{ID: id, Pod: "web-0", PodNamespace: "shop", Name: name, Status: state}
	}
	return &fake{containers: map[string][]Container{
		System: {{ID: "etcd", Status: "running", PID: 9}},
		Kubernetes: {
			pod("c2", "app", "running"), pod("c1", "app", "stopped"), pod("s1", "", "running"), pod("gone", "side", "running"), pod("i1", "init", "created"),
		},
	}}
}

func TestContainers_NamesThemAsUsersKnowThem(t *testing.T) {
	r := RPC{Engine: engine()}
	for name, test := range map[string]struct {
		request *machinepb.ContainersRequest
		want    []string
	}{
		"services": {&machinepb.ContainersRequest{}, []string{"etcd etcd etcd RUNNING"}},
		"pods": {&machinepb.ContainersRequest{Namespace: "k8s.io", Driver: commonpb.ContainerDriver_CRI}, []string{
			"shop/web-0 shop/web-0 web-0 SANDBOX_READY",
			"shop/web-0:app shop/web-0 app CONTAINER_EXITED",
			"shop/web-0:app shop/web-0 app CONTAINER_RUNNING",
			"shop/web-0:init shop/web-0 init CONTAINER_CREATED",
			"shop/web-0:side shop/web-0 side CONTAINER_RUNNING",
		}},
	} {
		answer, err := r.Containers(t.Context(), test.request)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, c := range answer.GetMessages()[0].GetContainers() {
			got = append(got, c.GetId()+" "+c.GetPodId()+" "+c.GetName()+" "+c.GetStatus())
		}
		if diff := cmp.Diff(test.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
	if _, err := r.Containers(t.Context(), &machinepb.ContainersRequest{Namespace: "moby"}); status.Code(err) != codes.InvalidArgument {
		t.Errorf("unknown namespace = %v, want InvalidArgument", err)
	}
}

func TestStats_LeaveOutWhatEnds(t *testing.T) {
	answer, err := RPC{Engine: engine()}.Stats(t.Context(), &machinepb.StatsRequest{Driver: commonpb.ContainerDriver_CRI})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, s := range answer.GetMessages()[0].GetStats() {
		got = append(got, s.GetId())
		if s.GetMemoryUsage() != 5 || s.GetCpuUsage() != 7 {
			t.Errorf("use = %v", s)
		}
	}
	if diff := cmp.Diff([]string{"shop/web-0", "shop/web-0:app"}, got); diff != "" {
		t.Errorf("stats (-want +got):\n%s", diff)
	}
}

func TestRestart_EndsTheRunningContainer(t *testing.T) {
	for id, test := range map[string]struct {
		want  codes.Code
		ended []string
	}{
		"shop/web-0:app":  {codes.OK, []string{"c2"}},
		"c2":              {codes.OK, []string{"c2"}},
		"c1":              {codes.FailedPrecondition, nil},
		"shop/web-0:nope": {codes.NotFound, nil},
	} {
		f := engine()
		_, err := RPC{Engine: f}.Restart(t.Context(), &machinepb.RestartRequest{Id: id, Driver: commonpb.ContainerDriver_CRI})
		if status.Code(err) != test.want {
			t.Errorf("%s: %v, want %s", id, err, test.want)
		}
		if diff := cmp.Diff(test.ended, f.ended); diff != "" {
			t.Errorf("%s: ended (-want +got):\n%s", id, diff)
		}
	}
}

func TestUseOf_BothVersionsOfControlGroups(t *testing.T) {
	want := Use{Memory: 60, CPU: 4000}
	for name, data := range map[string]any{
		"v1": &cgroup1.Metrics{
			Memory: &cgroup1.MemoryStat{Usage: &cgroup1.MemoryEntry{Usage: 100}, TotalInactiveFile: 40},
			CPU:    &cgroup1.CPUStat{Usage: &cgroup1.CPUUsage{Total: 4000}},
		},
		"v2": &cgroup2.Metrics{Memory: &cgroup2.MemoryStat{Usage: 100, InactiveFile: 40}, CPU: &cgroup2.CPUStat{UsageUsec: 4}},
	} {
		if got, err := useOf(data); err != nil || got != want {
			t.Errorf("%s: use = %+v, %v; want %+v", name, got, err, want)
		}
	}
	if _, err := useOf("something"); err == nil {
		t.Error("unknown metrics are taken")
	}
}
