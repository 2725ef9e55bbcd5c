package trust

import (
	"context"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/ichor-os/ichor/node/access"
	"github.com/ichor-os/ichor/resource"
	"github.com/ichor-os/ichor/resource/state"
)

// Resources lets callers of the resource service see what their roles allow:
// kinds with secrets are for administrators. What a method may do at all, a Gate
// has decided before.
func Resources(ctx context.Context, kind *resource.Definition, _ state.Verb) error {
	if kind.Sensitive && !access.FromContext(ctx).Has(access.Admin) {
		return status.Errorf(codes.PermissionDenied, "%s holds secrets: the role os:admin is needed", kind.Type)
	}
	return nil
}
