package lifecycle

import (
	"context"

	"google.golang.org/protobuf/proto"

	machinepb "github.com/ichor-os/ichor/api/machine"
	dnsspec "github.com/ichor-os/ichor/node/dns/spec"
	"github.com/ichor-os/ichor/node/lifecycle/spec"
	linkspec "github.com/ichor-os/ichor/node/link/spec"
	"github.com/ichor-os/ichor/resource"
)

// Publish takes an event; actor is the id of the request that led to it, or "".
type Publish func(actor string, event proto.Message)

// Teller publishes each change of the machine's status and of its addresses. A
// run that the engine repeats publishes nothing twice.
func Teller(publish Publish) resource.Block {
	var last [2]proto.Message
	return resource.Reconciler("machine-events", func(_ context.Context, s *resource.Session) error {
		now := [2]proto.Message{statusEvent(s), addressEvent(s)}
		for i, event := range now {
			if event != nil && (last[i] == nil || !proto.Equal(event, last[i])) {
				publish("", event)
				last[i] = event
			}
		}
		return nil
	})
}

func statusEvent(s *resource.Session) proto.Message {
	current, ok := spec.MachineStatuses.Get(s, StatusID)
	if !ok {
		return nil
	}
	status := &machinepb.MachineStatusEvent_MachineStatus{Ready: current.Status.Ready}
	for _, unmet := range current.Status.UnmetConditions {
		status.UnmetConditions = append(status.UnmetConditions, &machinepb.MachineStatusEvent_MachineStatus_UnmetCondition{
			Name: unmet.Name, Reason: unmet.Reason,
		})
	}
	return &machinepb.MachineStatusEvent{Stage: machinepb.MachineStatusEvent_MachineStage(current.Stage), Status: status}
}

func addressEvent(s *resource.Session) proto.Message {
	current, ok := linkspec.NodeAddresses.Get(s, "current")
	if !ok {
		return nil
	}
	event := &machinepb.AddressEvent{}
	if name, ok := dnsspec.HostnameStatuses.Get(s, "hostname"); ok {
		event.Hostname = name.Hostname
	}
	for _, prefix := range current.Addresses {
		event.Addresses = append(event.Addresses, prefix.Addr().String())
	}
	return event
}
