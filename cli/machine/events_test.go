package machine

import (
	"testing"
	"time"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/timestamppb"

	machinepb "github.com/ichor-os/ichor/api/machine"
)

func TestEventText_ShowsWhatLiesInside(t *testing.T) {
	for want, message := range map[string]proto.Message{
		"stage: running, status: {unmet_conditions: [{name: services, reason: etcd}]}": &machinepb.MachineStatusEvent{
			Stage: machinepb.MachineStatusEvent_RUNNING,
			Status: &machinepb.MachineStatusEvent_MachineStatus{UnmetConditions: []*machinepb.MachineStatusEvent_MachineStatus_UnmetCondition{
				{Name: "services", Reason: "etcd"},
			}},
		},
		"service: etcd, action: running, health: {healthy: true, last_change: 1970-01-01T00:01:00Z}": &machinepb.ServiceStateEvent{
			Service: "etcd", Action: machinepb.ServiceStateEvent_RUNNING,
			Health: &machinepb.ServiceHealth{Healthy: true, LastChange: timestamppb.New(time.Unix(60, 0))},
		},
		"hostname: a, addresses: [10.0.0.2, fd00::2]": &machinepb.AddressEvent{Hostname: "a", Addresses: []string{"10.0.0.2", "fd00::2"}},
		"cmd: 19088743": &machinepb.RestartEvent{Cmd: 0x1234567},
	} {
		if got := eventText(message); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}
