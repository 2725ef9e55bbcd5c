package apid

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	ichorpb "github.com/ichor-os/ichor/api/ichor"
	machinepb "github.com/ichor-os/ichor/api/machine"
	"github.com/ichor-os/ichor/node/apid/settings"
)

// await waits for a record that is as wanted.
func (m *machined) await(t *testing.T, want func(*ichorpb.AuditRecord) bool) *ichorpb.AuditRecord {
	t.Helper()

	for end := time.Now().Add(20 * time.Second); time.Now().Before(end); time.Sleep(5 * time.Millisecond) {
		for _, record := range m.records() {
			if want(record) {
				return record
			}
		}
	}

	t.Fatalf("the record did not come; there are %v", m.records())

	return nil
}

func ended(method string) func(*ichorpb.AuditRecord) bool {
	return func(r *ichorpb.AuditRecord) bool { return r.GetMethod() == method && r.GetPhase() == "ended" }
}

const reset = "/machine.MachineService/Reset"

func TestRecord_AChangingCallIsThereBeforeItsAnswer(t *testing.T) {
	f := newFixture(t)
	node := f.start("127.0.0.1", settings.ControlPlane)

	if err := rawCall(t, node.client("os:admin"), reset); err != nil {
		t.Fatal(err)
	}

	records := node.machined.records()
	if len(records) != 2 || records[0].GetPhase() != "began" || !ended(reset)(records[1]) {
		t.Fatalf("at the answer there are %v, want that the call began and ended", records)
	}

	got := records[1]
	if got.GetPart() != "executes" || !got.GetChanges() || got.GetCode() != "OK" || len(got.GetFingerprint()) != 64 ||
		!strings.HasPrefix(got.GetPeer(), "127.0.0.1:") || len(got.GetRequestId()) != 16 || !cmp.Equal(got.GetRoles(), []string{"os:admin"}) {
		t.Errorf("record %v", got)
	}

	for _, request := range node.machined.audit {
		if last := request.GetRecords()[len(request.GetRecords())-1]; last.GetPhase() == "ended" && !request.GetSync() {
			t.Error("the record was not asked to be on disk")
		}
	}
}

func TestRecord_ACallThatReadsComesSoon(t *testing.T) {
	f := newFixture(t)
	node := f.start("127.0.0.1", settings.ControlPlane)
	began := time.Now()

	if err := rawCall(t, node.client("os:reader"), version); err != nil {
		t.Fatal(err)
	}

	got := node.machined.await(t, ended(version))
	if got.GetChanges() || got.GetCode() != "OK" || time.Since(began) > 5*time.Second {
		t.Errorf("after %s: %v", time.Since(began), got)
	}
}

func TestRecord_RefusedCallsAreRecorded(t *testing.T) {
	f := newFixture(t)
	node := f.start("127.0.0.1", settings.ControlPlane)

	if err := rawCall(t, node.client("os:reader"), reset); status.Code(err) != codes.PermissionDenied {
		t.Fatal(err)
	}

	got := node.machined.await(t, ended(reset))
	if got.GetPart() != "refuses" || got.GetCode() != "PermissionDenied" || !cmp.Equal(got.GetRoles(), []string{"os:reader"}) {
		t.Errorf("record %v", got)
	}
}

func TestRecord_MaintenanceCallsAreRecorded(t *testing.T) {
	f := newFixture(t)
	node := f.start("127.0.0.1", settings.Maintenance)
	method := "/machine.MachineService/ApplyConfiguration"

	if err := rawCall(t, node.clientWith(nil), method); err != nil {
		t.Fatal(err)
	}

	if got := node.machined.await(t, ended(method)); !got.GetMaintenance() || got.GetFingerprint() != "" {
		t.Errorf("record %v", got)
	}
}

func TestRecord_ForwarderAndExecutorShareAnID(t *testing.T) {
	f := newFixture(t)
	first := f.start("127.0.0.1", settings.ControlPlane)
	second := f.start("127.0.0.2", settings.Worker)

	// A caller cannot choose the id.
	if err := rawCall(t, first.client("os:admin"), reset, "node", "127.0.0.2", keyRequest, "forged"); err != nil {
		t.Fatal(err)
	}

	passed, done := first.machined.await(t, ended(reset)), second.machined.await(t, ended(reset))
	if passed.GetRequestId() != done.GetRequestId() || passed.GetRequestId() == "forged" {
		t.Errorf("ids %q and %q", passed.GetRequestId(), done.GetRequestId())
	}

	if passed.GetPart() != "forwards" || done.GetPart() != "executes" || done.GetForwardedBy() != "127.0.0.1" ||
		!cmp.Equal(passed.GetTargets(), []string{"127.0.0.2"}) || !cmp.Equal(done.GetRoles(), []string{"os:admin"}) {
		t.Errorf("forwarder: %v\nexecutor: %v", passed, done)
	}
}

func TestRecord_NobodyMayWriteRecordsOverTheNetwork(t *testing.T) {
	f := newFixture(t)
	first := f.start("127.0.0.1", settings.ControlPlane)
	f.start("127.0.0.2", settings.ControlPlane)

	for _, md := range [][]string{nil, {"node", "127.0.0.2"}} {
		if err := rawCall(t, first.client("os:admin", "os:impersonator"), recordMethod, md...); status.Code(err) != codes.PermissionDenied {
			t.Errorf("%v: got %v, want PermissionDenied", md, err)
		}
	}
}

func TestRecord_HoldsNoSecretOfTheRequest(t *testing.T) {
	f := newFixture(t)
	node := f.start("127.0.0.1", settings.ControlPlane)
	client := machinepb.NewMachineServiceClient(node.client("os:admin"))
	secret := "hunter2" + strings.Repeat("x", 300)

	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()

	if _, err := client.ApplyConfiguration(ctx, &machinepb.ApplyConfigurationRequest{Data: []byte(secret), DryRun: true}); err != nil {
		t.Fatal(err)
	}

	got := node.machined.await(t, ended("/machine.MachineService/ApplyConfiguration"))
	if text := got.String(); strings.Contains(text, "hunter2") {
		t.Errorf("the record holds the config: %s", text)
	}

	if p := got.GetParameters(); p["dry_run"] != "true" || !strings.HasPrefix(p["data"], "307 bytes, sha256 ") {
		t.Errorf("parameters %v", p)
	}
}
