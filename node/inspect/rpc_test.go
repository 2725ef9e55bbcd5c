package inspect

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ichor-os/ichor/resource"
)

type graphSpec struct {
	Value int `yaml:"value" protobuf:"1"`
}

func TestControllerRuntimeDependencies_ShowWhatBlocksReadAndWrite(t *testing.T) {
	from := resource.Define[graphSpec]("GraphInputs.ichor.dev", resource.Namespace("test"))
	to := resource.Define[graphSpec]("GraphOutputs.ichor.dev", resource.Namespace("test"))
	engine := resource.New(resource.Options{})
	if err := engine.Register(from, to); err != nil {
		t.Fatal(err)
	}
	err := engine.Add(resource.Reconciler("derive", func(_ context.Context, s *resource.Session) error {
		for _, r := range from.List(s) {
			to.Put(s, r.ID, r.Spec)
		}
		from.Get(s, "one")
		return nil
	}))
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- engine.Run(ctx) }()
	defer func() { cancel(); <-done }()
	err = engine.Commit(ctx, "outside", func(s *resource.Session) error {
		from.Put(s, "one", graphSpec{Value: 1})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := engine.Settled(ctx); err != nil {
		t.Fatal(err)
	}
	answer, err := Service{Engine: engine}.ControllerRuntimeDependencies(ctx, nil)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, e := range answer.GetMessages()[0].GetEdges() {
		if e.GetResourceNamespace() == "test" {
			got = append(got, strings.TrimSpace(fmt.Sprintln(e.GetControllerName(), e.GetEdgeType(), e.GetResourceType(), e.GetResourceId())))
		}
	}
	want := []string{
		"derive OUTPUT_EXCLUSIVE GraphOutputs.ichor.dev",
		"derive INPUT_WEAK GraphInputs.ichor.dev",
		"derive INPUT_WEAK GraphInputs.ichor.dev one",
		"outside OUTPUT_EXCLUSIVE GraphInputs.ichor.dev",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("edges (-want +got):\n%s", diff)
	}
}
