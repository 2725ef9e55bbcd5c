// Package served says which methods of the contract a node does not serve yet,
// and why.
//
// The list is unimplemented.tsv: a method and its reason in a line. It only
// shrinks. Package compare holds it against what servers implement, for a test;
// Refuse makes the answer that a caller gets.
package served

import (
	"context"
	_ "embed"
	"strings"
	"sync"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

//go:embed unimplemented.tsv
var list string

// Reasons returns why a method, as /SERVICE/METHOD, is not served, for each that
// is not.
var Reasons = sync.OnceValue(func() map[string]string {
	out := map[string]string{}

	for line := range strings.Lines(list) {
		method, reason, _ := strings.Cut(strings.TrimSpace(line), "\t")
		out[method] = reason
	}

	return out
})

// Refuse returns the status Unimplemented with its reason if a method is not
// served, and nil if it is.
func Refuse(method string) error {
	if reason, ok := Reasons()[method]; ok {
		return status.Errorf(codes.Unimplemented, "%s: %s", strings.TrimPrefix(method, "/"), reason)
	}

	return nil
}

// Unary is a grpc.UnaryServerInterceptor that answers for methods that are not
// served.
func Unary(ctx context.Context, req any, info *grpc.UnaryServerInfo, handler grpc.UnaryHandler) (any, error) {
	if err := Refuse(info.FullMethod); err != nil {
		return nil, err
	}

	return handler(ctx, req)
}

// Stream is a grpc.StreamServerInterceptor that answers for methods that are
// not served.
func Stream(srv any, stream grpc.ServerStream, info *grpc.StreamServerInfo, handler grpc.StreamHandler) error {
	if err := Refuse(info.FullMethod); err != nil {
		return err
	}

	return handler(srv, stream)
}

// A Server is a service with what implements it; nil if nothing does.
type Server struct {
	Service *grpc.ServiceDesc
	Server  any
}
