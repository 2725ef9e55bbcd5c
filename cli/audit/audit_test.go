package audit

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/spf13/cobra"
	"google.golang.org/protobuf/types/known/durationpb"
	"google.golang.org/protobuf/types/known/timestamppb"

	ichorpb "github.com/ichor-os/ichor/api/ichor"
)

func TestSince_IsADurationOrATime(t *testing.T) {
	now := time.Date(2026, 1, 31, 12, 0, 0, 0, time.UTC)
	for text, want := range map[string]time.Time{
		"2h":                   now.Add(-2 * time.Hour),
		"2026-01-30T00:00:00Z": time.Date(2026, 1, 30, 0, 0, 0, 0, time.UTC),
	} {
		got, err := sinceRequest(text, now)
		if err != nil || !got.GetSince().AsTime().Equal(want) {
			t.Errorf("%s: got %v, %v, want %s", text, got, err, want)
		}
	}
	if got, err := sinceRequest("", now); err != nil || got.GetSince() != nil {
		t.Errorf("none: got %v, %v", got, err)
	}
	if _, err := sinceRequest("yesterday", now); err == nil {
		t.Error("yesterday: no error")
	}
}

func TestHead_IsASequenceWithAHash(t *testing.T) {
	hash := strings.Repeat("ab", 32)
	got, err := parseHead("27:" + hash)
	if err != nil || got.GetSequence() != 27 || got.GetHash() != hash {
		t.Errorf("got %v, %v", got, err)
	}
	for _, text := range []string{"27", "x:" + hash, "27:ab", ":"} {
		if _, err := parseHead(text); err == nil {
			t.Errorf("%q: no error", text)
		}
	}
}

func TestWriteRecord_SaysWhoDidWhat(t *testing.T) {
	var out bytes.Buffer
	cmd := &cobra.Command{}
	cmd.SetOut(&out)
	err := writeRecord(cmd, "10.5.0.2", &ichorpb.AuditRecord{
		Kind: "call", Phase: "ended", Method: "/machine.MachineService/Reboot", Roles: []string{"os:operator"}, Peer: "10.0.0.7:4000",
		Code: "PermissionDenied", Error: "no", Duration: durationpb.New(2 * time.Millisecond), Part: "refuses", RequestId: "ab",
		Targets: []string{"10.5.0.3"}, Parameters: map[string]string{"mode": "FORCE"}, Time: timestamppb.New(time.Unix(0, 0)),
	})
	if err != nil {
		t.Fatal(err)
	}
	const want = `10.5.0.2 1970-01-01T00:00:00.000Z ended os:operator 10.0.0.7:4000 machine.MachineService/Reboot PermissionDenied 2ms part=refuses request=ab targets=10.5.0.3 mode="FORCE" error="no"`
	if got := strings.Join(strings.Fields(out.String()), " "); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}
