// Package state serves the resources of an engine over gRPC, as
// cosi.resource.State.
//
// Clients read every registered kind. They write only kinds that are marked
// for it, own nothing, and may not claim to be an owner. Who may do what
// otherwise is up to the caller's [Authorize]; without one, kinds with secrets
// are refused.
package state

import (
	"context"
	"errors"
	"fmt"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	resourcepb "github.com/ichor-os/ichor/api/cosi/resource"
	"github.com/ichor-os/ichor/resource"
	"github.com/ichor-os/ichor/resource/store"
)

// Verb is what a call does to a kind.
type Verb string

// The verbs. Teardown and TeardownAndDestroy are Destroy.
const (
	Get     Verb = "get"
	List    Verb = "list"
	Watch   Verb = "watch"
	Create  Verb = "create"
	Update  Verb = "update"
	Destroy Verb = "destroy"
)

// Authorize decides whether the caller behind ctx may do verb to a kind. Its
// error goes to the client; one without a gRPC code becomes PermissionDenied.
type Authorize func(ctx context.Context, kind *resource.Definition, verb Verb) error

// Server implements cosi.resource.State.
type Server struct {
	resourcepb.UnimplementedStateServer
	engine    *resource.Engine
	authorize Authorize
}

// New makes a server over an engine.
func New(e *resource.Engine, authorize Authorize) *Server {
	if authorize == nil {
		authorize = denySensitive
	}
	return &Server{engine: e, authorize: authorize}
}

func denySensitive(_ context.Context, kind *resource.Definition, _ Verb) error {
	if kind.Sensitive {
		return fmt.Errorf("%s holds secrets", kind.Type)
	}
	return nil
}

// kind finds the kind that a call names and asks whether the caller may.
func (s *Server) kind(ctx context.Context, wireName string, verb Verb) (*resource.Definition, error) {
	def, ok := s.engine.Lookup(wireName)
	if !ok {
		return nil, status.Errorf(codes.NotFound, "resource type %q is not registered: see the ResourceDefinitions", wireName)
	}
	if err := s.authorize(ctx, def, verb); err != nil {
		if _, ok := status.FromError(err); ok {
			return nil, err
		}
		return nil, status.Error(codes.PermissionDenied, err.Error())
	}
	if (verb == Create || verb == Update || verb == Destroy) && !def.ClientWrites {
		return nil, status.Errorf(codes.PermissionDenied, "%s is written by the node only", def.Type)
	}
	return def, nil
}

// noOwner refuses clients that say who they are.
func noOwner(owners ...string) error {
	for _, o := range owners {
		if o != "" {
			return status.Errorf(codes.PermissionDenied, "owner %q: clients own nothing: leave the owner empty", o)
		}
	}
	return nil
}

func key(def *resource.Definition, namespace, id string) store.Key {
	if namespace == "" {
		namespace = def.Namespace
	}
	return store.Key{Type: def.Type, Namespace: namespace, ID: id}
}

// code turns an error of the store into one for the wire.
func code(err error) error {
	if err == nil {
		return nil
	}
	if _, ok := status.FromError(err); ok {
		return err
	}
	c := codes.Internal
	for _, m := range []struct {
		err  error
		code codes.Code
	}{
		{store.ErrNotFound, codes.NotFound},
		{store.ErrExists, codes.AlreadyExists},
		{store.ErrOwner, codes.PermissionDenied},
		{store.ErrPhase, codes.InvalidArgument},
		{store.ErrConflict, codes.FailedPrecondition},
		{store.ErrBookmark, codes.FailedPrecondition},
		{store.ErrSlow, codes.ResourceExhausted},
		{store.ErrClosed, codes.Unavailable},
		{context.Canceled, codes.Canceled},
		{context.DeadlineExceeded, codes.DeadlineExceeded},
	} {
		if errors.Is(err, m.err) {
			c = m.code
			break
		}
	}
	return status.Error(c, err.Error())
}

// Get gives one resource.
func (s *Server) Get(ctx context.Context, req *resourcepb.GetRequest) (*resourcepb.GetResponse, error) {
	def, err := s.kind(ctx, req.GetType(), Get)
	if err != nil {
		return nil, err
	}
	k := key(def, req.GetNamespace(), req.GetId())
	r := s.engine.Store().Snapshot().Get(k)
	if r == nil {
		return nil, status.Errorf(codes.NotFound, "get %s: does not exist", k)
	}
	msg, err := toWire(r)
	if err != nil {
		return nil, err
	}
	return &resourcepb.GetResponse{Resource: msg}, nil
}

// List streams the resources of a kind in a namespace.
func (s *Server) List(req *resourcepb.ListRequest, out grpc.ServerStreamingServer[resourcepb.ListResponse]) error {
	def, err := s.kind(out.Context(), req.GetType(), List)
	if err != nil {
		return err
	}
	q, err := query(req.GetOptions().GetLabelQuery(), req.GetOptions().GetIdQuery())
	if err != nil {
		return err
	}
	k := key(def, req.GetNamespace(), "")
	for r := range s.engine.Store().Snapshot().List(k.Type, k.Namespace) {
		if !q.Match(r) {
			continue
		}
		msg, err := toWire(r)
		if err != nil {
			return err
		}
		if err := out.Send(&resourcepb.ListResponse{Resource: msg}); err != nil {
			return err
		}
	}
	return nil
}

// Create stores a new resource.
func (s *Server) Create(ctx context.Context, req *resourcepb.CreateRequest) (*resourcepb.CreateResponse, error) {
	def, err := s.kind(ctx, req.GetResource().GetMetadata().GetType(), Create)
	if err != nil {
		return nil, err
	}
	if err := noOwner(req.GetOptions().GetOwner(), req.GetResource().GetMetadata().GetOwner()); err != nil {
		return nil, err
	}
	r, err := fromWire(def, req.GetResource())
	if err != nil {
		return nil, err
	}
	var made *store.Resource
	err = s.engine.Store().Commit(nil, func(tx *store.Tx) (err error) {
		made, err = tx.Create(r)
		return err
	})
	if err != nil {
		return nil, code(err)
	}
	msg, err := toWire(made)
	return &resourcepb.CreateResponse{Resource: msg}, err
}

// Update replaces a resource whose version is the one that the client saw.
func (s *Server) Update(ctx context.Context, req *resourcepb.UpdateRequest) (*resourcepb.UpdateResponse, error) {
	md := req.GetNewResource().GetMetadata()
	def, err := s.kind(ctx, md.GetType(), Update)
	if err != nil {
		return nil, err
	}
	if err := noOwner(req.GetOptions().GetOwner(), md.GetOwner()); err != nil {
		return nil, err
	}
	r, err := fromWire(def, req.GetNewResource())
	if err != nil {
		return nil, err
	}
	var expected *store.Phase
	if o := req.GetOptions(); o != nil && o.ExpectedPhase != nil {
		p, err := store.ParsePhase(o.GetExpectedPhase())
		if err != nil {
			return nil, status.Error(codes.InvalidArgument, err.Error())
		}
		expected = &p
	}
	var made *store.Resource
	err = s.engine.Store().Commit(nil, func(tx *store.Tx) (err error) {
		if cur := tx.Get(r.Key); cur != nil && cur.Owner == "" && r.Version == 0 {
			return fmt.Errorf("update %s: %w: the version is undefined, the current one is %s", r.Key, store.ErrConflict, cur.Version)
		}
		made, err = tx.Update(r, "", expected)
		return err
	})
	if err != nil {
		return nil, code(err)
	}
	msg, err := toWire(made)
	return &resourcepb.UpdateResponse{Resource: msg}, err
}

// Destroy removes a resource that nobody holds.
func (s *Server) Destroy(ctx context.Context, req *resourcepb.DestroyRequest) (*resourcepb.DestroyResponse, error) {
	def, err := s.kind(ctx, req.GetType(), Destroy)
	if err != nil {
		return nil, err
	}
	if err := noOwner(req.GetOptions().GetOwner()); err != nil {
		return nil, err
	}
	err = s.engine.Store().Commit(nil, func(tx *store.Tx) error {
		return tx.Destroy(key(def, req.GetNamespace(), req.GetId()), "")
	})
	return &resourcepb.DestroyResponse{}, code(err)
}

// Teardown moves a resource to tearingDown and says whether it can be
// destroyed now.
func (s *Server) Teardown(ctx context.Context, req *resourcepb.TeardownRequest) (*resourcepb.TeardownResponse, error) {
	def, err := s.kind(ctx, req.GetType(), Destroy)
	if err != nil {
		return nil, err
	}
	if err := noOwner(req.GetOptions().GetOwner()); err != nil {
		return nil, err
	}
	ready, err := s.teardown(key(def, req.GetNamespace(), req.GetId()))
	return &resourcepb.TeardownResponse{DestroyReady: ready}, code(err)
}

func (s *Server) teardown(k store.Key) (ready bool, err error) {
	err = s.engine.Store().Commit(nil, func(tx *store.Tx) (err error) {
		ready, err = tx.Teardown(k, "")
		return err
	})
	return ready, err
}

// TeardownAndDestroy tears a resource down, waits until nobody holds it, and
// destroys it.
func (s *Server) TeardownAndDestroy(
	ctx context.Context, req *resourcepb.TeardownAndDestroyRequest,
) (*resourcepb.TeardownAndDestroyResponse, error) {
	def, err := s.kind(ctx, req.GetType(), Destroy)
	if err != nil {
		return nil, err
	}
	if err := noOwner(req.GetOptions().GetOwner()); err != nil {
		return nil, err
	}
	k := key(def, req.GetNamespace(), req.GetId())
	w, err := s.engine.Store().Watch(store.WatchRequest{Type: k.Type, Namespace: k.Namespace, ID: k.ID})
	if err != nil {
		return nil, code(err)
	}
	defer w.Close()
	ready, err := s.teardown(k)
	for ; err == nil && !ready; _, err = w.Next(ctx) {
		r := s.engine.Store().Snapshot().Get(k)
		if r == nil {
			return &resourcepb.TeardownAndDestroyResponse{}, nil
		}
		if ready = len(r.Finalizers) == 0; ready {
			break
		}
	}
	if err != nil {
		return nil, code(err)
	}
	err = s.engine.Store().Commit(nil, func(tx *store.Tx) error { return tx.Destroy(k, "") })
	return &resourcepb.TeardownAndDestroyResponse{}, code(err)
}
