package service

import (
	"context"
	"testing"
	"testing/synctest"

	"google.golang.org/protobuf/proto"

	"github.com/google/go-cmp/cmp"

	machinepb "github.com/ichor-os/ichor/api/machine"
)

func TestTell_PublishesEachChangeOfAService(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := quiet()
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		var got []string
		go Tell(ctx, s, func(_ string, event proto.Message) {
			e := event.(*machinepb.ServiceStateEvent)
			got = append(got, e.GetService()+" "+e.GetAction().String())
		})
		synctest.Wait()
		mustAdd(t, s, Service{ID: "x", Runner: &runner{id: "x", log: &journal{}}})
		synctest.Wait()
		s.Shutdown(t.Context())
		synctest.Wait()
		// Running comes twice: when it runs, and when its health is known.
		want := []string{"x INITIALIZED", "x RUNNING", "x RUNNING", "x STOPPING", "x STOPPING", "x FINISHED"}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("events (-want +got):\n%s", diff)
		}
	})
}
