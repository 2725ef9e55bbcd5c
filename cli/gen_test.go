package cli_test

import (
	"crypto/x509"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/ichor-os/ichor/pki"
	"github.com/ichor-os/ichor/pki/secureboot"
)

// mustRun runs a command that has to succeed.
func mustRun(t *testing.T, args ...string) outcome {
	t.Helper()
	got := run(t, args...)
	if got.exit != 0 {
		t.Fatalf("%q: exit %d; standard error:\n%s", args, got.exit, got.stderr)
	}
	return got
}

func TestGen_KeyRequestAndCertificateWorkTogether(t *testing.T) {
	inTempFolder(t, nil)
	mustRun(t, "gen", "ca", "--organization", "ca")
	mustRun(t, "gen", "key", "--name", "admin")
	mustRun(t, "gen", "csr", "--key", "admin.key", "--ip", "127.0.0.1", "--roles", "os:reader,os:etcd:backup")
	got := mustRun(t, "gen", "crt", "--ca", "ca", "--csr", "admin.csr", "--name", "admin", "--hours", "2")
	if diff := cmp.Diff([]string{"admin.crt", "admin.csr", "admin.key", "ca.crt", "ca.key", "ca.sha256"}, got.written(nil)); diff != "" {
		t.Errorf("files (-want +got):\n%s", diff)
	}
	for name, want := range map[string]os.FileMode{"admin.key": 0o600, "ca.key": 0o600, "admin.crt": 0o644, "ca.crt": 0o644} {
		if got.modes[name] != want {
			t.Errorf("%s: mode %v, want %v", name, got.modes[name], want)
		}
	}
	authority, err := pki.LoadAuthority(pki.Pair{Crt: []byte(got.files["ca.crt"]), Key: []byte(got.files["ca.key"])})
	if err != nil {
		t.Fatal(err)
	}
	certificate, err := pki.ParseCertificate([]byte(got.files["admin.crt"]))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := certificate.Verify(x509.VerifyOptions{Roots: authority.Pool(), KeyUsages: pki.ClientAuth}); err != nil {
		t.Error(err)
	}
	if left := certificate.NotAfter.Sub(certificate.NotBefore); left != 2*time.Hour {
		t.Errorf("valid for %v, want 2h", left)
	}
	if diff := cmp.Diff([]string{"os:reader", "os:etcd:backup"}, certificate.Subject.Organization); diff != "" {
		t.Errorf("roles (-want +got):\n%s", diff)
	}
	mustRun(t, "config", "--talosconfig", "c", "add", "a", "--ca", "ca.crt", "--crt", "admin.crt", "--key", "admin.key")
	info := mustRun(t, "config", "--talosconfig", "c", "info", "--context", "a")
	if !strings.Contains(info.stdout, "Roles:               os:reader, os:etcd:backup\nCertificate expires: 1 hour from now (") {
		t.Errorf("info says:\n%s", info.stdout)
	}
}

func TestGen_NeverOverwritesWithoutForce(t *testing.T) {
	inTempFolder(t, nil)
	for _, test := range []struct {
		args []string
		file string
	}{
		{[]string{"gen", "ca", "--organization", "o"}, "o.key"},
		{[]string{"gen", "key", "--name", "k"}, "k.key"},
		{[]string{"gen", "keypair", "--organization", "p", "--ip", "10.0.0.1"}, "p.key"},
		{[]string{"gen", "secrets", "--talos-version", "1.6", "-o", "s.yaml"}, "s.yaml"},
	} {
		first := mustRun(t, test.args...)
		if first.modes[test.file] != 0o600 {
			t.Errorf("%q: mode %v, want 0600", test.args, first.modes[test.file])
		}
		again := run(t, test.args...)
		if again.exit != 1 || !strings.Contains(again.stderr, "--force") || again.files[test.file] != first.files[test.file] {
			t.Errorf("%q again: exit %d, changed %v; standard error:\n%s", test.args, again.exit, again.files[test.file] != first.files[test.file], again.stderr)
		}
		if err := os.Chmod(test.file, 0o644); err != nil {
			t.Fatal(err)
		}
		forced := mustRun(t, append(test.args, "--force")...)
		if forced.files[test.file] == first.files[test.file] || forced.modes[test.file] != 0o600 {
			t.Errorf("%q --force: changed %v, mode %v", test.args, forced.files[test.file] != first.files[test.file], forced.modes[test.file])
		}
	}
}

func TestGen_RefusesWrongInput(t *testing.T) {
	inTempFolder(t, map[string]string{"bad.key": "x"})
	mustRun(t, "gen", "key", "--name", "k")
	for _, test := range []struct {
		args []string
		want string
	}{
		{[]string{"gen", "csr", "--key", "k.key", "--ip", "127.0.0.1", "--roles", "admin"}, "os:admin"},
		{[]string{"gen", "csr", "--key", "k.key", "--ip", "host"}, "not an IP address"},
		{[]string{"gen", "csr", "--key", "bad.key", "--ip", "127.0.0.1"}, "bad.key"},
		{[]string{"gen", "ca", "--organization", "o", "--hours", "0"}, "lifetime"},
		{[]string{"gen", "secrets", "--talos-version", "latest"}, "latest"},
		{[]string{"gen", "secrets", "-t", "abcdef"}, "bootstrap token"},
	} {
		if got := run(t, test.args...); got.exit != 1 || !strings.Contains(got.stderr, test.want) {
			t.Errorf("%q: exit %d, want 1 with %q; standard error:\n%s", test.args, got.exit, test.want, got.stderr)
		}
	}
}

func TestGenSecureBoot_EnrollsTheKeyItMade(t *testing.T) {
	inTempFolder(t, nil)
	mustRun(t, "gen", "secureboot", "uki", "--common-name", "Lab")
	mustRun(t, "gen", "secureboot", "pcr")
	got := mustRun(t, "gen", "secureboot", "database")
	want := []string{
		"_out/KEK.auth", "_out/PK.auth", "_out/db.auth", "_out/pcr-signing-key.pem",
		"_out/uki-signing-cert.der", "_out/uki-signing-cert.pem", "_out/uki-signing-key.pem",
	}
	if diff := cmp.Diff(want, got.written(nil)); diff != "" {
		t.Errorf("files (-want +got):\n%s", diff)
	}
	for _, variable := range []secureboot.Variable{secureboot.DB, secureboot.KEK, secureboot.PK} {
		enrolled, err := variable.ParseUpdate([]byte(got.files["_out/"+variable.Name+".auth"]))
		if err != nil || len(enrolled) != 1 || enrolled[0].Subject.CommonName != "Lab" {
			t.Errorf("%s enrolls %v (%v)", variable.Name, enrolled, err)
		}
	}
	if got.modes["_out/uki-signing-key.pem"] != 0o600 || got.modes["_out/pcr-signing-key.pem"] != 0o600 {
		t.Errorf("a key's mode is not 0600: %v", got.modes)
	}
}

func TestGenSecrets_WritesToStandardOutputForADash(t *testing.T) {
	inTempFolder(t, nil)
	got := mustRun(t, "gen", "secrets", "--talos-version", "1.6", "-o", "-")
	if len(got.files) > 0 || !strings.Contains(got.stdout, "bootstraptoken: ") {
		t.Errorf("files %v, standard output %.40q; want no file and the secrets", got.written(nil), got.stdout)
	}
}
