package etcd

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"hash"
	"io"

	"go.etcd.io/etcd/api/v3/etcdserverpb"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/types/known/emptypb"

	commonpb "github.com/ichor-os/ichor/api/common"
	machinepb "github.com/ichor-os/ichor/api/machine"
)

// maintenance asks this node's member for something that it knows.
func (r RPC) maintenance(ctx context.Context, fn func(context.Context, etcdserverpb.MaintenanceClient) error) error {
	return r.maintain(ctx, r.local(), fn)
}

// work has this node's member do something that takes its time.
func (r RPC) work(ctx context.Context, fn func(context.Context, etcdserverpb.MaintenanceClient) error) error {
	patient := r.local()
	patient.timeout = workTimeout
	return r.maintain(ctx, patient, fn)
}

func (r RPC) maintain(ctx context.Context, member Client, fn func(context.Context, etcdserverpb.MaintenanceClient) error) error {
	if err := r.check(); err != nil {
		return err
	}
	err := member.ask(ctx, func(ctx context.Context, conn *grpc.ClientConn) error {
		return fn(ctx, etcdserverpb.NewMaintenanceClient(conn))
	})
	if err != nil {
		return failed(err)
	}
	return nil
}

func (r RPC) local() Client {
	c := Local()
	c.connect = r.connect
	return c
}

// EtcdLeaveCluster implements MachineService.
func (r RPC) EtcdLeaveCluster(ctx context.Context, _ *machinepb.EtcdLeaveClusterRequest) (*machinepb.EtcdLeaveClusterResponse, error) {
	if err := r.check(); err != nil {
		return nil, err
	}
	err := r.Membership().Leave(ctx, r.Stop)
	if errors.Is(err, ErrLast) {
		return nil, status.Errorf(codes.FailedPrecondition, "%v: reset the node instead", err)
	}
	if err != nil {
		return nil, failed(err)
	}
	return &machinepb.EtcdLeaveClusterResponse{Messages: []*machinepb.EtcdLeaveCluster{{}}}, nil
}

// errAlone says that a member has nobody beside it.
var errAlone = errors.New("there is no other voting member")

// EtcdForfeitLeadership implements MachineService. The answer names the new
// leader; it is empty if this member did not lead.
func (r RPC) EtcdForfeitLeadership(ctx context.Context, _ *machinepb.EtcdForfeitLeadershipRequest) (*machinepb.EtcdForfeitLeadershipResponse, error) {
	if err := r.check(); err != nil {
		return nil, err
	}
	members, err := r.local().Members(ctx)
	if err != nil {
		return nil, failed(err)
	}
	answer := &machinepb.EtcdForfeitLeadership{}
	err = r.work(ctx, func(ctx context.Context, client etcdserverpb.MaintenanceClient) error {
		now, err := client.Status(ctx, &etcdserverpb.StatusRequest{})
		if err != nil || now.GetLeader() != now.GetHeader().GetMemberId() {
			return err
		}
		for _, m := range members {
			if m.GetID() == now.GetLeader() || m.GetIsLearner() {
				continue
			}
			if _, err = client.MoveLeader(ctx, &etcdserverpb.MoveLeaderRequest{TargetID: m.GetID()}); err == nil {
				answer.Member = m.GetName()
				return nil
			}
		}
		if err == nil {
			err = errAlone
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	return &machinepb.EtcdForfeitLeadershipResponse{Messages: []*machinepb.EtcdForfeitLeadership{answer}}, nil
}

// alarm does something with all alarms of the cluster.
func (r RPC) alarm(ctx context.Context, action etcdserverpb.AlarmRequest_AlarmAction) ([]*machinepb.EtcdMemberAlarm, error) {
	var list []*machinepb.EtcdMemberAlarm
	err := r.maintenance(ctx, func(ctx context.Context, client etcdserverpb.MaintenanceClient) error {
		answer, err := client.Alarm(ctx, &etcdserverpb.AlarmRequest{Action: action})
		list = nil
		for _, a := range answer.GetAlarms() {
			list = append(list, &machinepb.EtcdMemberAlarm{MemberId: a.GetMemberID(), Alarm: machinepb.EtcdMemberAlarm_AlarmType(a.GetAlarm())})
		}
		return err
	})
	return list, err
}

// EtcdAlarmList implements MachineService.
func (r RPC) EtcdAlarmList(ctx context.Context, _ *emptypb.Empty) (*machinepb.EtcdAlarmListResponse, error) {
	list, err := r.alarm(ctx, etcdserverpb.AlarmRequest_GET)
	if err != nil {
		return nil, err
	}
	return &machinepb.EtcdAlarmListResponse{Messages: []*machinepb.EtcdAlarm{{MemberAlarms: list}}}, nil
}

// EtcdAlarmDisarm implements MachineService.
func (r RPC) EtcdAlarmDisarm(ctx context.Context, _ *emptypb.Empty) (*machinepb.EtcdAlarmDisarmResponse, error) {
	armed, err := r.alarm(ctx, etcdserverpb.AlarmRequest_GET)
	if err != nil {
		return nil, err
	}
	err = r.maintenance(ctx, func(ctx context.Context, client etcdserverpb.MaintenanceClient) error {
		for _, a := range armed {
			_, err := client.Alarm(ctx, &etcdserverpb.AlarmRequest{
				Action: etcdserverpb.AlarmRequest_DEACTIVATE, MemberID: a.GetMemberId(), Alarm: etcdserverpb.AlarmType(a.GetAlarm()),
			})
			if err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return &machinepb.EtcdAlarmDisarmResponse{Messages: []*machinepb.EtcdAlarmDisarm{{MemberAlarms: armed}}}, nil
}

// EtcdDefragment implements MachineService. The member answers nobody else until
// it is done.
func (r RPC) EtcdDefragment(ctx context.Context, _ *emptypb.Empty) (*machinepb.EtcdDefragmentResponse, error) {
	err := r.work(ctx, func(ctx context.Context, client etcdserverpb.MaintenanceClient) error {
		_, err := client.Defragment(ctx, &etcdserverpb.DefragmentRequest{})
		return err
	})
	if err != nil {
		return nil, err
	}
	return &machinepb.EtcdDefragmentResponse{Messages: []*machinepb.EtcdDefragment{{}}}, nil
}

func (r RPC) downgrade(ctx context.Context, action etcdserverpb.DowngradeRequest_DowngradeAction, version string) (*machinepb.EtcdClusterDowngrade, error) {
	var answer *etcdserverpb.DowngradeResponse
	err := r.work(ctx, func(ctx context.Context, client etcdserverpb.MaintenanceClient) (err error) {
		answer, err = client.Downgrade(ctx, &etcdserverpb.DowngradeRequest{Action: action, Version: version})
		return err
	})
	return &machinepb.EtcdClusterDowngrade{ClusterVersion: answer.GetVersion()}, err
}

// EtcdDowngradeValidate implements MachineService.
func (r RPC) EtcdDowngradeValidate(ctx context.Context, in *machinepb.EtcdDowngradeValidateRequest) (*machinepb.EtcdDowngradeValidateResponse, error) {
	answer, err := r.downgrade(ctx, etcdserverpb.DowngradeRequest_VALIDATE, in.GetVersion())
	if err != nil {
		return nil, err
	}
	return &machinepb.EtcdDowngradeValidateResponse{Messages: []*machinepb.EtcdDowngradeValidate{{ClusterDowngrade: answer}}}, nil
}

// EtcdDowngradeEnable implements MachineService.
func (r RPC) EtcdDowngradeEnable(ctx context.Context, in *machinepb.EtcdDowngradeEnableRequest) (*machinepb.EtcdDowngradeEnableResponse, error) {
	answer, err := r.downgrade(ctx, etcdserverpb.DowngradeRequest_ENABLE, in.GetVersion())
	if err != nil {
		return nil, err
	}
	return &machinepb.EtcdDowngradeEnableResponse{Messages: []*machinepb.EtcdDowngradeEnable{{ClusterDowngrade: answer}}}, nil
}

// EtcdDowngradeCancel implements MachineService.
func (r RPC) EtcdDowngradeCancel(ctx context.Context, _ *emptypb.Empty) (*machinepb.EtcdDowngradeCancelResponse, error) {
	answer, err := r.downgrade(ctx, etcdserverpb.DowngradeRequest_CANCEL, "")
	if err != nil {
		return nil, err
	}
	return &machinepb.EtcdDowngradeCancelResponse{Messages: []*machinepb.EtcdDowngradeCancel{{ClusterDowngrade: answer}}}, nil
}

// EtcdSnapshot implements MachineService: the database of this node's member
// and, as its last 32 bytes, the SHA-256 of what goes before, which is checked
// on the way.
func (r RPC) EtcdSnapshot(_ *machinepb.EtcdSnapshotRequest, stream grpc.ServerStreamingServer[commonpb.Data]) error {
	if err := r.check(); err != nil {
		return err
	}
	local := r.local()
	conn, err := local.dial(local.Addresses[0])
	if err != nil {
		return failed(err)
	}
	defer conn.Close()
	from, err := etcdserverpb.NewMaintenanceClient(conn).Snapshot(stream.Context(), &etcdserverpb.SnapshotRequest{})
	if err != nil {
		return failed(err)
	}
	sum := trailing{hash: sha256.New()}
	for {
		part, err := from.Recv()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return failed(fmt.Errorf("read snapshot: %w", err))
		}
		sum.add(part.GetBlob())
		if err := stream.Send(&commonpb.Data{Bytes: part.GetBlob()}); err != nil {
			return err
		}
	}
	if !sum.right() {
		return status.Error(codes.DataLoss, "the snapshot does not match its checksum: what was received must not be used; take it again")
	}
	return nil
}

// trailing checks data that ends with the checksum of what goes before.
type trailing struct {
	hash hash.Hash
	last []byte
}

func (t *trailing) add(p []byte) {
	t.last = append(t.last, p...)
	if n := len(t.last) - sha256.Size; n > 0 {
		t.hash.Write(t.last[:n])
		t.last = append([]byte(nil), t.last[n:]...)
	}
}

func (t *trailing) right() bool { return string(t.hash.Sum(nil)) == string(t.last) }
