package audit

import (
	"context"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"

	ichorpb "github.com/ichor-os/ichor/api/ichor"
)

// RPC serves the audit trail to callers.
type RPC struct {
	ichorpb.UnimplementedAuditServer
	Trail *Trail
}

// Records implements ichor.v1.Audit.
func (r RPC) Records(in *ichorpb.AuditRecordsRequest, stream grpc.ServerStreamingServer[ichorpb.AuditItem]) error {
	var since time.Time
	if in.GetSince() != nil {
		since = in.GetSince().AsTime()
	}
	v := r.Trail.look()
	defer v.close()
	err := v.each(func(line []byte, record *ichorpb.AuditRecord, err error) error {
		if err != nil || record.GetTime().AsTime().Before(since) {
			return stream.Context().Err()
		}
		return stream.Send(&ichorpb.AuditItem{Record: record, Line: line})
	})
	if err != nil {
		return err
	}
	for _, record := range v.waiting {
		if err := stream.Send(&ichorpb.AuditItem{Record: proto.CloneOf(record)}); err != nil {
			return err
		}
	}
	if v.newest == nil {
		return nil
	}
	return stream.Send(&ichorpb.AuditItem{Head: v.newest})
}

// Verify implements ichor.v1.Audit.
func (r RPC) Verify(_ context.Context, in *ichorpb.AuditVerifyRequest) (*ichorpb.AuditVerifyResponse, error) {
	if known := in.GetKnown(); known != nil && len(known.GetHash()) != 64 {
		return nil, status.Error(codes.InvalidArgument, "the known head is not a sequence with a SHA-256: give it as SEQUENCE:HASH")
	}
	found, err := r.Trail.Verify(in.GetKnown())
	if err != nil {
		return nil, status.Errorf(codes.Internal, "verify audit trail: %v", err)
	}
	return &ichorpb.AuditVerifyResponse{Messages: []*ichorpb.AuditVerification{found}}, nil
}

// Intake takes records from apid. Who may call is decided before, by the gate of
// the local socket.
type Intake struct {
	ichorpb.UnimplementedAuditIntakeServer
	Trail *Trail
}

// Record implements ichor.v1.AuditIntake. A disk that refuses is no error: the
// records wait in memory, and the node goes on.
func (i Intake) Record(_ context.Context, in *ichorpb.AuditIntakeRequest) (*ichorpb.AuditIntakeResponse, error) {
	i.Trail.take(in)
	return &ichorpb.AuditIntakeResponse{}, nil
}

// take adds what apid brings, unless it brought it before.
func (t *Trail) take(in *ichorpb.AuditIntakeRequest) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if in.GetSession() == t.session && in.GetBatch() <= t.batch {
		return
	}
	t.session, t.batch = in.GetSession(), in.GetBatch()
	if in.GetLost() > 0 {
		t.gap(in.GetLost(), "there was no room for them on their way to the disk")
	}
	for _, record := range in.GetRecords() {
		t.enqueue(record)
	}
	// Why it does not go to disk, Run says when it tries again.
	_ = t.settle(in.GetSync())
}
