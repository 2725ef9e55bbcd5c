package service

import (
	"context"
	"errors"
	"fmt"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/types/known/emptypb"
	"google.golang.org/protobuf/types/known/timestamppb"

	machinepb "github.com/ichor-os/ichor/api/machine"
)

// RPC serves the methods of MachineService about services.
type RPC struct{ Supervisor *Supervisor }

// ServiceList implements MachineService.
func (r RPC) ServiceList(context.Context, *emptypb.Empty) (*machinepb.ServiceListResponse, error) {
	list := &machinepb.ServiceList{}
	for _, s := range r.Supervisor.List() {
		list.Services = append(list.Services, s.proto())
	}
	return &machinepb.ServiceListResponse{Messages: []*machinepb.ServiceList{list}}, nil
}

func (s Status) proto() *machinepb.ServiceInfo {
	info := &machinepb.ServiceInfo{Id: s.ID, State: string(s.State), Events: &machinepb.ServiceEvents{}, Health: s.Health.proto()}
	for _, e := range s.Events {
		info.Events.Events = append(info.Events.Events, &machinepb.ServiceEvent{
			Msg: e.Message, State: string(e.State), Ts: timestamppb.New(e.Time),
		})
	}
	return info
}

func (h HealthStatus) proto() *machinepb.ServiceHealth {
	health := &machinepb.ServiceHealth{Unknown: !h.Known, Healthy: h.Healthy, LastMessage: h.Message}
	if !h.Changed.IsZero() {
		health.LastChange = timestamppb.New(h.Changed)
	}
	return health
}

// ServiceStart implements MachineService.
func (r RPC) ServiceStart(_ context.Context, in *machinepb.ServiceStartRequest) (*machinepb.ServiceStartResponse, error) {
	if err := r.Supervisor.Start(in.GetId()); err != nil {
		return nil, code(err)
	}
	return &machinepb.ServiceStartResponse{Messages: []*machinepb.ServiceStart{{
		Resp: fmt.Sprintf("Service %q started", in.GetId()),
	}}}, nil
}

// ServiceStop implements MachineService.
func (r RPC) ServiceStop(ctx context.Context, in *machinepb.ServiceStopRequest) (*machinepb.ServiceStopResponse, error) {
	if err := r.Supervisor.StopByClient(ctx, in.GetId()); err != nil {
		return nil, code(err)
	}
	return &machinepb.ServiceStopResponse{Messages: []*machinepb.ServiceStop{{
		Resp: fmt.Sprintf("Service %q stopped", in.GetId()),
	}}}, nil
}

// ServiceRestart implements MachineService. A client may restart what it may
// stop, and apid too, as that comes back by itself.
func (r RPC) ServiceRestart(ctx context.Context, in *machinepb.ServiceRestartRequest) (*machinepb.ServiceRestartResponse, error) {
	// A caller whose connection goes through the service must not leave it stopped.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Minute)
	defer cancel()
	if err := r.Supervisor.StopByClient(ctx, in.GetId()); err != nil {
		return nil, code(err)
	}
	if err := r.Supervisor.Start(in.GetId()); err != nil {
		return nil, code(err)
	}
	return &machinepb.ServiceRestartResponse{Messages: []*machinepb.ServiceRestart{{
		Resp: fmt.Sprintf("Service %q restarted", in.GetId()),
	}}}, nil
}

// code chooses the status of an error.
func code(err error) error {
	switch {
	case errors.Is(err, ErrUnknown):
		return status.Errorf(codes.NotFound, "%v: 'talosctl services' lists what there is", err)
	case errors.Is(err, ErrRefused):
		return status.Error(codes.FailedPrecondition, err.Error())
	case errors.Is(err, ErrNotEnded):
		return status.Error(codes.DeadlineExceeded, err.Error())
	}
	return status.Error(codes.Unavailable, err.Error())
}
