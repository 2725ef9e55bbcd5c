package client

import (
	"context"

	"google.golang.org/grpc/metadata"
)

// withTargets sets one of the two keys that say where a call goes, and takes
// the other away.
func withTargets(ctx context.Context, key string, values ...string) context.Context {
	md, ok := metadata.FromOutgoingContext(ctx)
	if ok {
		md = md.Copy()
	} else {
		md = metadata.MD{}
	}

	md.Delete("node")
	md.Delete("nodes")
	md.Set(key, values...)

	return metadata.NewOutgoingContext(ctx, md)
}

// targets returns what WithNode or WithNodes said.
func targets(ctx context.Context) []string {
	md, _ := metadata.FromOutgoingContext(ctx)

	return append(md.Get("node"), md.Get("nodes")...)
}
