package etcd

import (
	"context"
	"errors"
	"fmt"

	"go.etcd.io/etcd/api/v3/etcdserverpb"
	"google.golang.org/grpc"
)

// A Lock is a key of etcd that one node holds at a time, as long as it says so
// at least once in each life of a lease. The zero lease is a new one.
type Lock struct {
	Client Client
	// Key is held with the value Self.
	Key, Self string
	// Life of the lease, in seconds.
	Life int64

	lease int64
}

// Hold tries to hold the lock, or to go on holding it, and tells who does. An
// error is an etcd that does not answer, as one without a quorum.
func (l *Lock) Hold(ctx context.Context) (holder string, err error) {
	err = l.Client.ask(ctx, func(ctx context.Context, conn *grpc.ClientConn) error {
		if err := l.renew(ctx, etcdserverpb.NewLeaseClient(conn)); err != nil {
			return err
		}
		holder, err = l.take(ctx, etcdserverpb.NewKVClient(conn))
		return err
	})
	if err != nil {
		return "", fmt.Errorf("hold %s: %w", l.Key, err)
	}
	return holder, nil
}

func (l *Lock) renew(ctx context.Context, client etcdserverpb.LeaseClient) error {
	if l.lease != 0 {
		stream, err := client.LeaseKeepAlive(ctx)
		if err != nil {
			return err
		}
		defer func() { _ = stream.CloseSend() }() // the answer is all that counts
		if err := stream.Send(&etcdserverpb.LeaseKeepAliveRequest{ID: l.lease}); err != nil {
			return err
		}
		answer, err := stream.Recv()
		if err != nil {
			return err
		}
		if answer.GetTTL() > 0 {
			return nil
		}
	}
	granted, err := client.LeaseGrant(ctx, &etcdserverpb.LeaseGrantRequest{TTL: l.Life})
	if err != nil {
		return err
	}
	l.lease = granted.GetID()
	return nil
}

func (l *Lock) take(ctx context.Context, client etcdserverpb.KVClient) (string, error) {
	key := []byte(l.Key)
	answer, err := client.Txn(ctx, &etcdserverpb.TxnRequest{
		Compare: []*etcdserverpb.Compare{{
			Key: key, Target: etcdserverpb.Compare_CREATE, Result: etcdserverpb.Compare_EQUAL,
			TargetUnion: &etcdserverpb.Compare_CreateRevision{CreateRevision: 0},
		}},
		Success: []*etcdserverpb.RequestOp{{Request: &etcdserverpb.RequestOp_RequestPut{
			RequestPut: &etcdserverpb.PutRequest{Key: key, Value: []byte(l.Self), Lease: l.lease},
		}}},
		Failure: []*etcdserverpb.RequestOp{{Request: &etcdserverpb.RequestOp_RequestRange{
			RequestRange: &etcdserverpb.RangeRequest{Key: key},
		}}},
	})
	if err != nil {
		return "", err
	}
	if answer.GetSucceeded() {
		return l.Self, nil
	}
	for _, response := range answer.GetResponses() {
		kvs := response.GetResponseRange().GetKvs()
		if len(kvs) == 0 {
			continue
		}
		// A value of an earlier start of this node hangs on its own lease.
		if string(kvs[0].GetValue()) == l.Self && kvs[0].GetLease() != l.lease {
			return "", errors.New("an earlier start of this node holds it until its lease ends")
		}
		return string(kvs[0].GetValue()), nil
	}
	return "", errors.New("the holder left at this moment")
}

// Release gives the lock up, for the next to have it at once.
func (l *Lock) Release(ctx context.Context) error {
	if l.lease == 0 {
		return nil
	}
	err := l.Client.ask(ctx, func(ctx context.Context, conn *grpc.ClientConn) error {
		_, err := etcdserverpb.NewLeaseClient(conn).LeaseRevoke(ctx, &etcdserverpb.LeaseRevokeRequest{ID: l.lease})
		return err
	})
	if err != nil {
		return fmt.Errorf("release %s: %w", l.Key, err)
	}
	l.lease = 0
	return nil
}
