package apid

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"sync"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/peer"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/durationpb"
	"google.golang.org/protobuf/types/known/timestamppb"

	ichorpb "github.com/ichor-os/ichor/api/ichor"
	"github.com/ichor-os/ichor/node/access"
	"github.com/ichor-os/ichor/node/apid/settings"
	"github.com/ichor-os/ichor/node/apid/trail"
)

// refuses is the part of a node that lets a call go no further.
const refuses = "refuses"

// A recorded call is the stream of a call that leaves a record in the audit
// trail. What a caller is told of a call that changes something, is on disk
// before.
type recorded struct {
	grpc.ServerStream
	server *Server
	method string
	// lasting is set for calls with streams, changing for those that may
	// change something. Both have a record when they begin, too.
	lasting, changing bool
	started           time.Time

	mu     sync.Mutex
	record *ichorpb.AuditRecord
	begun  bool
	ended  bool
}

// record begins the record of a call with what the connection says.
func (s *Server) record(stream grpc.ServerStream) *recorded {
	method, _ := grpc.MethodFromServerStream(stream)
	shape := streamsOf(method)
	call := &recorded{
		ServerStream: stream, server: s, method: method, started: time.Now(),
		lasting: shape.client || shape.server, changing: access.Changes(method),
	}
	call.record = &ichorpb.AuditRecord{Kind: "call", Method: method, Changes: call.changing, Part: refuses}

	if from, ok := peer.FromContext(stream.Context()); ok {
		call.record.Peer = from.Addr.String()
		if process, ok := access.PeerFromContext(stream.Context()); ok {
			call.record.Peer = fmt.Sprintf("process %d of user %d", process.PID, process.UID)
		}

		if who, ok := from.AuthInfo.(*identity); ok && len(who.State.PeerCertificates) > 0 {
			certificate := who.State.PeerCertificates[0]
			sum := sha256.Sum256(certificate.Raw)
			call.record.CommonName = certificate.Subject.CommonName
			call.record.Fingerprint = hex.EncodeToString(sum[:])
		}
	}

	return call
}

// by notes who calls, and returns the id of the call.
func (r *recorded) by(who caller, under *state) string {
	md, _ := metadata.FromIncomingContext(r.Context())

	r.mu.Lock()
	defer r.mu.Unlock()

	// Only a node says which call it passes on.
	if given := md.Get(keyRequest); who.node && who.forwarded && len(given) == 1 {
		r.record.RequestId = given[0]
		r.record.ForwardedBy = md.Get(keyProxyFrom)[0]
	} else {
		var random [8]byte
		_, _ = rand.Read(random[:]) // never fails
		r.record.RequestId = hex.EncodeToString(random[:])
	}

	r.record.Roles = who.roles.Names()
	r.record.Maintenance = under != nil && under.mode == settings.Maintenance

	if !who.forwarded {
		r.record.Targets = slices.Concat(md.Get(keyNode), splitTargets(md.Get(keyNodes)))
	}

	return r.record.RequestId
}

// to notes where a call goes.
func (r *recorded) to(route route, under *state) {
	r.mu.Lock()
	defer r.mu.Unlock()

	here := len(route.targets) == 0

	away := 0

	for _, target := range route.targets {
		if under.self[canonical(target)] {
			here = true
		} else {
			away++
		}
	}

	switch {
	case here && away > 0:
		r.record.Part = "executes and forwards"
	case here:
		r.record.Part = "executes"
	default:
		r.record.Part = "forwards"
	}
}

// RecvMsg implements grpc.ServerStream.
func (r *recorded) RecvMsg(message any) error {
	err := r.ServerStream.RecvMsg(message)
	if request, ok := message.(*frame); ok && err == nil {
		r.begin(request)
	}

	return err
}

// begin notes what the first request asks for.
func (r *recorded) begin(request *frame) {
	r.mu.Lock()
	defer r.mu.Unlock()

	if r.begun || r.ended {
		return
	}

	r.begun = true

	if size := request.data.Len(); size > trail.MaxRequest {
		r.record.Parameters = map[string]string{"request": fmt.Sprintf("%d bytes", size)}
	} else {
		r.record.Parameters = trail.Summary(r.method, request.data.Materialize())
	}

	if r.lasting || r.changing {
		began := proto.CloneOf(r.record)
		began.Phase, began.Time = "began", timestamppb.New(r.started)
		r.server.trail.Add(began, r.changing)
	}
}

// SendMsg implements grpc.ServerStream.
func (r *recorded) SendMsg(message any) error {
	if !r.lasting {
		r.end(nil)
	}

	return r.ServerStream.SendMsg(message)
}

// end notes how the call ended, before the caller learns it.
func (r *recorded) end(err error) {
	r.mu.Lock()
	if r.ended {
		r.mu.Unlock()

		return
	}

	r.ended = true
	r.record.Phase, r.record.Time = "ended", timestamppb.Now()
	r.record.Duration = durationpb.New(time.Since(r.started))
	result, _ := status.FromError(err)
	r.record.Code = result.Code().String()

	if err != nil {
		r.record.Error = result.Message()
	}

	// A refused call changed nothing, and must not cost a write to disk each.
	durable := r.changing && r.record.Part != refuses
	r.mu.Unlock()

	if durable {
		r.server.trail.AddDurable(r.record)
	} else {
		r.server.trail.Add(r.record, false)
	}
}

const recordMethod = "/ichor.v1.AuditIntake/Record"

// sendRecords takes records to machined.
func (s *Server) sendRecords(ctx context.Context, request *ichorpb.AuditIntakeRequest) error {
	body, err := proto.Marshal(request)
	if err != nil {
		return fmt.Errorf("encode audit records: %w", err)
	}

	var response frame

	if err := s.backend.Invoke(ctx, recordMethod, newFrame(body), &response); err != nil {
		return err
	}

	response.free()

	return nil
}
