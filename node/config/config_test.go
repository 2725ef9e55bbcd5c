package config

import (
	"io"
	"log/slog"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	machinepb "github.com/ichor-os/ichor/api/machine"
	machineconfig "github.com/ichor-os/ichor/config"
	"github.com/ichor-os/ichor/config/generate"
	"github.com/ichor-os/ichor/pki"
	"github.com/ichor-os/ichor/pki/secrets"
)

func sample(t *testing.T) []byte {
	t.Helper()
	bundle, err := secrets.Generate(secrets.Options{Now: time.Now(), ServiceAccountKey: pki.ECDSAP256})
	if err != nil {
		t.Fatal(err)
	}
	config, err := generate.MachineConfig(generate.ControlPlane, generate.NewOptions("c", "https://10.5.0.1:6443", bundle))
	if err != nil {
		t.Fatal(err)
	}
	text, err := config.Encode()
	if err != nil {
		t.Fatal(err)
	}
	return text
}

func rpc(t *testing.T, configured bool) (r *RPC, first, reboots *int) {
	t.Helper()
	first, reboots = new(int), new(int)
	r = &RPC{
		Store: Store{Path: filepath.Join(t.TempDir(), "config.yaml")},
		Log:   slog.New(slog.NewTextHandler(io.Discard, nil)),
		Mode:  machineconfig.Container,
		First: func(*machineconfig.Config) { *first++ },
		Again: func() { *reboots++ },
	}
	if configured {
		r.Configured()
	}
	return r, first, reboots
}

func TestApplyConfiguration_Modes(t *testing.T) {
	text := sample(t)
	for _, test := range []struct {
		name           string
		configured     bool
		mode           machinepb.ApplyConfigurationRequest_Mode
		dryRun         bool
		code           codes.Code
		first, reboots int
		stored         bool
	}{
		{"first config", false, machinepb.ApplyConfigurationRequest_AUTO, false, codes.OK, 1, 0, true},
		{"first config cannot be tried", false, machinepb.ApplyConfigurationRequest_TRY, false, codes.FailedPrecondition, 0, 0, false},
		{"dry run changes nothing", false, machinepb.ApplyConfigurationRequest_AUTO, true, codes.OK, 0, 0, false},
		{"reboot", true, machinepb.ApplyConfigurationRequest_AUTO, false, codes.OK, 0, 1, true},
		{"staged", true, machinepb.ApplyConfigurationRequest_STAGED, false, codes.OK, 0, 0, true},
		{"live is refused", true, machinepb.ApplyConfigurationRequest_NO_REBOOT, false, codes.Unimplemented, 0, 0, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			r, first, reboots := rpc(t, test.configured)
			_, err := r.ApplyConfiguration(t.Context(), &machinepb.ApplyConfigurationRequest{Data: text, Mode: test.mode, DryRun: test.dryRun})
			if got := status.Code(err); got != test.code {
				t.Fatalf("code = %s (%v), want %s", got, err, test.code)
			}
			stored, err := r.Store.Load()
			if err != nil {
				t.Fatal(err)
			}
			if *first != test.first || *reboots != test.reboots || (stored != nil) != test.stored {
				t.Errorf("first %d, reboots %d, stored %v; want %d, %d, %v", *first, *reboots, stored != nil, test.first, test.reboots, test.stored)
			}
		})
	}
}

func TestBR12_ConfigWithoutMainDocumentIsRefusedOnARunningNode(t *testing.T) {
	r, _, _ := rpc(t, true)
	_, err := r.ApplyConfiguration(t.Context(), &machinepb.ApplyConfigurationRequest{
		Data: []byte("apiVersion: v1alpha1\nkind: HostnameConfig\nhostname: n1\n"),
	})
	if status.Code(err) != codes.InvalidArgument || !strings.Contains(err.Error(), "v1alpha1") {
		t.Errorf("error = %v, want InvalidArgument that names the document", err)
	}
}

func TestBR12_ConfigWithoutMainDocumentIsKeptInMaintenance(t *testing.T) {
	r, first, reboots := rpc(t, false)
	part := []byte("apiVersion: v1alpha1\nkind: KmsgLogConfig\nname: remote\nurl: udp://10.5.0.1:514\n")
	answer, err := r.ApplyConfiguration(t.Context(), &machinepb.ApplyConfigurationRequest{Data: part})
	if err != nil {
		t.Fatal(err)
	}
	if details := answer.GetMessages()[0].GetModeDetails(); !strings.Contains(details, "stays in maintenance") {
		t.Errorf("details = %q, want that the node stays in maintenance", details)
	}
	if c, err := r.Store.Load(); err != nil || c == nil || c.Find("KmsgLogConfig", "remote") == nil {
		t.Errorf("stored = %v, %v; want the document", c, err)
	}
	if c, err := r.Store.LoadComplete(); c != nil || err != nil {
		t.Errorf("the next start takes %v, %v for a config; want none", c, err)
	}
	if *first != 0 || *reboots != 0 {
		t.Errorf("first %d, reboots %d, want none", *first, *reboots)
	}
	// A complete one ends maintenance as if nothing had been there.
	if _, err := r.ApplyConfiguration(t.Context(), &machinepb.ApplyConfigurationRequest{Data: sample(t)}); err != nil || *first != 1 {
		t.Errorf("complete config: %v, first %d", err, *first)
	}
	if _, err := r.ApplyConfiguration(t.Context(), &machinepb.ApplyConfigurationRequest{Data: part}); status.Code(err) != codes.InvalidArgument {
		t.Errorf("after that = %v, want InvalidArgument", err)
	}
}

func TestStore_WithoutAConfigIsEmptyAndKeepsWhatItSaved(t *testing.T) {
	s := Store{Path: filepath.Join(t.TempDir(), "config.yaml")}
	if c, err := s.Load(); c != nil || err != nil {
		t.Errorf("load = %v, %v; want nothing", c, err)
	}
	if err := s.Save(sample(t)); err != nil {
		t.Fatal(err)
	}
	if c, err := s.Load(); err != nil || c.Main().Machine.Type != "controlplane" {
		t.Errorf("load = %v, %v", c, err)
	}
}
