package config

import (
	"context"
	"strings"
	"testing"

	"google.golang.org/protobuf/proto"

	machinepb "github.com/ichor-os/ichor/api/machine"
	"github.com/ichor-os/ichor/config/document"
	"github.com/ichor-os/ichor/node/config/spec"
	"github.com/ichor-os/ichor/resource"
)

func TestTeller_TellsOnceOfAConfigThatIsNotValid(t *testing.T) {
	var told []string
	engine := resource.New(resource.Options{})
	if err := engine.Register(spec.Kinds()...); err != nil {
		t.Fatal(err)
	}
	err := engine.Add(Teller(document.Container, func(_ string, event proto.Message) {
		told = append(told, event.(*machinepb.ConfigValidationErrorEvent).GetError())
	}))
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- engine.Run(ctx) }()
	defer func() { stop(); <-ended }()
	for _, text := range []string{
		string(sample()),
		"version: v1alpha1\nmachine:\n  type: king\n",
		"version: v1alpha1\nmachine:\n  type: king\n# the same fault\n",
	} {
		err := engine.Commit(ctx, "test", func(s *resource.Session) error {
			spec.MachineConfigs.Put(s, spec.Active, spec.MachineConfigSpec{Documents: []byte(text)})
			return nil
		})
		if err == nil {
			err = engine.Settled(ctx)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if len(told) != 1 || !strings.Contains(told[0], "king") {
		t.Errorf("told %q, want one event that names the fault", told)
	}
}
