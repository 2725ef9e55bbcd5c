package pki_test

import (
	"bytes"
	"crypto"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/rsa"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/ichor-os/ichor/pki"
)

var noon = time.Date(2026, 5, 4, 12, 0, 0, 0, time.UTC)

func machineAuthority(t *testing.T) *pki.Authority {
	t.Helper()
	authority, err := pki.NewMachineAuthority(noon)
	if err != nil {
		t.Fatal(err)
	}
	return authority
}

func TestClusterAuthorities_HaveTheirSubjectsAlgorithmsAndUsages(t *testing.T) {
	tests := []struct {
		name      string
		make      func(time.Time) (*pki.Authority, error)
		subject   string
		signature x509.SignatureAlgorithm
		pemType   string
	}{
		{"machine", pki.NewMachineAuthority, "O=talos", x509.PureEd25519, "ED25519 PRIVATE KEY"},
		{"kubernetes", pki.NewKubernetesAuthority, "O=kubernetes", x509.ECDSAWithSHA256, "EC PRIVATE KEY"},
		{"aggregator", pki.NewAggregatorAuthority, "", x509.ECDSAWithSHA256, "EC PRIVATE KEY"},
		{"etcd", pki.NewEtcdAuthority, "O=etcd", x509.ECDSAWithSHA256, "EC PRIVATE KEY"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			authority, err := test.make(noon)
			if err != nil {
				t.Fatal(err)
			}
			certificate := authority.Certificate
			if got := certificate.Subject.String(); got != test.subject {
				t.Errorf("subject %q, want %q", got, test.subject)
			}
			if certificate.SignatureAlgorithm != test.signature {
				t.Errorf("signature %v, want %v", certificate.SignatureAlgorithm, test.signature)
			}
			if got := certificate.NotAfter.Sub(certificate.NotBefore); got != 87600*time.Hour {
				t.Errorf("valid for %v, want 87600h", got)
			}
			if !certificate.IsCA || certificate.KeyUsage != x509.KeyUsageDigitalSignature|x509.KeyUsageCertSign {
				t.Errorf("CA %v, key usage %b", certificate.IsCA, certificate.KeyUsage)
			}
			if diff := cmp.Diff(pki.PeerAuth, certificate.ExtKeyUsage); diff != "" {
				t.Errorf("extended key usage (-want +got):\n%s", diff)
			}
			if len(certificate.SubjectKeyId) == 0 || len(certificate.AuthorityKeyId) != 0 {
				t.Errorf("subject key id %x, authority key id %x: want only the first", certificate.SubjectKeyId, certificate.AuthorityKeyId)
			}
			if bits := certificate.SerialNumber.BitLen(); bits > 128 {
				t.Errorf("serial number has %d bits", bits)
			}
			pair, err := authority.Pair()
			if err != nil {
				t.Fatal(err)
			}
			if !strings.HasPrefix(string(pair.Key), "-----BEGIN "+test.pemType+"-----\n") {
				t.Errorf("key PEM type is not %q", test.pemType)
			}
			if _, err := pki.LoadAuthority(pair); err != nil {
				t.Errorf("loading it again: %v", err)
			}
		})
	}
}

func TestIssueClient_MakesAnAdminCertificateThatTheAuthorityVerifies(t *testing.T) {
	authority := machineAuthority(t)
	pair, err := authority.IssueClient([]pki.Role{pki.RoleAdmin}, pki.AdminLifetime, noon)
	if err != nil {
		t.Fatal(err)
	}
	certificate, err := pki.ParseCertificate(pair.Crt)
	if err != nil {
		t.Fatal(err)
	}
	if got := certificate.Subject.String(); got != "O=os:admin" {
		t.Errorf("subject %q, want O=os:admin", got)
	}
	if certificate.KeyUsage != x509.KeyUsageDigitalSignature || len(certificate.SubjectKeyId) != 0 || len(certificate.AuthorityKeyId) == 0 {
		t.Errorf("key usage %b, subject key id %x, authority key id %x", certificate.KeyUsage, certificate.SubjectKeyId, certificate.AuthorityKeyId)
	}
	if certificate.BasicConstraintsValid {
		t.Error("a client certificate carries basic constraints")
	}
	if _, err := certificate.Verify(x509.VerifyOptions{
		Roots: authority.Pool(), CurrentTime: noon.Add(time.Hour), KeyUsages: pki.ClientAuth,
	}); err != nil {
		t.Errorf("verify as client: %v", err)
	}
	if _, err := certificate.Verify(x509.VerifyOptions{
		Roots: authority.Pool(), CurrentTime: noon.Add(time.Hour), KeyUsages: pki.ServerAuth,
	}); err == nil {
		t.Error("a client certificate verifies as a server's")
	}
	if _, err := pair.TLS(); err != nil {
		t.Errorf("use in TLS: %v", err)
	}
}

func TestBR17_ClientCertificateHasTheLifetimeAndOnlyTheRolesAskedFor(t *testing.T) {
	authority := machineAuthority(t)
	pair, err := authority.IssueClient([]pki.Role{pki.RoleReader}, 36*time.Hour, noon)
	if err != nil {
		t.Fatal(err)
	}
	certificate, err := pki.ParseCertificate(pair.Crt)
	if err != nil {
		t.Fatal(err)
	}
	if got := certificate.NotAfter.Sub(noon); got != 36*time.Hour {
		t.Errorf("valid for %v, want 36h", got)
	}
	if diff := cmp.Diff([]string{"os:reader"}, certificate.Subject.Organization); diff != "" {
		t.Errorf("roles (-want +got):\n%s", diff)
	}
}

func TestIssue_RefusesALifetimeThatIsNotPositive(t *testing.T) {
	authority := machineAuthority(t)
	if _, err := authority.IssueClient([]pki.Role{pki.RoleReader}, 0, noon); err == nil {
		t.Error("a certificate without lifetime was issued")
	}
}

func TestSignNodeRequest_GivesNamesButNeverARole(t *testing.T) {
	authority := machineAuthority(t)
	key, err := pki.GenerateKey(pki.Ed25519)
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		name     string
		template pki.Template
		wantErr  bool
	}{
		{"names", pki.Template{CommonName: "n1", Names: []string{"n1", "10.0.0.1", "2001:db8::1"}}, false},
		{"role", pki.Template{Organizations: []string{"os:admin"}}, true},
	} {
		t.Run(test.name, func(t *testing.T) {
			text, err := pki.NewRequest(key, test.template)
			if err != nil {
				t.Fatal(err)
			}
			request, err := pki.ParseRequest(text)
			if err != nil {
				t.Fatal(err)
			}
			certificate, err := authority.SignNodeRequest(request)
			if test.wantErr {
				if err == nil {
					t.Fatalf("got a certificate for %v, want a refusal", certificate.Subject)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			for _, name := range test.template.Names {
				if err := certificate.VerifyHostname(name); err != nil {
					t.Error(err)
				}
			}
			if got := certificate.NotAfter.Sub(certificate.NotBefore); got != 24*time.Hour {
				t.Errorf("valid for %v, want 24h", got)
			}
		})
	}
}

func TestSignRequest_KeepsTheRolesOfTheRequest(t *testing.T) {
	authority := machineAuthority(t)
	key, err := pki.GenerateKey(pki.Ed25519)
	if err != nil {
		t.Fatal(err)
	}
	text, err := pki.NewRequest(key, pki.Template{Organizations: []string{"os:reader"}, Names: []string{"10.0.0.9"}})
	if err != nil {
		t.Fatal(err)
	}
	request, err := pki.ParseRequest(text)
	if err != nil {
		t.Fatal(err)
	}
	certificate, err := authority.SignRequest(request, pki.PeerAuth, time.Hour)
	if err != nil {
		t.Fatal(err)
	}
	if got := pki.RolesOf(certificate.Subject.Organization); !cmp.Equal(got, []pki.Role{pki.RoleReader}) {
		t.Errorf("roles %v, want os:reader", got)
	}
}

func TestParseKey_AcceptsWhatOtherToolsWrite(t *testing.T) {
	for _, algorithm := range []pki.Algorithm{pki.Ed25519, pki.ECDSAP256, pki.RSA2048} {
		key, err := pki.GenerateKey(algorithm)
		if err != nil {
			t.Fatal(err)
		}
		pkcs8, err := x509.MarshalPKCS8PrivateKey(key)
		if err != nil {
			t.Fatal(err)
		}
		own, err := pki.EncodeKey(key)
		if err != nil {
			t.Fatal(err)
		}
		texts := map[string][]byte{
			"own type":           own,
			"PKCS 8":             pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: pkcs8}),
			"PKCS 8 mislabelled": pem.EncodeToMemory(&pem.Block{Type: "RSA PRIVATE KEY", Bytes: pkcs8}),
			"after parameters":   append(pem.EncodeToMemory(&pem.Block{Type: "EC PARAMETERS", Bytes: []byte{6, 0}}), own...),
			"CRLF":               bytes.ReplaceAll(own, []byte("\n"), []byte("\r\n")),
		}
		for name, text := range texts {
			t.Run(fmt.Sprint(algorithm, " ", name), func(t *testing.T) {
				got, err := pki.ParseKey(text)
				if err != nil {
					t.Fatal(err)
				}
				if !equal(got, key) {
					t.Error("read another key than was written")
				}
			})
		}
	}
}

func equal(a, b crypto.Signer) bool {
	switch a := a.(type) {
	case ed25519.PrivateKey:
		return a.Equal(b)
	case *ecdsa.PrivateKey:
		return a.Equal(b)
	case *rsa.PrivateKey:
		return a.Equal(b)
	}
	return false
}

func TestParseKey_SaysWhyItRefuses(t *testing.T) {
	tests := map[string]struct{ text, want string }{
		"empty":       {"", "no PEM private key"},
		"certificate": {string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE"})), "no PEM private key"},
		"encrypted":   {string(pem.EncodeToMemory(&pem.Block{Type: "ENCRYPTED PRIVATE KEY"})), "encrypted"},
		"old style encrypted": {string(pem.EncodeToMemory(&pem.Block{
			Type: "RSA PRIVATE KEY", Headers: map[string]string{"Proc-Type": "4,ENCRYPTED", "DEK-Info": "DES-CBC,0"},
		})), "encrypted"},
		"garbage": {string(pem.EncodeToMemory(&pem.Block{Type: "EC PRIVATE KEY", Bytes: []byte("x")})), "holds no"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			_, err := pki.ParseKey([]byte(test.text))
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("got %v, want an error with %q", err, test.want)
			}
		})
	}
}

func TestLoadAuthority_RefusesAKeyOfAnother(t *testing.T) {
	first, err := machineAuthority(t).Pair()
	if err != nil {
		t.Fatal(err)
	}
	second, err := machineAuthority(t).Pair()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := pki.LoadAuthority(pki.Pair{Crt: first.Crt, Key: second.Key}); err == nil {
		t.Error("an authority with a foreign key was loaded")
	}
	if _, err := pki.LoadAuthority(pki.Pair{Crt: first.Crt}); err == nil {
		t.Error("an authority without a key was loaded")
	}
}

func TestParseRoles(t *testing.T) {
	got, err := pki.ParseRoles([]string{"os:reader", "os:etcd:backup", "os:reader"})
	if err != nil || !cmp.Equal(got, []pki.Role{pki.RoleReader, pki.RoleEtcdBackup}) {
		t.Errorf("got %v, %v", got, err)
	}
	for _, names := range [][]string{nil, {"admin"}, {"os:reader", ""}} {
		if got, err := pki.ParseRoles(names); err == nil {
			t.Errorf("%q gave %v, want an error", names, got)
		}
	}
}

func TestPair_NeverShowsItsKey(t *testing.T) {
	pair, err := machineAuthority(t).Pair()
	if err != nil {
		t.Fatal(err)
	}
	secret := string(bytes.Split(pair.Key, []byte("\n"))[1])
	var log bytes.Buffer
	slog.New(slog.NewJSONHandler(&log, nil)).Info("made", "pair", pair)
	for how, text := range map[string]string{
		"slog": log.String(), "%v": fmt.Sprintf("%v", pair), "%+v": fmt.Sprintf("%+v", pair), "%#v": fmt.Sprintf("%#v", pair),
	} {
		if strings.Contains(text, secret) || strings.Contains(text, fmt.Sprint(pair.Key[30:40])) {
			t.Errorf("%s shows the key: %s", how, text)
		}
	}
}

func TestIssue_ServesTLS13WithClientCertificates(t *testing.T) {
	authority, err := pki.NewMachineAuthority(time.Time{})
	if err != nil {
		t.Fatal(err)
	}
	server, err := authority.Issue(pki.Ed25519, pki.Template{Names: []string{"127.0.0.1"}, Usages: pki.PeerAuth, Lifetime: time.Hour})
	if err != nil {
		t.Fatal(err)
	}
	client, err := authority.IssueClient([]pki.Role{pki.RoleReader}, time.Hour, time.Time{})
	if err != nil {
		t.Fatal(err)
	}
	serverTLS, err := server.TLS()
	if err != nil {
		t.Fatal(err)
	}
	clientTLS, err := client.TLS()
	if err != nil {
		t.Fatal(err)
	}
	listener, err := tls.Listen("tcp", "127.0.0.1:0", &tls.Config{
		Certificates: []tls.Certificate{serverTLS}, ClientAuth: tls.RequireAndVerifyClientCert,
		ClientCAs: authority.Pool(), MinVersion: tls.VersionTLS13,
	})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = listener.Close() }()
	roles := make(chan []pki.Role, 1)
	go func() {
		connection, err := listener.Accept()
		if err != nil {
			close(roles)
			return
		}
		tlsConnection := connection.(*tls.Conn)
		if tlsConnection.Handshake() == nil {
			roles <- pki.RolesOf(tlsConnection.ConnectionState().PeerCertificates[0].Subject.Organization)
		}
		close(roles)
		_ = connection.Close()
	}()
	connection, err := tls.Dial("tcp", listener.Addr().String(), &tls.Config{
		Certificates: []tls.Certificate{clientTLS}, RootCAs: authority.Pool(), MinVersion: tls.VersionTLS13,
	})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = connection.Close() }()
	if got := <-roles; !cmp.Equal(got, []pki.Role{pki.RoleReader}) {
		t.Errorf("the server saw roles %v, want os:reader", got)
	}
}

func FuzzParseKey(f *testing.F) {
	f.Add([]byte("-----BEGIN PRIVATE KEY-----\nAA==\n-----END PRIVATE KEY-----\n"))
	f.Add([]byte("-----BEGIN EC PARAMETERS-----\nBgA=\n-----END EC PARAMETERS-----\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		if key, err := pki.ParseKey(text); err == nil && key == nil {
			t.Error("no key and no error")
		}
		_, _ = pki.ParseCertificates(text)
		_, _ = pki.ParseRequest(text)
	})
}
