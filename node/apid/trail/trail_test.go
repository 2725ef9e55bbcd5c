package trail

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/proto"

	ichorpb "github.com/ichor-os/ichor/api/ichor"
	machinepb "github.com/ichor-os/ichor/api/machine"
)

// taker stands in for machined.
type taker struct {
	mu       sync.Mutex
	requests []*ichorpb.AuditIntakeRequest
	refuse   bool
}

func (k *taker) send(_ context.Context, in *ichorpb.AuditIntakeRequest) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.requests = append(k.requests, in)
	if k.refuse {
		return errors.New("machined is away")
	}
	return nil
}

func (k *taker) set(refuse bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.refuse = refuse
}

func record(id string) *ichorpb.AuditRecord { return &ichorpb.AuditRecord{RequestId: id} }

func TestRecorder_GathersWhatOnlyReads(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		k := &taker{}
		r := New(k.send, slog.New(slog.DiscardHandler))
		stop := r.Start()
		for range 100 {
			r.Add(record("read"), false)
		}
		time.Sleep(time.Second)
		stop()
		if len(k.requests) != 1 || len(k.requests[0].GetRecords()) != 100 || k.requests[0].GetSync() {
			t.Errorf("%d requests", len(k.requests))
		}
	})
}

func TestRecorder_DurableWaitsBoundedWhileMachinedIsAway(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		k := &taker{refuse: true}
		r := New(k.send, slog.New(slog.DiscardHandler))
		stop := r.Start()
		began := time.Now()
		r.AddDurable(record("a"))
		if took := time.Since(began); took != patience {
			t.Errorf("the answer waited %s, want %s", took, patience)
		}
		k.set(false)
		time.Sleep(2 * retry)
		stop()
		last := k.requests[len(k.requests)-1]
		if last.GetBatch() != 1 || len(last.GetRecords()) != 1 || !last.GetSync() {
			t.Errorf("the batch was not sent again as it was: %v", last)
		}
	})
}

func TestRecorder_CountsWhatFindsNoRoom(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		k := &taker{refuse: true}
		r := New(k.send, slog.New(slog.DiscardHandler))
		stop := r.Start()
		const n = 200_000
		for range n {
			r.Add(record("0123456789abcdef"), false)
		}
		time.Sleep(time.Second)
		k.set(false)
		r.Add(record("after"), false)
		time.Sleep(3 * retry)
		stop()
		var got, lost int
		seen := map[uint64]bool{}
		for _, request := range k.requests {
			if !seen[request.GetBatch()] {
				got += len(request.GetRecords())
				lost += int(request.GetLost())
			}
			seen[request.GetBatch()] = true
		}
		if got+lost != n+1 || lost == 0 {
			t.Errorf("%d came, %d are counted as lost, want %d together", got, lost, n+1)
		}
	})
}

func TestSummary_SaysWhatACallIsAboutWithoutSecrets(t *testing.T) {
	cases := []struct {
		method  string
		request proto.Message
		want    map[string]string
	}{
		{"/machine.MachineService/ServiceRestart", &machinepb.ServiceRestartRequest{Id: "kubelet"}, map[string]string{"id": "kubelet"}},
		{"/machine.MachineService/MetaWrite", &machinepb.MetaWriteRequest{Key: 12, Value: []byte("secret")}, map[string]string{"key": "12", "value": "6 bytes"}},
		{"/machine.MachineService/Upgrade", &machinepb.UpgradeRequest{Image: "ghcr.io/x:1", Stage: true}, map[string]string{"image": "ghcr.io/x:1", "stage": "true"}},
		{"/machine.MachineService/ResetX", &machinepb.ResetRequest{Graceful: true}, map[string]string{"request": "2 bytes"}},
		{"/machine.MachineService/Reboot", &machinepb.RebootRequest{}, nil},
		{"/machine.MachineService/Reboot", &machinepb.RebootRequest{Mode: machinepb.RebootRequest_POWERCYCLE}, map[string]string{"mode": "POWERCYCLE"}},
	}
	for _, c := range cases {
		body, err := proto.Marshal(c.request)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(c.want, Summary(c.method, body)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.method, diff)
		}
	}
}

func FuzzSummary_AnyRequestIsSurvived(f *testing.F) {
	f.Add("/machine.MachineService/Reset", []byte{8, 1})
	f.Add("/cosi.resource.State/Update", []byte{10, 3, 1, 2, 3})
	f.Fuzz(func(t *testing.T, method string, request []byte) {
		if got := Summary(method, request); len(got) > maxParameters+1 {
			t.Errorf("%d parameters", len(got))
		}
	})
}
