package conformance

import (
	"context"
	"errors"
	"io"
	"net"
	"testing"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/status"
	"google.golang.org/grpc/test/bufconn"
	"google.golang.org/protobuf/proto"

	resourcepb "github.com/ichor-os/ichor/api/cosi/resource"
	"github.com/ichor-os/ichor/resource"
	"github.com/ichor-os/ichor/resource/state"
	"github.com/ichor-os/ichor/resource/store"
)

// seen is a resource as a test looks at it.
type seen struct {
	store.Metadata
	Spec textSpec
}

// event is a watch event as a test looks at it.
type event struct {
	Type     store.EventType
	ID       string
	Text     string
	Old      string
	Phase    store.Phase
	Bookmark []byte
}

// watcher gives events; next waits for at least one.
type watcher interface {
	next(ctx context.Context) ([]event, error)
	close()
}

// backend is a way to the store for a client.
type backend interface {
	get(k store.Key) (seen, error)
	list(typ, ns string, q store.Query) ([]seen, error)
	create(seen) (seen, error)
	update(r seen, expected *store.Phase) (seen, error)
	teardown(k store.Key) (bool, error)
	destroy(k store.Key) error
	teardownAndDestroy(ctx context.Context, k store.Key) error
	watch(store.WatchRequest) (watcher, error)
}

// backends makes each way to the store.
var backends = map[string]func(t *testing.T, e *resource.Engine) backend{
	"store": func(_ *testing.T, e *resource.Engine) backend { return direct{e} },
	"grpc":  func(t *testing.T, e *resource.Engine) backend { return dial(t, e) },
}

// direct calls the store.
type direct struct{ e *resource.Engine }

func fromStore(r *store.Resource) seen {
	s := seen{Metadata: r.Metadata}
	if spec, ok := r.Spec.(*textSpec); ok {
		s.Spec = *spec
	}
	return s
}

func (d direct) toStore(s seen) *store.Resource {
	def, _ := d.e.Lookup(s.Key.Type)
	spec := s.Spec
	return store.New(def.StoreType(), s.Metadata, &spec)
}

func (d direct) get(k store.Key) (seen, error) {
	r := d.e.Store().Snapshot().Get(k)
	if r == nil {
		return seen{}, store.ErrNotFound
	}
	return fromStore(r), nil
}

func (d direct) list(typ, ns string, q store.Query) (out []seen, err error) {
	for r := range d.e.Store().Snapshot().List(typ, ns) {
		if q.Match(r) {
			out = append(out, fromStore(r))
		}
	}
	return out, nil
}

func (d direct) create(s seen) (out seen, err error) {
	err = d.e.Store().Commit(nil, func(tx *store.Tx) error {
		r, err := tx.Create(d.toStore(s))
		if err == nil {
			out = fromStore(r)
		}
		return err
	})
	return out, err
}

func (d direct) update(s seen, expected *store.Phase) (out seen, err error) {
	err = d.e.Store().Commit(nil, func(tx *store.Tx) error {
		r, err := tx.Update(d.toStore(s), "", expected)
		if err == nil {
			out = fromStore(r)
		}
		return err
	})
	return out, err
}

func (d direct) teardown(k store.Key) (ready bool, err error) {
	err = d.e.Store().Commit(nil, func(tx *store.Tx) (err error) {
		ready, err = tx.Teardown(k, "")
		return err
	})
	return ready, err
}

func (d direct) destroy(k store.Key) error {
	return d.e.Store().Commit(nil, func(tx *store.Tx) error { return tx.Destroy(k, "") })
}

func (d direct) teardownAndDestroy(ctx context.Context, k store.Key) error {
	_, err := state.New(d.e, nil).TeardownAndDestroy(ctx, &resourcepb.TeardownAndDestroyRequest{
		Type: k.Type, Namespace: k.Namespace, Id: k.ID,
	})
	return class(err)
}

func (d direct) watch(req store.WatchRequest) (watcher, error) {
	w, err := d.e.Store().Watch(req)
	return directWatch{w}, err
}

type directWatch struct{ *store.Watch }

func (d directWatch) close() { d.Close() }

func (d directWatch) next(ctx context.Context) ([]event, error) {
	events, err := d.Next(ctx)
	out := make([]event, len(events))
	for i, e := range events {
		out[i] = event{Type: e.Type, Bookmark: e.Bookmark}
		if e.Resource != nil {
			r := fromStore(e.Resource)
			out[i].ID, out[i].Text, out[i].Phase = r.ID, r.Spec.Text, r.Phase
		}
		if e.Old != nil {
			out[i].Old = fromStore(e.Old).Spec.Text
		}
	}
	return out, err
}

// remote calls the service.
type remote struct {
	e *resource.Engine
	c resourcepb.StateClient
}

// dial serves the engine on a connection in memory.
func dial(t *testing.T, e *resource.Engine) remote {
	t.Helper()
	lis := bufconn.Listen(64 << 10)
	srv := grpc.NewServer(grpc.InitialWindowSize(64<<10), grpc.InitialConnWindowSize(64<<10))
	resourcepb.RegisterStateServer(srv, state.New(e, nil))
	go srv.Serve(lis)
	conn, err := grpc.NewClient("passthrough:state",
		grpc.WithTransportCredentials(insecure.NewCredentials()),
		grpc.WithInitialWindowSize(64<<10), grpc.WithInitialConnWindowSize(64<<10),
		grpc.WithContextDialer(func(ctx context.Context, _ string) (net.Conn, error) { return lis.DialContext(ctx) }))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		conn.Close()
		srv.Stop()
	})
	return remote{e, resourcepb.NewStateClient(conn)}
}

// class gives the store's error for a code.
func class(err error) error {
	switch status.Code(err) {
	case codes.OK:
		return nil
	case codes.NotFound:
		return store.ErrNotFound
	case codes.AlreadyExists:
		return store.ErrExists
	case codes.PermissionDenied:
		return store.ErrOwner
	case codes.InvalidArgument:
		return store.ErrPhase
	case codes.FailedPrecondition:
		return store.ErrConflict
	case codes.ResourceExhausted:
		return store.ErrSlow
	case codes.Canceled:
		return context.Canceled
	case codes.DeadlineExceeded:
		return context.DeadlineExceeded
	}
	return err
}

func fromWire(r *resourcepb.Resource) seen {
	md := r.GetMetadata()
	s := seen{Metadata: store.Metadata{
		Key:   store.Key{Type: md.GetType(), Namespace: md.GetNamespace(), ID: md.GetId()},
		Owner: md.GetOwner(), Finalizers: md.GetFinalizers(), Labels: md.GetLabels(), Annotations: md.GetAnnotations(),
	}}
	s.Version, _ = store.ParseVersion(md.GetVersion())
	s.Phase, _ = store.ParsePhase(md.GetPhase())
	s.Created, s.Updated = md.GetCreated().AsTime(), md.GetUpdated().AsTime()
	if spec, err := textCodec.FromProto(r.GetSpec().GetProtoSpec()); err == nil {
		s.Spec = *spec
	}
	return s
}

func toWire(s seen) *resourcepb.Resource {
	b, err := textCodec.Proto(&s.Spec)
	if err != nil {
		panic(err)
	}
	return &resourcepb.Resource{
		Metadata: &resourcepb.Metadata{
			Type: s.Key.Type, Namespace: s.Namespace, Id: s.ID, Version: s.Version.String(), Phase: s.Phase.String(),
			Owner: s.Owner, Finalizers: s.Finalizers, Labels: s.Labels, Annotations: s.Annotations,
		},
		Spec: &resourcepb.Spec{ProtoSpec: b},
	}
}

func (r remote) get(k store.Key) (seen, error) {
	resp, err := r.c.Get(context.Background(), &resourcepb.GetRequest{Type: k.Type, Namespace: k.Namespace, Id: k.ID})
	return fromWire(resp.GetResource()), class(err)
}

func wireQuery(q store.Query) (labels []*resourcepb.LabelQuery, ids *resourcepb.IDQuery) {
	for _, l := range q.Labels {
		lq := &resourcepb.LabelQuery{}
		for _, t := range l {
			lq.Terms = append(lq.Terms, &resourcepb.LabelTerm{
				Key: t.Key, Op: resourcepb.LabelTerm_Operation(t.Op), Value: t.Values, Invert: t.Invert,
			})
		}
		labels = append(labels, lq)
	}
	if q.ID != nil {
		ids = &resourcepb.IDQuery{Regexp: q.ID.String()}
	}
	return labels, ids
}

func (r remote) list(typ, ns string, q store.Query) (out []seen, err error) {
	labels, ids := wireQuery(q)
	stream, err := r.c.List(context.Background(), &resourcepb.ListRequest{
		Type: typ, Namespace: ns, Options: &resourcepb.ListOptions{LabelQuery: labels, IdQuery: ids},
	})
	for err == nil {
		var msg *resourcepb.ListResponse
		if msg, err = stream.Recv(); err == nil {
			out = append(out, fromWire(msg.GetResource()))
		}
	}
	if errors.Is(err, io.EOF) {
		err = nil
	}
	return out, class(err)
}

func (r remote) create(s seen) (seen, error) {
	resp, err := r.c.Create(context.Background(), &resourcepb.CreateRequest{Resource: toWire(s)})
	return fromWire(resp.GetResource()), class(err)
}

func (r remote) update(s seen, expected *store.Phase) (seen, error) {
	opts := &resourcepb.UpdateOptions{}
	if expected != nil {
		opts.ExpectedPhase = proto.String(expected.String())
	}
	s.Owner = ""
	resp, err := r.c.Update(context.Background(), &resourcepb.UpdateRequest{NewResource: toWire(s), Options: opts})
	return fromWire(resp.GetResource()), class(err)
}

func (r remote) teardown(k store.Key) (bool, error) {
	resp, err := r.c.Teardown(context.Background(), &resourcepb.TeardownRequest{Type: k.Type, Namespace: k.Namespace, Id: k.ID})
	return resp.GetDestroyReady(), class(err)
}

func (r remote) destroy(k store.Key) error {
	_, err := r.c.Destroy(context.Background(), &resourcepb.DestroyRequest{Type: k.Type, Namespace: k.Namespace, Id: k.ID})
	return class(err)
}

func (r remote) teardownAndDestroy(ctx context.Context, k store.Key) error {
	_, err := r.c.TeardownAndDestroy(ctx, &resourcepb.TeardownAndDestroyRequest{Type: k.Type, Namespace: k.Namespace, Id: k.ID})
	return class(err)
}

func (r remote) watch(req store.WatchRequest) (watcher, error) {
	labels, ids := wireQuery(req.Query)
	msg := &resourcepb.WatchRequest{
		Type: req.Type, Namespace: req.Namespace, ApiVersion: 1,
		Options: &resourcepb.WatchOptions{
			BootstrapContents: req.Bootstrap, BootstrapBookmark: req.BootstrapBookmark,
			StartFromBookmark: req.From, TailEvents: int32(req.Tail), LabelQuery: labels, IdQuery: ids,
			Aggregated: true,
		},
	}
	if req.ID != "" {
		msg.Id = &req.ID
	}
	ctx, cancel := context.WithCancel(context.Background())
	stream, err := r.c.Watch(ctx, msg)
	if err == nil {
		// Header waits for the watch to be in place, or for its error.
		if md, herr := stream.Header(); herr != nil || md == nil {
			_, err = stream.Recv()
		}
	}
	if err != nil {
		cancel()
		return nil, class(err)
	}
	return &remoteWatch{stream: stream, cancel: cancel}, nil
}

type remoteWatch struct {
	stream grpc.ServerStreamingClient[resourcepb.WatchResponse]
	cancel func()
}

func (w *remoteWatch) close() { w.cancel() }

func (w *remoteWatch) next(ctx context.Context) ([]event, error) {
	stop := context.AfterFunc(ctx, w.cancel)
	defer stop()
	msg, err := w.stream.Recv()
	if err != nil {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		return nil, class(err)
	}
	var out []event
	for _, e := range msg.GetEvent() {
		r, old := fromWire(e.GetResource()), fromWire(e.GetOld())
		if e.GetEventType() == resourcepb.EventType_ERRORED {
			continue // the code that follows tells the same
		}
		out = append(out, event{
			Type: store.EventType(e.GetEventType()), ID: r.ID, Text: r.Spec.Text, Old: old.Spec.Text,
			Phase: r.Phase, Bookmark: e.GetBookmark(),
		})
	}
	return out, nil
}
