package secrets_test

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ichor-os/ichor/pki"
	"github.com/ichor-os/ichor/pki/secrets"
)

func generate(t *testing.T, options secrets.Options) *secrets.Bundle {
	t.Helper()
	if options.ServiceAccountKey == 0 {
		options.ServiceAccountKey = pki.ECDSAP256 // RSA 4096 takes seconds
	}
	bundle, err := secrets.Generate(options)
	if err != nil {
		t.Fatal(err)
	}
	return bundle
}

func TestBundle_ReadsBackWhatItWrote(t *testing.T) {
	bundle := generate(t, secrets.Options{})
	path := filepath.Join(t.TempDir(), "secrets.yaml")
	if err := bundle.Create(path); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	if info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v, want 0600", info.Mode())
	}
	again, unknown, err := secrets.Read(path)
	if err != nil {
		t.Fatal(err)
	}
	if len(unknown) > 0 {
		t.Errorf("unknown keys %v", unknown)
	}
	if diff := cmp.Diff(bundle, again); diff != "" {
		t.Error("the bundle changed on its way through the file")
	}
	if err := bundle.Create(path); !errors.Is(err, fs.ErrExist) {
		t.Errorf("creating it twice: got %v, want fs.ErrExist", err)
	}
}

func TestGenerate_MakesTokensOfTheirShape(t *testing.T) {
	bundle := generate(t, secrets.Options{})
	token := regexp.MustCompile(`^[a-z0-9]{6}\.[a-z0-9]{16}$`)
	if !token.MatchString(bundle.TrustdInfo.Token) || !token.MatchString(bundle.Secrets.BootstrapToken) {
		t.Error("a token has another shape than 6.16")
	}
	if bundle.Secrets.AESCBCEncryptionSecret != "" || len(bundle.Secrets.SecretboxEncryptionSecret) != 44 {
		t.Error("want a secretbox secret and no AES-CBC one")
	}
	if err := bundle.Check(); err != nil {
		t.Error(err)
	}
}

func TestGenerate_RefusesAMalformedBootstrapToken(t *testing.T) {
	_, err := secrets.Generate(secrets.Options{ServiceAccountKey: pki.ECDSAP256, BootstrapToken: "SECRET-TOKEN"})
	if err == nil || strings.Contains(err.Error(), "SECRET-TOKEN") {
		t.Errorf("got %v, want an error that does not show the token", err)
	}
}

func TestParse_NamesUnknownKeys(t *testing.T) {
	text, err := generate(t, secrets.Options{}).Encode()
	if err != nil {
		t.Fatal(err)
	}
	text = append(text, "extra: 1\n"...)
	text = bytes.Replace(text, []byte("trustdinfo:\n"), []byte("trustdinfo:\n    tokn: a\n"), 1)
	_, unknown, err := secrets.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"extra", "trustdinfo.tokn"}, unknown); diff != "" {
		t.Errorf("unknown keys (-want +got):\n%s", diff)
	}
}

func TestParse_NeverShowsValuesInErrors(t *testing.T) {
	for _, text := range []string{
		"cluster: hunter2\n", "certs: {os: {key: hunter2!}}\n", "certs: {k8sserviceaccount: {key: hunter2!}}\n",
		"certs: {os: [hunter2]}\n", "secrets: {bootstraptoken: {a: hunter2}}\n",
	} {
		if _, _, err := secrets.Parse([]byte(text)); err == nil || strings.Contains(err.Error(), "hunter2") {
			t.Errorf("%q: got %v, want an error without the value", text, err)
		}
	}
}

func TestCheck_NamesAllThatIsMissing(t *testing.T) {
	err := (&secrets.Bundle{}).Check()
	if err == nil {
		t.Fatal("an empty bundle is complete")
	}
	for _, path := range []string{
		"cluster.id", "cluster.secret", "secrets.bootstraptoken", "trustdinfo.token", "secrets.secretboxencryptionsecret",
		"certs.etcd", "certs.k8s:", "certs.k8saggregator", "certs.os", "certs.k8sserviceaccount",
	} {
		if !strings.Contains(err.Error(), path) {
			t.Errorf("%s is not named in: %v", path, err)
		}
	}
}

func TestFromKubernetesPKI_KeepsTheAuthorities(t *testing.T) {
	old := generate(t, secrets.Options{})
	folder := t.TempDir()
	if err := os.Mkdir(filepath.Join(folder, "etcd"), 0o700); err != nil {
		t.Fatal(err)
	}
	for name, content := range map[string][]byte{
		"ca.crt": old.Certs.K8s.Crt, "ca.key": old.Certs.K8s.Key,
		"front-proxy-ca.crt": old.Certs.K8sAggregator.Crt, "front-proxy-ca.key": old.Certs.K8sAggregator.Key,
		"etcd/ca.crt": old.Certs.Etcd.Crt, "etcd/ca.key": old.Certs.Etcd.Key,
		"sa.key": old.Certs.K8sServiceAccount.Key,
	} {
		if err := os.WriteFile(filepath.Join(folder, name), content, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	bundle, err := secrets.FromKubernetesPKI(folder, secrets.Options{BootstrapToken: "abcdef.0123456789abcdef"})
	if err != nil {
		t.Fatal(err)
	}
	if err := bundle.Check(); err != nil {
		t.Error(err)
	}
	if bundle.Secrets.BootstrapToken != "abcdef.0123456789abcdef" {
		t.Error("the given bootstrap token was not taken")
	}
	want, got := old.Certs, bundle.Certs
	want.OS, got.OS = pki.Pair{}, pki.Pair{}
	if !cmp.Equal(want, got) {
		t.Error("an authority changed")
	}
	if err := os.Remove(filepath.Join(folder, "etcd/ca.key")); err != nil {
		t.Fatal(err)
	}
	if _, err := secrets.FromKubernetesPKI(folder, secrets.Options{}); err == nil || !strings.Contains(err.Error(), "etcd/ca.key") {
		t.Errorf("got %v, want an error that names etcd/ca.key", err)
	}
}

func TestBundle_IsRedactedInLogs(t *testing.T) {
	bundle := generate(t, secrets.Options{})
	var log bytes.Buffer
	slog.New(slog.NewTextHandler(&log, nil)).Info("made", "bundle", bundle)
	for _, text := range []string{log.String(), fmt.Sprintf("%v %+v %#v", bundle, bundle, bundle)} {
		if strings.Contains(text, bundle.Cluster.Secret) || strings.Contains(text, bundle.TrustdInfo.Token) {
			t.Error("a secret shows")
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte("cluster: {id: a, secret: b}\ncerts: {os: {crt: QQ==, key: QQ==}}\n"))
	f.Add([]byte("secrets: null\n"))
	f.Add([]byte("a: &a [*a]\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		bundle, _, err := secrets.Parse(text)
		if err != nil {
			return
		}
		if _, err := bundle.Encode(); err != nil {
			t.Error(err)
		}
		_ = bundle.Check()
	})
}
