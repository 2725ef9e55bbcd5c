package migrate_test

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ichor-os/ichor/config"
	"github.com/ichor-os/ichor/config/migrate"
)

const newerKeys = `machine:
    type: worker
    install: {disk: /dev/vda, grubUseUKICmdline: true}
    kubelet: {defaultRuntimeSeccompProfileEnabled: true, disableManifestsDirectory: true}
    features:
        diskQuotaSupport: true
        kubePrism: {enabled: true}
        hostDNS: {enabled: true, forwardKubeDNSToHost: true}
`

// A key of the main document that came after the target version has no form there.
func TestTo_NamesKeysThatTheVersionDoesNotHave(t *testing.T) {
	c, err := config.Parse([]byte(newerKeys))
	if err != nil {
		t.Fatal(err)
	}

	const (
		grub      = "v1alpha1.Config: machine.install.grubUseUKICmdline"
		forward   = "v1alpha1.Config: machine.features.hostDNS.forwardKubeDNSToHost"
		hostDNS   = "v1alpha1.Config: machine.features.hostDNS"
		kubePrism = "v1alpha1.Config: machine.features.kubePrism"
		quota     = "v1alpha1.Config: machine.features.diskQuotaSupport"
		manifests = "v1alpha1.Config: machine.kubelet.disableManifestsDirectory"
		seccomp   = "v1alpha1.Config: machine.kubelet.defaultRuntimeSeccompProfileEnabled"
	)

	for minor, want := range map[int][]string{
		14: nil, 13: nil, 12: nil,
		11: {grub},
		7:  {grub, forward},
		6:  {grub, hostDNS},
		5:  {grub, hostDNS, kubePrism},
		4:  {grub, hostDNS, kubePrism, quota},
		1:  {grub, hostDNS, kubePrism, quota, manifests, seccomp},
	} {
		var got []string

		for _, lost := range migrate.To(c.Documents(), minor).Lost {
			got = append(got, lost.Where)
		}

		if diff := cmp.Diff(inOrder(want), inOrder(got)); diff != "" {
			t.Errorf("1.%d (-want +got):\n%s", minor, diff)
		}
	}
}

func inOrder(words []string) []string {
	slices.Sort(words)

	return words
}

func TestTo_NamesDocumentsThatTheVersionMayNotHave(t *testing.T) {
	const text = `machine: {type: worker}
---
apiVersion: v1alpha1
kind: HostnameConfig
hostname: a
---
apiVersion: v1alpha1
kind: KmsgLogConfig
name: k
url: tcp://10.0.0.1:514/
`

	c, err := config.Parse([]byte(text))
	if err != nil {
		t.Fatal(err)
	}

	for minor, want := range map[int][]string{14: nil, 13: nil, 12: {"KmsgLogConfig/k"}, 10: {"KmsgLogConfig/k"}} {
		var got []string

		for _, remark := range migrate.To(c.Documents(), minor).Unsure {
			got = append(got, remark.Where)
		}

		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("1.%d (-want +got):\n%s", minor, diff)
		}
	}
}
