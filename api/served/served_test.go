package served_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/types/known/emptypb"

	clusterpb "github.com/ichor-os/ichor/api/cluster"
	resourcepb "github.com/ichor-os/ichor/api/cosi/resource"
	inspectpb "github.com/ichor-os/ichor/api/inspect"
	machinepb "github.com/ichor-os/ichor/api/machine"
	"github.com/ichor-os/ichor/api/served"
	"github.com/ichor-os/ichor/api/served/compare"
	storagepb "github.com/ichor-os/ichor/api/storage"
	timepb "github.com/ichor-os/ichor/api/time"
)

func contract() map[string]bool {
	out := map[string]bool{}

	for _, service := range []grpc.ServiceDesc{
		clusterpb.ClusterService_ServiceDesc, resourcepb.State_ServiceDesc, inspectpb.InspectService_ServiceDesc,
		machinepb.DebugService_ServiceDesc, machinepb.ImageService_ServiceDesc, machinepb.LVMService_ServiceDesc,
		machinepb.LifecycleService_ServiceDesc, machinepb.MDService_ServiceDesc, machinepb.MachineService_ServiceDesc,
		machinepb.StorageService_ServiceDesc, storagepb.StorageService_ServiceDesc, timepb.TimeService_ServiceDesc,
	} {
		for _, m := range service.Methods {
			out["/"+service.ServiceName+"/"+m.MethodName] = true
		}

		for _, s := range service.Streams {
			out["/"+service.ServiceName+"/"+s.StreamName] = true
		}
	}

	return out
}

func TestList_NamesMethodsOfTheContractWithAReason(t *testing.T) {
	known := contract()

	for method, reason := range served.Reasons() {
		if !known[method] {
			t.Errorf("%s is no method of the contract", method)
		}

		if strings.TrimSpace(reason) == "" {
			t.Errorf("%s has no reason", method)
		}
	}
}

func TestRefuse_GivesTheReason(t *testing.T) {
	for method, reason := range served.Reasons() {
		err := served.Refuse(method)
		if status.Code(err) != codes.Unimplemented || !strings.Contains(err.Error(), reason) {
			t.Errorf("%s: got %v", method, err)
		}
	}

	if err := served.Refuse("/machine.MachineService/Version"); err != nil {
		t.Errorf("a method that is served: %v", err)
	}
}

// A server as machined makes it: parts of several nouns, and a refusal of the
// rest further inside.
type (
	byValue   struct{}
	byPointer struct{}
	rest      struct {
		timepb.UnimplementedTimeServiceServer
	}
	half struct {
		byValue
		rest
	}
	whole struct {
		*byPointer
		byValue
		rest
	}
	none struct {
		timepb.UnimplementedTimeServiceServer
	}
	own struct {
		timepb.UnimplementedTimeServiceServer
	}
)

func (byValue) Time(context.Context, *emptypb.Empty) (*timepb.TimeResponse, error) { return nil, nil }

func (*byPointer) TimeCheck(context.Context, *timepb.TimeRequest) (*timepb.TimeResponse, error) {
	return nil, nil
}

func (*own) Time(context.Context, *emptypb.Empty) (*timepb.TimeResponse, error) { return nil, nil }

func TestCompare_SeesThroughEmbedding(t *testing.T) {
	// A service that the list does not know, so that what is missing shows.
	unlisted := timepb.TimeService_ServiceDesc
	unlisted.ServiceName = "ichor.v1.Clock"

	for name, test := range map[string]struct {
		server  any
		missing []string
	}{
		"nothing registered": {nil, []string{"Time", "TimeCheck"}},
		"refusal alone":      {none{}, []string{"Time", "TimeCheck"}},
		"own method":         {&own{}, []string{"TimeCheck"}},
		"one part":           {half{}, []string{"TimeCheck"}},
		"both parts":         {whole{}, nil},
		"by pointer":         {&whole{}, nil},
	} {
		var got []string

		for _, line := range compare.Compare(served.Server{Service: &unlisted, Server: test.server}) {
			method, _, _ := strings.Cut(strings.TrimPrefix(line, "/ichor.v1.Clock/"), " ")
			got = append(got, method)
		}

		slices.Sort(got)

		if diff := cmp.Diff(test.missing, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

// runs serves a method that stands on the list.
type runs struct{}

func (runs) ContainerRun() {}

func TestCompare_WantsServedMethodsOffTheList(t *testing.T) {
	desc := grpc.ServiceDesc{ServiceName: "machine.DebugService", Methods: []grpc.MethodDesc{{MethodName: "ContainerRun"}}}

	if err := served.Refuse("/machine.DebugService/ContainerRun"); err == nil {
		t.Skip("needs ContainerRun on the list")
	}

	if lines := compare.Compare(served.Server{Service: &desc, Server: runs{}}); len(lines) != 1 || !strings.Contains(lines[0], "take it off") {
		t.Errorf("got %q", lines)
	}
}
