package secret

import (
	"context"
	"encoding/base64"
	"strings"
	"testing"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/types/known/durationpb"

	machinepb "github.com/ichor-os/ichor/api/machine"
	configspec "github.com/ichor-os/ichor/node/config/spec"
	linkspec "github.com/ichor-os/ichor/node/link/spec"
	"github.com/ichor-os/ichor/pki"
	"github.com/ichor-os/ichor/pki/talosconfig"
	"github.com/ichor-os/ichor/resource"
)

var now = time.Now().Truncate(time.Second)

// node gives the RPC of a node with a config; withKey says whether it holds the
// CA's key.
func node(t *testing.T, config bool, withKey bool) RPC {
	t.Helper()
	authority, err := pki.NewMachineAuthority(now)
	if err != nil {
		t.Fatal(err)
	}
	pair, err := authority.Pair()
	if err != nil {
		t.Fatal(err)
	}
	text := "version: v1alpha1\nmachine:\n  type: controlplane\n  ca:\n    crt: " + base64.StdEncoding.EncodeToString(pair.Crt) + "\n"
	if withKey {
		text += "    key: " + base64.StdEncoding.EncodeToString(pair.Key) + "\n"
	}
	text += "cluster:\n  clusterName: north\n"
	engine := resource.New(resource.Options{})
	for _, kinds := range [][]resource.AnyKind{configspec.Kinds(), linkspec.Kinds()} {
		if err := engine.Register(kinds...); err != nil {
			t.Fatal(err)
		}
	}
	if config {
		err := engine.Commit(context.Background(), "test", func(s *resource.Session) error {
			configspec.MachineConfigs.Put(s, configspec.Active, configspec.MachineConfigSpec{Documents: []byte(text)})
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return RPC{Engine: engine, Now: func() time.Time { return now }}
}

func TestBR17_ClientConfigurationHasTheRolesAndLifeAskedFor(t *testing.T) {
	answer, err := node(t, true, true).GenerateClientConfiguration(t.Context(), &machinepb.GenerateClientConfigurationRequest{
		Roles: []string{"os:reader"}, CrtTtl: durationpb.New(36 * time.Hour),
	})
	if err != nil {
		t.Fatal(err)
	}
	got := answer.GetMessages()[0]
	certificate, err := pki.ParseCertificate(got.GetCrt())
	if err != nil {
		t.Fatal(err)
	}
	if left := certificate.NotAfter.Sub(now) - 36*time.Hour; left > time.Minute || left < -time.Minute {
		t.Errorf("certificate lives %s, want 36 h", certificate.NotAfter.Sub(now))
	}
	if roles := strings.Join(certificate.Subject.Organization, " "); roles != "os:reader" {
		t.Errorf("roles = %s, want os:reader alone", roles)
	}
	config, err := talosconfig.Parse(got.GetTalosconfig())
	if err != nil {
		t.Fatal(err)
	}
	named, err := config.Get("")
	if err != nil || config.Context != "north" || named.Crt != base64.StdEncoding.EncodeToString(got.GetCrt()) {
		t.Errorf("talosconfig = %v, %v; want the context north with the certificate", named, err)
	}
}

func TestGenerateClientConfiguration_Refusals(t *testing.T) {
	reader := []string{"os:reader"}
	for name, test := range map[string]struct {
		config, key bool
		request     *machinepb.GenerateClientConfigurationRequest
		want        codes.Code
	}{
		"no role":         {true, true, &machinepb.GenerateClientConfigurationRequest{}, codes.InvalidArgument},
		"unknown role":    {true, true, &machinepb.GenerateClientConfigurationRequest{Roles: []string{"os:king"}}, codes.InvalidArgument},
		"no life":         {true, true, &machinepb.GenerateClientConfigurationRequest{Roles: reader, CrtTtl: durationpb.New(0)}, codes.InvalidArgument},
		"too long a life": {true, true, &machinepb.GenerateClientConfigurationRequest{Roles: reader, CrtTtl: durationpb.New(1e6 * time.Hour)}, codes.InvalidArgument},
		"no config yet":   {false, false, &machinepb.GenerateClientConfigurationRequest{Roles: reader}, codes.FailedPrecondition},
		"no key":          {true, false, &machinepb.GenerateClientConfigurationRequest{Roles: reader}, codes.FailedPrecondition},
	} {
		_, err := node(t, test.config, test.key).GenerateClientConfiguration(t.Context(), test.request)
		if status.Code(err) != test.want {
			t.Errorf("%s: %v, want %s", name, err, test.want)
		}
	}
}
