package state_test

import (
	"context"
	"fmt"
	"net"
	"path/filepath"
	"strings"
	"testing"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"

	resourcepb "github.com/ichor-os/ichor/api/cosi/resource"
	"github.com/ichor-os/ichor/resource"
	"github.com/ichor-os/ichor/resource/state"
)

type noteSpec struct {
	Text string `yaml:"text" protobuf:"1"`
}

var (
	open     = resource.Define[noteSpec]("Notes.test.ichor.dev", resource.ClientWrites())
	readOnly = resource.Define[noteSpec]("Facts.test.ichor.dev")
	secret   = resource.Define[noteSpec]("Secrets.test.ichor.dev", resource.Sensitive(), resource.ClientWrites())
)

// serve gives a client of an engine, over a unix socket.
func serve(t testing.TB, authorize state.Authorize) (*resource.Engine, resourcepb.StateClient) {
	t.Helper()
	e := resource.New(resource.Options{})
	if err := e.Register(open, readOnly, secret); err != nil {
		t.Fatal(err)
	}
	err := e.Commit(t.Context(), "node", func(s *resource.Session) error {
		open.Put(s, "owned", noteSpec{Text: "by the node"})
		readOnly.Put(s, "fact", noteSpec{Text: "true"})
		secret.Put(s, "key", noteSpec{Text: "hush"})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "state.sock")
	lis, err := net.Listen("unix", path)
	if err != nil {
		t.Fatal(err)
	}
	srv := grpc.NewServer()
	resourcepb.RegisterStateServer(srv, state.New(e, authorize))
	go srv.Serve(lis)
	t.Cleanup(srv.Stop)
	conn, err := grpc.NewClient("unix://"+path, grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	return e, resourcepb.NewStateClient(conn)
}

func note(k *resource.Kind[noteSpec], id, owner string) *resourcepb.Resource {
	key := k.Key(id)
	return &resourcepb.Resource{
		Metadata: &resourcepb.Metadata{Type: key.Type, Namespace: key.Namespace, Id: id, Owner: owner, Version: "1", Phase: "running"},
		Spec:     &resourcepb.Spec{YamlSpec: "text: hello\n"},
	}
}

func TestServer_RefusesWhatClientsMayNotDo(t *testing.T) {
	_, c := serve(t, nil)
	ctx := t.Context()
	create := func(r *resourcepb.Resource, owner string) error {
		_, err := c.Create(ctx, &resourcepb.CreateRequest{Resource: r, Options: &resourcepb.CreateOptions{Owner: owner}})
		return err
	}
	update := func(r *resourcepb.Resource, owner string) error {
		_, err := c.Update(ctx, &resourcepb.UpdateRequest{NewResource: r, Options: &resourcepb.UpdateOptions{Owner: owner}})
		return err
	}
	destroy := func(k *resource.Kind[noteSpec], id, owner string) error {
		key := k.Key(id)
		_, err := c.Destroy(ctx, &resourcepb.DestroyRequest{Type: key.Type, Namespace: key.Namespace, Id: id, Options: &resourcepb.DestroyOptions{Owner: owner}})
		return err
	}
	teardown := func(k *resource.Kind[noteSpec], id, owner string) error {
		key := k.Key(id)
		_, err := c.Teardown(ctx, &resourcepb.TeardownRequest{Type: key.Type, Namespace: key.Namespace, Id: id, Options: &resourcepb.TeardownOptions{Owner: owner}})
		return err
	}
	both := func(k *resource.Kind[noteSpec], id, owner string) error {
		key := k.Key(id)
		_, err := c.TeardownAndDestroy(ctx, &resourcepb.TeardownAndDestroyRequest{Type: key.Type, Namespace: key.Namespace, Id: id, Options: &resourcepb.TeardownAndDestroyOptions{Owner: owner}})
		return err
	}
	get := func(wireName, id string) error {
		_, err := c.Get(ctx, &resourcepb.GetRequest{Type: wireName, Id: id})
		return err
	}
	broken := note(open, "x", "")
	broken.Spec.YamlSpec = "text: [\n"
	badPhase := note(open, "x", "")
	badPhase.Metadata.Phase = "paused"
	for name, tc := range map[string]struct {
		err  error
		code codes.Code
		says string
	}{
		"create as an owner":                 {create(note(open, "n", ""), "node"), codes.PermissionDenied, `owner "node"`},
		"create with an owner in metadata":   {create(note(open, "n", "node"), ""), codes.PermissionDenied, `owner "node"`},
		"update as an owner":                 {update(note(open, "owned", ""), "node"), codes.PermissionDenied, `owner "node"`},
		"update with an owner in metadata":   {update(note(open, "owned", "node"), ""), codes.PermissionDenied, `owner "node"`},
		"update of what another owns":        {update(note(open, "owned", ""), ""), codes.PermissionDenied, `"node" owns it`},
		"destroy as an owner":                {destroy(open, "owned", "node"), codes.PermissionDenied, `owner "node"`},
		"destroy of what another owns":       {destroy(open, "owned", ""), codes.PermissionDenied, `"node" owns it`},
		"teardown as an owner":               {teardown(open, "owned", "node"), codes.PermissionDenied, `owner "node"`},
		"teardown of what another owns":      {teardown(open, "owned", ""), codes.PermissionDenied, `"node" owns it`},
		"teardown and destroy as an owner":   {both(open, "owned", "node"), codes.PermissionDenied, `owner "node"`},
		"teardown and destroy of another's":  {both(open, "owned", ""), codes.PermissionDenied, `"node" owns it`},
		"create of a kind of the node":       {create(note(readOnly, "n", ""), ""), codes.PermissionDenied, "written by the node only"},
		"update of a kind of the node":       {update(note(readOnly, "fact", ""), ""), codes.PermissionDenied, "written by the node only"},
		"destroy of a kind of the node":      {destroy(readOnly, "fact", ""), codes.PermissionDenied, "written by the node only"},
		"get of a secret":                    {get(secret.Definition().Type, "key"), codes.PermissionDenied, "holds secrets"},
		"create of a secret":                 {create(note(secret, "n", ""), ""), codes.PermissionDenied, "holds secrets"},
		"unknown type":                       {get("Nothing.test.ichor.dev", "x"), codes.NotFound, "not registered"},
		"get of nothing":                     {get(open.Definition().Type, "no"), codes.NotFound, "does not exist"},
		"spec that cannot be read":           {create(broken, ""), codes.InvalidArgument, "yaml"},
		"phase that is none":                 {create(badPhase, ""), codes.InvalidArgument, "paused"},
		"create without an id":               {create(note(open, "", ""), ""), codes.InvalidArgument, "must not be empty"},
		"write to the definitions of kinds":  {teardown2(ctx, c), codes.PermissionDenied, "written by the node only"},
		"update of what is not there":        {update(note(open, "no", ""), ""), codes.NotFound, "does not exist"},
		"create is fine":                     {create(note(open, "fine", ""), ""), codes.OK, ""},
		"read of the node's kinds is fine":   {get(readOnly.Definition().Type, "fact"), codes.OK, ""},
		"default namespace need not be said": {get(open.Definition().Type, "owned"), codes.OK, ""},
	} {
		if status.Code(tc.err) != tc.code || !strings.Contains(status.Convert(tc.err).Message(), tc.says) {
			t.Errorf("%s: got %v, want %s with %q", name, tc.err, tc.code, tc.says)
		}
	}
}

func teardown2(ctx context.Context, c resourcepb.StateClient) error {
	k := resource.Namespaces.Key("runtime")
	_, err := c.Teardown(ctx, &resourcepb.TeardownRequest{Type: k.Type, Namespace: k.Namespace, Id: k.ID})
	return err
}

func TestServer_AsksTheHookForEachVerb(t *testing.T) {
	var verbs []string
	hook := func(ctx context.Context, kind *resource.Definition, verb state.Verb) error {
		verbs = append(verbs, string(verb))
		md, _ := metadata.FromIncomingContext(ctx)
		if kind.Sensitive && len(md.Get("role")) == 0 {
			return status.Error(codes.PermissionDenied, "needs a role")
		}
		return nil
	}
	_, c := serve(t, hook)
	with := metadata.AppendToOutgoingContext(t.Context(), "role", "admin")
	for _, tc := range []struct {
		ctx  context.Context
		want codes.Code
	}{{t.Context(), codes.PermissionDenied}, {with, codes.OK}} {
		if _, err := c.Get(tc.ctx, &resourcepb.GetRequest{Type: secret.Definition().Type, Id: "key"}); status.Code(err) != tc.want {
			t.Errorf("get: got %v, want %s", err, tc.want)
		}
		list, err := c.List(tc.ctx, &resourcepb.ListRequest{Type: secret.Definition().Type})
		if err == nil {
			_, err = list.Recv()
		}
		if status.Code(err) != tc.want {
			t.Errorf("list: got %v, want %s", err, tc.want)
		}
		ctx, cancel := context.WithCancel(tc.ctx)
		watch, err := c.Watch(ctx, &resourcepb.WatchRequest{Type: secret.Definition().Type, Options: &resourcepb.WatchOptions{BootstrapContents: true}})
		if err == nil {
			_, err = watch.Recv()
		}
		if status.Code(err) != tc.want {
			t.Errorf("watch: got %v, want %s", err, tc.want)
		}
		cancel()
	}
	if got := strings.Join(verbs, " "); got != "get list watch get list watch" {
		t.Errorf("verbs: got %s", got)
	}
}

func TestServer_SendsSpecInBothForms(t *testing.T) {
	_, c := serve(t, nil)
	resp, err := c.Get(t.Context(), &resourcepb.GetRequest{Type: open.Definition().Type, Id: "owned"})
	if err != nil {
		t.Fatal(err)
	}
	spec := resp.GetResource().GetSpec()
	if got, want := spec.GetYamlSpec(), "text: by the node\n"; got != want {
		t.Errorf("yaml: got %q, want %q", got, want)
	}
	if got, want := string(spec.GetProtoSpec()), "\n\x0bby the node"; got != want {
		t.Errorf("protobuf: got %q, want %q", got, want)
	}
	md := resp.GetResource().GetMetadata()
	if md.GetVersion() != "1" || md.GetPhase() != "running" || md.GetOwner() != "node" || !md.GetCreated().IsValid() {
		t.Errorf("metadata: got %v", md)
	}
}

func TestServer_AggregatesOnlyWhenAsked(t *testing.T) {
	e, c := serve(t, nil)
	err := e.Commit(t.Context(), "node", func(s *resource.Session) error {
		for _, id := range []string{"a", "b", "c"} {
			open.Put(s, id, noteSpec{})
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for aggregated, want := range map[bool]int{false: 1, true: 5} {
		w, err := c.Watch(t.Context(), &resourcepb.WatchRequest{
			Type: open.Definition().Type, ApiVersion: 1,
			Options: &resourcepb.WatchOptions{BootstrapContents: true, Aggregated: aggregated},
		})
		if err != nil {
			t.Fatal(err)
		}
		msg, err := w.Recv()
		if err != nil {
			t.Fatal(err)
		}
		if len(msg.GetEvent()) != want {
			t.Errorf("aggregated %v: got %d events in a response, want %d", aggregated, len(msg.GetEvent()), want)
		}
	}
}

func TestServer_RefusesQueriesThatMakeNoSense(t *testing.T) {
	_, c := serve(t, nil)
	for name, req := range map[string]*resourcepb.WatchRequest{
		"expression": {Options: &resourcepb.WatchOptions{IdQuery: &resourcepb.IDQuery{Regexp: "("}}},
		"operation": {Options: &resourcepb.WatchOptions{LabelQuery: []*resourcepb.LabelQuery{
			{Terms: []*resourcepb.LabelTerm{{Key: "a", Op: 99}}}}}},
		"id and query":  {Id: proto.String("x"), Options: &resourcepb.WatchOptions{IdQuery: &resourcepb.IDQuery{Regexp: "a"}}},
		"negative tail": {Options: &resourcepb.WatchOptions{TailEvents: -1}},
	} {
		req.Type = open.Definition().Type
		w, err := c.Watch(t.Context(), req)
		if err == nil {
			_, err = w.Recv()
		}
		if status.Code(err) != codes.InvalidArgument {
			t.Errorf("%s: got %v, want %s", name, err, codes.InvalidArgument)
		}
	}
}

// BenchmarkList measures a client that lists 1,000 resources over a unix
// socket. Clients of a node may wait 30 ms for that.
func BenchmarkList(b *testing.B) {
	e, c := serve(b, nil)
	err := e.Commit(b.Context(), "node", func(s *resource.Session) error {
		for i := range 1000 {
			readOnly.Put(s, fmt.Sprintf("fact%04d", i), noteSpec{Text: "something of usual length"})
		}
		return nil
	})
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		list, err := c.List(b.Context(), &resourcepb.ListRequest{Type: readOnly.Definition().Type})
		n := 0
		for ; err == nil; n++ {
			_, err = list.Recv()
		}
		if n < 1000 {
			b.Fatalf("%d resources, %v", n, err)
		}
	}
}
