package meta

import (
	"context"
	"errors"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	machinepb "github.com/ichor-os/ichor/api/machine"
	"github.com/ichor-os/ichor/node/lifecycle/spec"
	"github.com/ichor-os/ichor/resource"
)

// Reconciler shows the values as resources.
func (s *Store) Reconciler() resource.Block {
	return resource.Reconciler("meta", func(_ context.Context, session *resource.Session) error {
		session.WakeOn(&s.changed)
		for key, value := range s.All() {
			if key == resetWipes {
				continue
			}
			spec.MetaKeys.Put(session, key.String(), spec.MetaKeySpec{Value: string(value)})
		}
		spec.MetaLoads.Put(session, "load", spec.MetaLoadSpec{Done: true})
		return nil
	})
}

// RPC serves the methods of MachineService about META.
type RPC struct{ Store *Store }

// MetaWrite implements MachineService.
func (r RPC) MetaWrite(_ context.Context, in *machinepb.MetaWriteRequest) (*machinepb.MetaWriteResponse, error) {
	key, err := key(in.GetKey())
	if err != nil {
		return nil, err
	}
	if err := r.Store.Set(key, in.GetValue()); err != nil {
		return nil, code(err)
	}
	return &machinepb.MetaWriteResponse{Messages: []*machinepb.MetaWrite{{}}}, nil
}

// MetaDelete implements MachineService.
func (r RPC) MetaDelete(_ context.Context, in *machinepb.MetaDeleteRequest) (*machinepb.MetaDeleteResponse, error) {
	key, err := key(in.GetKey())
	if err != nil {
		return nil, err
	}
	if err := r.Store.Delete(key); err != nil {
		return nil, code(err)
	}
	return &machinepb.MetaDeleteResponse{Messages: []*machinepb.MetaDelete{{}}}, nil
}

func key(number uint32) (Key, error) {
	if number == 0 || number > 0xff {
		return 0, status.Errorf(codes.InvalidArgument, "key %#x: keys are 0x01 to 0xff", number)
	}
	return Key(number), nil
}

func code(err error) error {
	switch {
	case errors.Is(err, ErrNoKey):
		return status.Errorf(codes.NotFound, "%v: 'talosctl get meta' lists what there is", err)
	case errors.Is(err, ErrFull):
		return status.Errorf(codes.ResourceExhausted, "%v: delete a value or write a shorter one", err)
	}
	return status.Error(codes.Internal, err.Error())
}
