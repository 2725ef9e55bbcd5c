package secureboot_test

import (
	"bytes"
	"crypto/x509"
	"strings"
	"testing"
	"time"

	"github.com/ichor-os/ichor/pki"
	"github.com/ichor-os/ichor/pki/secureboot"
)

var noon = time.Date(2026, 5, 4, 12, 0, 0, 0, time.UTC)

func signer(t *testing.T) (pki.Pair, *x509.Certificate) {
	t.Helper()
	pair, err := secureboot.NewSigner("Test", noon)
	if err != nil {
		t.Fatal(err)
	}
	certificate, err := pki.ParseCertificate(pair.Crt)
	if err != nil {
		t.Fatal(err)
	}
	return pair, certificate
}

func TestUpdate_EnrollsTheCertificatesUnderAValidSignature(t *testing.T) {
	pair, certificate := signer(t)
	_, other := signer(t)
	for _, variable := range []secureboot.Variable{secureboot.PK, secureboot.KEK, secureboot.DB} {
		update, err := variable.Update([]*x509.Certificate{certificate, other}, pair, noon)
		if err != nil {
			t.Fatal(err)
		}
		enrolled, err := variable.ParseUpdate(update)
		if err != nil {
			t.Fatalf("%s: %v", variable.Name, err)
		}
		if len(enrolled) != 2 || !enrolled[0].Equal(certificate) || !enrolled[1].Equal(other) {
			t.Errorf("%s enrolls other certificates than given", variable.Name)
		}
		again, err := variable.Update([]*x509.Certificate{certificate, other}, pair, noon)
		if err != nil || !bytes.Equal(update, again) {
			t.Errorf("%s: same input, other bytes (%v)", variable.Name, err)
		}
	}
}

func TestParseUpdate_NoticesWhatWasChanged(t *testing.T) {
	pair, certificate := signer(t)
	update, err := secureboot.DB.Update([]*x509.Certificate{certificate}, pair, noon)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := secureboot.KEK.ParseUpdate(update); err == nil {
		t.Error("an update of db passes as one of KEK")
	}
	for _, place := range []int{0, 17, 200, len(update) - 1} {
		changed := bytes.Clone(update)
		changed[place] ^= 1
		if _, err := secureboot.DB.ParseUpdate(changed); err == nil {
			t.Errorf("a change at byte %d goes unnoticed", place)
		}
	}
	for _, length := range []int{0, 39, 60} {
		if _, err := secureboot.DB.ParseUpdate(update[:length]); err == nil {
			t.Errorf("%d bytes pass as an update", length)
		}
	}
}

func TestUpdate_RefusesKeysThatFirmwareDoesNotKnow(t *testing.T) {
	_, certificate := signer(t)
	pair, err := pki.SelfSigned(pki.Ed25519, pki.Template{Lifetime: time.Hour})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := secureboot.DB.Update([]*x509.Certificate{certificate}, pair, noon); err == nil || !strings.Contains(err.Error(), "RSA") {
		t.Errorf("got %v, want an error that names RSA", err)
	}
}

func FuzzParseUpdate(f *testing.F) {
	f.Add(make([]byte, 60))
	f.Fuzz(func(_ *testing.T, update []byte) {
		_, _ = secureboot.DB.ParseUpdate(update)
	})
}
