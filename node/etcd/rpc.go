package etcd

import (
	"context"
	"errors"
	"net/netip"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/types/known/emptypb"

	"go.etcd.io/etcd/api/v3/etcdserverpb"

	machinepb "github.com/ichor-os/ichor/api/machine"
)

// RPC serves the methods of MachineService about etcd.
type RPC struct {
	// Membership of this node, or nil on one that runs no etcd.
	Membership func() *Membership
	// Stop stops this node's member.
	Stop func(context.Context) error

	// connect reaches members; nil for the real ones.
	connect func(netip.Addr) (*grpc.ClientConn, error)
}

func (r RPC) check() error {
	if r.Membership() == nil {
		return status.Error(codes.FailedPrecondition, "this node runs no etcd: name a control plane node that has its config")
	}
	return nil
}

// Bootstrap implements MachineService. Repeating it on the node that made the
// cluster changes nothing.
func (r RPC) Bootstrap(ctx context.Context, in *machinepb.BootstrapRequest) (*machinepb.BootstrapResponse, error) {
	if err := r.check(); err != nil {
		return nil, err
	}
	if in.GetRecoverEtcd() {
		return nil, status.Error(codes.Unimplemented, "recovering etcd from a snapshot is not there yet")
	}
	err := r.Membership().Bootstrap(ctx)
	switch {
	case errors.Is(err, ErrMember):
		return nil, status.Error(codes.AlreadyExists, err.Error())
	case errors.Is(err, ErrElsewhere):
		return nil, status.Error(codes.FailedPrecondition, err.Error())
	case err != nil:
		return nil, status.Error(codes.Internal, err.Error())
	}
	return &machinepb.BootstrapResponse{Messages: []*machinepb.Bootstrap{{}}}, nil
}

// failed chooses the status of an error: what a member says of a request is
// passed on, everything else is a member that cannot be reached.
func failed(err error) error {
	var said interface{ GRPCStatus() *status.Status }
	if errors.As(err, &said) {
		switch c := said.GRPCStatus().Code(); c {
		case codes.InvalidArgument, codes.NotFound, codes.FailedPrecondition, codes.AlreadyExists, codes.OutOfRange, codes.DeadlineExceeded:
			return status.Error(c, said.GRPCStatus().Message())
		}
	}
	if errors.Is(err, errAlone) {
		return status.Errorf(codes.FailedPrecondition, "%v: its leadership can go to nobody", errAlone)
	}
	return status.Errorf(codes.Unavailable, "%v", err)
}

// EtcdMemberList implements MachineService.
func (r RPC) EtcdMemberList(ctx context.Context, _ *machinepb.EtcdMemberListRequest) (*machinepb.EtcdMemberListResponse, error) {
	if err := r.check(); err != nil {
		return nil, err
	}
	members, err := r.local().Members(ctx)
	if err != nil {
		return nil, failed(err)
	}
	list := &machinepb.EtcdMembers{}
	for _, m := range members {
		list.Members = append(list.Members, &machinepb.EtcdMember{
			Id: m.GetID(), Hostname: m.GetName(), PeerUrls: m.GetPeerURLs(), ClientUrls: m.GetClientURLs(), IsLearner: m.GetIsLearner(),
		})
		list.LegacyMembers = append(list.LegacyMembers, m.GetName())
	}
	return &machinepb.EtcdMemberListResponse{Messages: []*machinepb.EtcdMembers{list}}, nil
}

// EtcdStatus implements MachineService.
func (r RPC) EtcdStatus(ctx context.Context, _ *emptypb.Empty) (*machinepb.EtcdStatusResponse, error) {
	if err := r.check(); err != nil {
		return nil, err
	}
	var answer *etcdserverpb.StatusResponse
	err := r.local().ask(ctx, func(ctx context.Context, conn *grpc.ClientConn) (err error) {
		answer, err = etcdserverpb.NewMaintenanceClient(conn).Status(ctx, &etcdserverpb.StatusRequest{})
		return err
	})
	if err != nil {
		return nil, failed(err)
	}
	return &machinepb.EtcdStatusResponse{Messages: []*machinepb.EtcdStatus{{MemberStatus: &machinepb.EtcdMemberStatus{
		MemberId: answer.GetHeader().GetMemberId(), ProtocolVersion: answer.GetVersion(), StorageVersion: answer.GetStorageVersion(),
		DbSize: answer.GetDbSize(), DbSizeInUse: answer.GetDbSizeInUse(), Leader: answer.GetLeader(), RaftIndex: answer.GetRaftIndex(),
		RaftTerm: answer.GetRaftTerm(), RaftAppliedIndex: answer.GetRaftAppliedIndex(), Errors: answer.GetErrors(), IsLearner: answer.GetIsLearner(),
	}}}}, nil
}

// EtcdRemoveMemberByID implements MachineService.
func (r RPC) EtcdRemoveMemberByID(ctx context.Context, in *machinepb.EtcdRemoveMemberByIDRequest) (*machinepb.EtcdRemoveMemberByIDResponse, error) {
	if err := r.check(); err != nil {
		return nil, err
	}
	err := r.local().ask(ctx, func(ctx context.Context, conn *grpc.ClientConn) error {
		_, err := etcdserverpb.NewClusterClient(conn).MemberRemove(ctx, &etcdserverpb.MemberRemoveRequest{ID: in.GetMemberId()})
		return err
	})
	if err != nil {
		return nil, failed(err)
	}
	return &machinepb.EtcdRemoveMemberByIDResponse{Messages: []*machinepb.EtcdRemoveMemberByID{{}}}, nil
}
