package health

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	machinepb "github.com/ichor-os/ichor/api/machine"
)

func TestRun_SaysWhatItWaitsForUntilItIsRight(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tries := 0
		var out bytes.Buffer
		err := Run(t.Context(), &out, []Check{
			{"etcd", func(context.Context) error {
				if tries++; tries < 4 {
					return errors.New("no leader")
				}
				return nil
			}},
			{"kubelet", func(context.Context) error { return nil }},
		})
		if err != nil {
			t.Fatal(err)
		}
		want := "waiting for etcd: no leader\nwaiting for etcd: OK\nwaiting for kubelet: OK\n"
		if diff := cmp.Diff(want, out.String()); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	})
}

func TestRun_EndsWithTheLastReason(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		var out bytes.Buffer
		err := Run(ctx, &out, []Check{
			{"etcd", func(context.Context) error { return errors.New("no leader") }},
			{"kubelet", func(context.Context) error { t.Error("the next check ran"); return nil }},
		})
		if err == nil || err.Error() != "health: etcd: no leader" {
			t.Errorf("got %v", err)
		}
	})
}

func TestServiceFault_NamesWhatIsWrong(t *testing.T) {
	healthy := &machinepb.ServiceHealth{Healthy: true}
	for want, services := range map[string][]*machinepb.ServiceInfo{
		"":                              {{Id: "etcd", State: "Running", Health: healthy}},
		"there is no service":           {{Id: "apid", State: "Running", Health: healthy}},
		"state Waiting":                 {{Id: "etcd", State: "Waiting", Health: healthy}},
		"not known yet":                 {{Id: "etcd", State: "Running", Health: &machinepb.ServiceHealth{Unknown: true}}},
		"not healthy: no space is left": {{Id: "etcd", State: "Running", Health: &machinepb.ServiceHealth{LastMessage: "no space is left"}}},
	} {
		got := serviceFault(&machinepb.ServiceList{Services: services}, "etcd")
		if (want == "") != (got == "") || !strings.Contains(got, want) {
			t.Errorf("got %q, want a part %q", got, want)
		}
	}
}
