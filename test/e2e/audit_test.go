package e2e

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/types/known/emptypb"

	ichorpb "github.com/ichor-os/ichor/api/ichor"
	machinepb "github.com/ichor-os/ichor/api/machine"
	"github.com/ichor-os/ichor/client"
	"github.com/ichor-os/ichor/localcluster"
)

// TestCluster_Audit makes calls, finds their records, and changes one of them
// in the node's folder.
func TestCluster_Audit(t *testing.T) {
	cluster := makeCluster(t, localcluster.Options{Name: "e2e-audit", ControlPlanes: 1})
	api, err := cluster.Client()
	if err != nil {
		t.Fatal(err)
	}
	defer api.Close()
	node := client.WithNode(t.Context(), cluster.Spec.Nodes[0].Address.String())
	audit := ichorpb.NewAuditClient(api.Conn())
	records := func() []*ichorpb.AuditItem {
		items, err := drain(audit.Records(node, &ichorpb.AuditRecordsRequest{}))
		if err != nil {
			t.Fatal(err)
		}
		return items
	}
	find := func(method, phase, code string) error {
		for _, item := range records() {
			if r := item.GetRecord(); r.GetMethod() == method && r.GetPhase() == phase && r.GetCode() == code {
				return nil
			}
		}
		return fmt.Errorf("there is no record of %s, %s, %s", method, phase, code)
	}

	// A call that changes something is recorded when its answer is here.
	if _, err := api.Machine.MetaWrite(node, &machinepb.MetaWriteRequest{Key: 0x0c, Value: []byte("kept")}); err != nil {
		t.Fatal(err)
	}
	if err := find("/machine.MachineService/MetaWrite", "ended", "OK"); err != nil {
		t.Error(err)
	}
	if _, err := api.Machine.Version(node, &emptypb.Empty{}); err != nil {
		t.Fatal(err)
	}
	within(t, 10*time.Second, "a call that reads is recorded", func() error { return find("/machine.MachineService/Version", "ended", "OK") })
	if err := find("/machine.MachineService/ApplyConfiguration", "ended", "OK"); err != nil {
		t.Errorf("the first contact: %v", err)
	}
	if _, err := ichorpb.NewAuditIntakeClient(api.Conn()).Record(node, &ichorpb.AuditIntakeRequest{}); status.Code(err) != codes.PermissionDenied {
		t.Errorf("a record from outside: %v, want PermissionDenied", err)
	}

	verify := func() *ichorpb.AuditVerification {
		response, err := audit.Verify(node, &ichorpb.AuditVerifyRequest{})
		if err != nil || len(response.GetMessages()) != 1 {
			t.Fatalf("verify: %v, %v", response, err)
		}
		return response.GetMessages()[0]
	}
	if found := verify(); !found.GetOk() || found.GetRecords() == 0 {
		t.Fatalf("verify: %v", found)
	}

	files, err := filepath.Glob(filepath.Join(cluster.State, "e2e-audit", "*", "var/log/ichor/audit/*.jsonl"))
	if err != nil || len(files) != 1 {
		t.Fatalf("files of records: %q, %v", files, err)
	}
	text, err := os.ReadFile(files[0])
	if err != nil {
		t.Fatal(err)
	}
	changed := bytes.Replace(text, []byte("MetaWrite"), []byte("MetaWrote"), 1)
	file, err := os.OpenFile(files[0], os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	_, err = file.Write(changed)
	if err := errors.Join(err, file.Close()); err != nil {
		t.Fatal(err)
	}
	if found := verify(); found.GetOk() {
		t.Errorf("a changed record passes: %v", found)
	}
}
