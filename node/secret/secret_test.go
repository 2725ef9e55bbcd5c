package secret

import (
	"bytes"
	"context"
	"net/netip"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ichor-os/ichor/config/generate"
	configspec "github.com/ichor-os/ichor/node/config/spec"
	kubeletspec "github.com/ichor-os/ichor/node/kubelet/spec"
	"github.com/ichor-os/ichor/node/secret/spec"
	timespec "github.com/ichor-os/ichor/node/time/spec"
	"github.com/ichor-os/ichor/pki"
	"github.com/ichor-os/ichor/pki/secrets"
	"github.com/ichor-os/ichor/resource"
)

// machine is an engine with the reconcilers of this package and a config.
type machine struct {
	t      *testing.T
	engine *resource.Engine
}

func start(t *testing.T, role generate.Role) machine {
	t.Helper()
	bundle, err := secrets.Generate(secrets.Options{Now: time.Now().Add(-time.Hour), ServiceAccountKey: pki.ECDSAP256})
	if err != nil {
		t.Fatal(err)
	}
	config, err := generate.MachineConfig(role, generate.NewOptions("c", "https://10.5.0.1:6443", bundle))
	if err != nil {
		t.Fatal(err)
	}
	text, err := config.Encode()
	if err != nil {
		t.Fatal(err)
	}
	m := machine{t, resource.New(resource.Options{})}
	if err := m.engine.Add(Blocks()...); err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() { _ = m.engine.Run(ctx); close(ended) }()
	t.Cleanup(func() { stop(); <-ended })
	m.commit(func(s *resource.Session) {
		configspec.MachineConfigs.Put(s, configspec.Active, configspec.MachineConfigSpec{Documents: text})
		kubeletspec.Nodenames.Put(s, "nodename", kubeletspec.NodenameSpec{Nodename: "n1"})
		timespec.TimeStatuses.Put(s, timespec.SyncID, timespec.TimeStatusSpec{Synced: true})
		m.addresses(s, "10.5.0.2")
	})
	return m
}

func (m machine) addresses(s *resource.Session, text string) {
	list := []netip.Addr{netip.MustParseAddr(text)}
	kubeletspec.SettledAddresses.Put(s, "", kubeletspec.SettledAddressSpec{Addresses: list})
	kubeletspec.NodeIPs.Put(s, "kubelet", kubeletspec.NodeIPSpec{Addresses: list})
}

func (m machine) commit(fn func(s *resource.Session)) {
	m.t.Helper()
	if err := m.engine.Commit(m.t.Context(), "test", func(s *resource.Session) error { fn(s); return nil }); err != nil {
		m.t.Fatal(err)
	}
	synctest.Wait()
}

func (m machine) certs() (certs spec.KubernetesDynamicCertSpec, ok bool) {
	_ = m.engine.View(m.t.Context(), func(s *resource.Session) error {
		certs, ok = spec.KubernetesDynamicCerts.Get(s, KubernetesCerts)
		return nil
	})
	return certs, ok
}

func TestCertificates_AreRenewedInTimeAndNotBefore(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := start(t, generate.ControlPlane)
		first, ok := m.certs()
		if !ok {
			t.Fatal("there is no certificate")
		}
		time.Sleep(lifetime * 55 / 100)
		synctest.Wait()
		if now, _ := m.certs(); !bytes.Equal(now.APIServer.Crt, first.APIServer.Crt) {
			t.Error("certificate is renewed before it is due")
		}
		time.Sleep(lifetime * 26 / 100)
		synctest.Wait()
		now, _ := m.certs()
		for name, pair := range map[string][2][]byte{
			"API server": {first.APIServer.Crt, now.APIServer.Crt}, "kubelet client": {first.APIServerKubeletClient.Crt, now.APIServerKubeletClient.Crt},
			"front proxy": {first.FrontProxy.Crt, now.FrontProxy.Crt},
		} {
			if bytes.Equal(pair[0], pair[1]) {
				t.Errorf("%s certificate is not renewed at 81%% of its life", name)
			}
		}
	})
}

func TestCertificates_FollowTheNodesAddresses(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := start(t, generate.ControlPlane)
		before, _ := m.certs()
		m.commit(func(s *resource.Session) { m.addresses(s, "10.5.0.9") })
		after, _ := m.certs()
		certificate, err := pki.ParseCertificate(after.APIServer.Crt)
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range []string{"10.5.0.9", "10.5.0.1", "10.96.0.1", "127.0.0.1", "kubernetes.default.svc.cluster.local", "n1"} {
			if err := certificate.VerifyHostname(name); err != nil {
				t.Error(err)
			}
		}
		if certificate.VerifyHostname("10.5.0.2") == nil {
			t.Error("the address that left is still a name")
		}
		if !bytes.Equal(before.FrontProxy.Crt, after.FrontProxy.Crt) {
			t.Error("a certificate without names is made anew")
		}
	})
}

func TestS06_WorkerWithoutTheAuthoritysKeyComesToRest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := start(t, generate.Worker)
		if _, ok := m.certs(); ok {
			t.Error("a worker has certificates of the control plane")
		}
		_ = m.engine.View(t.Context(), func(s *resource.Session) error {
			kubelet, ok := spec.KubeletSecrets.Get(s, Kubelet)
			if !ok || kubelet.Endpoint.String() != "https://127.0.0.1:7445" || kubelet.BootstrapTokenSecret == "" {
				t.Errorf("kubelet's secrets = %v", ok)
			}
			if _, ok := spec.KubeletCertificates.Get(s); ok {
				t.Error("a worker signed a certificate")
			}
			return nil
		})
		for _, status := range m.engine.Status() {
			if status.Failures > 0 || status.Runs > 10 {
				t.Errorf("%s: %d runs, %d failures: %s", status.Name, status.Runs, status.Failures, status.Reason)
			}
		}
	})
}

func TestKinds_HoldNoSecretsInLogs(t *testing.T) {
	for _, text := range []string{
		spec.KubernetesRootSecretSpec{SecretboxEncryptionSecret: "geheim"}.LogValue().String(), spec.KubeletCertificateSpec{}.LogValue().String(),
	} {
		if strings.Contains(text, "geheim") {
			t.Error(text)
		}
	}
}
