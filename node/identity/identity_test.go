package identity

import (
	"net/netip"
	"slices"
	"testing"
	"time"

	"github.com/ichor-os/ichor/pki"
)

var names = Names{Hostname: "n1", Addresses: []netip.Addr{netip.MustParseAddr("10.5.0.2")}, Further: []string{"127.7.7.7", "n1", ""}}

func TestMaintenance_FingerprintIsThatOfTheCertificate(t *testing.T) {
	pair, fingerprint, err := Maintenance(names, time.Now())
	if err != nil {
		t.Fatal(err)
	}
	certificate, err := pki.ParseCertificate(pair.Crt)
	if err != nil {
		t.Fatal(err)
	}
	if got := pki.Fingerprint(certificate); got != fingerprint || len(fingerprint) != 64 {
		t.Errorf("fingerprint = %s, want %s", fingerprint, got)
	}
}

func TestControlPlane_ServerHasNoRoleAndClientMaySpeakForOthers(t *testing.T) {
	authority, err := pki.NewMachineAuthority(time.Now())
	if err != nil {
		t.Fatal(err)
	}
	ca, err := authority.Pair()
	if err != nil {
		t.Fatal(err)
	}
	server, client, err := ControlPlane(ca, names, time.Now())
	if err != nil {
		t.Fatal(err)
	}
	parsed, err := pki.ParseCertificate(server.Crt)
	if err != nil {
		t.Fatal(err)
	}
	if roles := pki.RolesOf(parsed.Subject.Organization); len(roles) > 0 {
		t.Errorf("server certificate has roles %v", roles)
	}
	for _, name := range []string{"n1", "10.5.0.2", "127.0.0.1", "127.7.7.7"} {
		if err := parsed.VerifyHostname(name); err != nil {
			t.Error(err)
		}
	}
	if parsed, err = pki.ParseCertificate(client.Crt); err != nil {
		t.Fatal(err)
	}
	if roles := pki.RolesOf(parsed.Subject.Organization); !slices.Equal(roles, []pki.Role{pki.RoleImpersonator}) {
		t.Errorf("client roles = %v, want the impersonator's alone", roles)
	}
}

func TestNames_AreListedOnce(t *testing.T) {
	got := names.All()
	if slices.Contains(got, "") || len(got) != len(slices.Compact(slices.Sorted(slices.Values(got)))) {
		t.Errorf("names = %q", got)
	}
}
