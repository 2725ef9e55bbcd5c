package documents_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"math/big"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/ichor-os/ichor/config"
)

// keyPair makes a certificate that is valid for the given time, with its key.
func keyPair(t *testing.T, notBefore, notAfter time.Time) (cert, key string) {
	t.Helper()

	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}

	template := &x509.Certificate{SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "test"}, NotBefore: notBefore, NotAfter: notAfter}

	der, err := x509.CreateCertificate(rand.Reader, template, template, private.Public(), private)
	if err != nil {
		t.Fatal(err)
	}

	keyDER, err := x509.MarshalECPrivateKey(private)
	if err != nil {
		t.Fatal(err)
	}

	return string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})),
		string(pem.EncodeToMemory(&pem.Block{Type: "EC PRIVATE KEY", Bytes: keyDER}))
}

// quoted writes text as a YAML double-quoted scalar.
func quoted(text string) string { return `"` + strings.ReplaceAll(text, "\n", `\n`) + `"` }

func TestRegistryKinds_Validate(t *testing.T) {
	year := 365 * 24 * time.Hour
	cert, key := keyPair(t, now.Add(-year), now.Add(year))
	old, _ := keyPair(t, now.Add(-2*year), now.Add(-year))
	young, _ := keyPair(t, now.Add(year), now.Add(2*year))
	_, otherKey := keyPair(t, now.Add(-year), now.Add(year))

	checkRules(t, []ruleCase{
		{"mirror", "kind: RegistryMirrorConfig\nname: '*'\nendpoints: [{url: HTTP://a}]\n", nil},
		{"mirror without URL", "kind: RegistryMirrorConfig\nname: a\nendpoints: [{}]\n", []string{"error endpoints[0].url"}},
		{"mirror without host", "kind: RegistryMirrorConfig\nname: a\nendpoints: [{url: 'https://'}]\n", []string{"advice endpoints[0].url"}},
		{"mirror with a bare name", "kind: RegistryMirrorConfig\nname: a\nendpoints: [{url: mirror.test}]\n", []string{"error endpoints[0].url"}},
		{"mirror that leaves nothing", "kind: RegistryMirrorConfig\nname: a\nskipFallback: true\n", []string{"advice skipFallback"}},
		{"registry as URL", "kind: RegistryMirrorConfig\nname: https://a\n", []string{"advice name"}},
		{"auth text with user", "kind: RegistryAuthConfig\nname: a\nauth: x\nusername: u\n", []string{"error auth"}},
		{"auth text alone", "kind: RegistryAuthConfig\nname: a\nauth: x\n", nil},
		{"token alone", "kind: RegistryAuthConfig\nname: a\nidentityToken: x\n", nil},
		{"password alone", "kind: RegistryAuthConfig\nname: a\npassword: x\n", []string{"advice username"}},
		{"nothing", "kind: RegistryAuthConfig\nname: a\n", []string{"advice"}},
		{"CA", "kind: RegistryTLSConfig\nname: a\nca: " + quoted(cert) + "\n", nil},
		{"CA that is a key", "kind: RegistryTLSConfig\nname: a\nca: " + quoted(key) + "\n", []string{"error ca"}},
		{"CA that is over", "kind: RegistryTLSConfig\nname: a\nca: " + quoted(old) + "\n", []string{"advice ca"}},
		{"CA that is not yet", "kind: RegistryTLSConfig\nname: a\nca: " + quoted(young) + "\n", []string{"advice ca"}},
		{"identity", "kind: RegistryTLSConfig\nname: a\nclientIdentity: {cert: " + quoted(cert) + ", key: " + quoted(key) + "}\n", nil},
		{"identity with another key", "kind: RegistryTLSConfig\nname: a\nclientIdentity: {cert: " + quoted(cert) + ", key: " + quoted(otherKey) + "}\n",
			[]string{"advice clientIdentity.key"}},
		{"identity without certificate", "kind: RegistryTLSConfig\nname: a\nclientIdentity: {key: " + quoted(key) + "}\n",
			[]string{"error clientIdentity.cert"}},
		{"roots that are none", "kind: TrustedRootsConfig\nname: a\ncertificates: hello\n", []string{"advice certificates"}},
		{"roots that are over", "kind: TrustedRootsConfig\nname: a\ncertificates: " + quoted(cert+old) + "\n", []string{"advice certificates"}},
	})
}

// Documents that give only some fields are read, checked and written as they are.
func TestBR34_RegistryDocumentsWithOnlySomeFields(t *testing.T) {
	checkRules(t, []ruleCase{
		{"TLS without check only", "kind: RegistryTLSConfig\nname: a\ninsecureSkipVerify: true\n", nil},
		{"user only", "kind: RegistryAuthConfig\nname: a\nusername: u\n", []string{"advice password"}},
	})

	for _, text := range []string{
		"kind: RegistryTLSConfig\nname: a\ninsecureSkipVerify: true\n",
		"kind: RegistryAuthConfig\nname: a\nusername: u\n",
		"kind: RegistryMirrorConfig\nname: a\nskipFallback: false\n",
	} {
		out, err := parse(t, text).Encode()
		if err != nil || string(out) != header+text {
			t.Errorf("got %s, %v; want %s", out, err, header+text)
		}
	}
}

func TestRuntimeKinds_Validate(t *testing.T) {
	checkRules(t, []ruleCase{
		{"environment", "kind: EnvironmentConfig\nvariables: {a-b: x, _A: y, '': z}\n", []string{"error variables", "error variables.a-b"}},
		{"environment empty", "kind: EnvironmentConfig\n", nil},
		{"events", "kind: EventSinkConfig\nendpoint: ':'\n", []string{"advice endpoint"}},
		{"events IPv6", "kind: EventSinkConfig\nendpoint: '[::1]:1'\n", nil},
		{"events without port", "kind: EventSinkConfig\n", []string{"error endpoint"}},
		{"log first only", "kind: KmsgLogConfig\nurl: http://a/b\n", []string{"error name"}},
		{"log without URL", "kind: KmsgLogConfig\nname: a\n", []string{"error url"}},
		{"log without port", "kind: KmsgLogConfig\nname: a\nurl: tcp://h\n", []string{"error url"}},
		{"log with a large port", "kind: KmsgLogConfig\nname: a\nurl: tcp://h:99999\n", []string{"advice url"}},
		{"log without host", "kind: KmsgLogConfig\nname: a\nurl: 'tcp://:99'\n", []string{"advice url"}},
		{"ranking that yields an integer", "kind: OOMConfig\ncgroupRankingExpression: '1'\n", []string{"error cgroupRankingExpression"}},
		{"ranking", "kind: OOMConfig\ncgroupRankingExpression: '{Besteffort: 1.0, Burstable: 0.5}[class] * double(memory_current.orValue(0u))'\n", nil},
		{"trigger with ranking's variable", "kind: OOMConfig\ntriggerExpression: 'class == 1'\n", []string{"error triggerExpression"}},
		{"watchdog", "kind: WatchdogTimerConfig\ndevice: /dev/watchdog0\ntimeout: 10s\n", nil},
		{"watchdog 0", "kind: WatchdogTimerConfig\ndevice: /dev/watchdog0\ntimeout: 0\n", nil},
		{"watchdog without device", "kind: WatchdogTimerConfig\ntimeout: 1ms\n", []string{"error device", "error timeout"}},
		{"watchdog backwards", "kind: WatchdogTimerConfig\ndevice: w\ntimeout: -1h\n", []string{"advice device", "error timeout"}},
		{"file outside", "kind: EtcFileConfig\nname: ../shadow\nmode: 0o7777\n", []string{"error name", "error mode"}},
		{"file absolute", "kind: EtcFileConfig\nname: /etc/a\n", []string{"error name"}},
		{"module path", "kind: KernelModuleConfig\nname: a/b.ko\n", []string{"error name"}},
		{"sysctl", "kind: SysctlConfig\nparams: {../x: '1', net.a: '2'}\n", []string{"error params.../x"}},
		{"udev", "kind: UdevRulesConfig\nrules: [' ']\n", []string{"error rules[0]"}},
		{"install", "kind: UnattendedInstall\n", []string{"error provisioning.diskSelector.match"}},
		{"tunnel", "kind: SideroLinkConfig\napiUrl: grpc://a/x\n", []string{"error apiUrl"}},
		{"tunnel without host", "kind: SideroLinkConfig\napiUrl: 'https:'\n", []string{"advice apiUrl"}},
		{"rebind", "kind: PCIDriverRebindConfig\nname: x\n", []string{"advice name", "advice targetDriver"}},
	})

	refused(t, map[string]string{
		"mode as text":       "kind: EtcFileConfig\nname: a\nmode: '0644'\n",
		"timeout in days":    "kind: WatchdogTimerConfig\ntimeout: 1d\n",
		"timeout empty":      "kind: WatchdogTimerConfig\ntimeout: ''\n",
		"environment number": "kind: EnvironmentConfig\nvariables: [a]\n",
	})
}

func TestExtensionServiceConfig_Validate(t *testing.T) {
	checkRules(t, []ruleCase{
		{"first fault of the files only", "kind: ExtensionServiceConfig\nname: a\nconfigFiles: [{mountPath: /a}, {content: x}]\n",
			[]string{"error configFiles[0].content"}},
		{"no path", "kind: ExtensionServiceConfig\nname: a\nconfigFiles: [{content: x}]\n", []string{"error configFiles[0].mountPath"}},
		{"advice", "kind: ExtensionServiceConfig\nname: a\nconfigFiles: [{content: x, mountPath: /a}, {content: y, mountPath: /a}]\nenvironment: [A]\n",
			[]string{"advice configFiles[1].mountPath", "advice environment[0]"}},
	})
}

func TestImageVerificationConfig_Validate(t *testing.T) {
	policy := func(rules string) string { return "kind: ImageVerificationConfig\nrules: [" + rules + "]\n" }

	checkRules(t, []ruleCase{
		{"empty", "kind: ImageVerificationConfig\n", nil},
		{"skip false decides nothing", policy("{image: a/b, skip: false}"), []string{"error rules[0]"}},
		{"skip false beside a key", policy("{image: a/b, skip: false, publicKey: {certificate: x}}"), nil},
		{"two decisions", policy("{image: a/b, deny: true, keyless: {issuer: i, subject: s}}"), []string{"error rules[0]"}},
		{"key without certificate", policy("{image: a/b, publicKey: {}}"), []string{"error rules[0].publicKey.certificate"}},
		{"identity without name", policy("{image: a/b, keyless: {issuer: i}}"), []string{"error rules[0].keyless.subject"}},
		{"identity by pattern", policy("{image: a/b, keyless: {issuer: i, subjectRegex: '^a'}}"), nil},
		{"bad pattern", policy("{image: a/b, keyless: {issuer: i, subjectRegex: '('}}"), []string{"advice rules[0].keyless.subjectRegex"}},
		{"digest", policy("{image: 'a/b@sha256:0', skip: true}"), []string{"warning rules[0].image"}},
		{"port is no tag", policy("{image: 'a:5000/b', skip: true}"), nil},
		{"star alone", policy("{image: '*', skip: true}"), nil},
		{"rule behind the last", policy("{image: '*', skip: true}, {image: a/b, deny: true}"), []string{"advice rules[1].image"}},
	})
}

func TestClusterAndContainerKinds_Validate(t *testing.T) {
	checkRules(t, []ruleCase{
		{"identity", "kind: DiscoveryIdentityConfig\n", []string{"error clusterID", "error clusterSecret"}},
		{"short secret", "kind: DiscoveryIdentityConfig\nclusterID: a\nclusterSecret: QQ==\n", []string{"advice clusterSecret"}},
		{"service", "kind: DiscoveryServiceConfig\nname: a\nendpoint: tcp://a\n", []string{"error endpoint"}},
		{"container", "kind: ContainerConfig\nname: c\n", []string{"error image"}},
		{"container mounts", "kind: ContainerConfig\nname: c\nimage: i\nmounts: [{}, {tmpfs: {destination: /a}, hostPath: {}}, {hostPath: {source: a, destination: /b}}, {userVolume: {destination: /b}}]\n",
			[]string{"error mounts[0]", "error mounts[1]", "error mounts[2].hostPath.source", "error mounts[3].userVolume.name", "error mounts[3]"}},
		{"container of itself", "kind: ContainerConfig\nname: c\nimage: i\ndependsOn: {containers: [c]}\nenvironment: ['=x', A]\n",
			[]string{"error environment[0]", "error environment[1]", "error dependsOn.containers"}},
		{"CRI part", "kind: CRICustomizationConfig\nname: a/b\n", []string{"error name", "error content"}},
	})

	refused(t, map[string]string{
		"mount option": "kind: ContainerConfig\nname: c\nmounts: [{userVolume: {options: [sync]}}]\n",
		"word":         "kind: ContainerConfig\nname: c\ndependsOn: {networks: {a: b}}\n",
	})
}

func TestKubernetesKinds_Validate(t *testing.T) {
	checkRules(t, []ruleCase{
		{"no image", "kind: KubeSchedulerConfig\n", []string{"error image"}},
		{"image without version", "kind: KubeSchedulerConfig\nimage: registry.k8s.io/kube-scheduler\n", []string{"advice image"}},
		{"image without registry", "kind: KubeSchedulerConfig\nimage: kube-scheduler:v1.36.3\n", []string{"advice image"}},
		{"image with port and digest", "kind: KubeSchedulerConfig\nimage: 'r.test:5000/a@sha256:" + strings.Repeat("0", 64) + "'\n", nil},
		{"flag with dashes", "kind: KubeAPIServerConfig\nimage: a/b:v1\nextraArgs: {--v: 3}\n", []string{"error extraArgs.--v"}},
		{"resources", "kind: KubeAPIServerConfig\nimage: a/b:v1\nresources: {limits: {gpu: 1}}\n", []string{"error resources.limits.gpu"}},
		{"kubelet keys", "kind: KubeletConfig\nimage: a/b:v1\nconfig: {port: 1, maxPods: 2}\nclusterDNS: [a]\n", []string{"error config.port", "error clusterDNS[0]"}},
		{"node", "kind: KubeNodeConfig\nlabels: {a/b/c: x, d: '-'}\nannotations: {'': x}\ntaints: {e: 'x:', f: NoExecute, g: 'a:b:NoExecute'}\nnodeIP: {validSubnets: [x]}\n",
			[]string{"error nodeIP.validSubnets[0]", "error labels.a/b/c", "error labels.d", "error annotations", "error taints.e", "error taints.g"}},
		{"cluster", "kind: KubeClusterConfig\nendpoint: http://a\n", []string{"error clusterName", "error endpoint"}},
		{"overlap", "kind: KubeNetworkConfig\npodSubnets: [10.0.0.0/8]\nserviceSubnets: [10.96.0.0/12]\n", []string{"advice podSubnets[0]"}},
		{"small pod network", "kind: KubeNetworkConfig\npodSubnets: [10.0.0.0/25]\nserviceSubnets: [10.96.0.0/12]\nnodeCIDRMaskSizeIPv4: 24\nnodeCIDRMaskSizeIPv6: 129\n",
			[]string{"error nodeCIDRMaskSizeIPv6", "advice podSubnets[0]"}},
		{"no networks", "kind: KubeNetworkConfig\n", []string{"error podSubnets", "error serviceSubnets"}},
		{"authorizer", "kind: KubeAuthorizerConfig\nname: a\ntype: webhook\n", []string{"error webhook"}},
		{"authorizer without type", "kind: KubeAuthorizerConfig\nname: a\n", []string{"error type"}},
		{"authorizer with webhook", "kind: KubeAuthorizerConfig\nname: a\ntype: RBAC\nwebhook: {a: b}\n", []string{"error webhook"}},
		{"free form", "kind: KubeAuditPolicyConfig\n", []string{"error configuration"}},
		{"static pod", "kind: KubeStaticPodConfig\nname: a\npod: {kind: Deployment}\n", []string{"error pod"}},
		{"roles", "kind: KubeTalosAPIAccessConfig\nallowedRoles: [os:reader, os:root]\n", []string{"error allowedRoles[1]"}},
		{"prism", "kind: KubePrismConfig\n", []string{"error port"}},
		{"authority", "kind: KubeAPIServerCAConfig\n", []string{"error issuingCA"}},
		{"authority unreadable", "kind: KubeAggregatorCAConfig\nissuingCA: {cert: x}\nacceptedCAs: [y]\n", []string{"error issuingCA.cert", "error acceptedCAs[0]"}},
		{"manifest", "kind: KubeExternalManifestConfig\nname: a\nurl: a.yaml\n", []string{"error url"}},
		{"tokens", "kind: KubeServiceAccountConfig\nissuer: {privateKey: x, issuerURL: 'https://a'}\naccepted: {publicKeys: [y], issuers: [z]}\n",
			[]string{"error issuer.privateKey", "error accepted.issuers[0]", "error accepted.publicKeys[0]"}},
	})
}

func TestOwnKinds_Validate(t *testing.T) {
	own := func(text string) string { return "apiVersion: ichor.dev/v1alpha1\n" + text }

	for name, tc := range map[string]struct {
		text string
		want []string
	}{
		"sources":          {"kind: APISourceConfig\nsubnets: [10.0.0.0/8]\n", nil},
		"no sources":       {"kind: APISourceConfig\n", []string{"error subnets"}},
		"all sources":      {"kind: APISourceConfig\nsubnets: [0.0.0.0/0, 10.0.0.1/8, '']\n", []string{"advice subnets[0]", "advice subnets[1]", "error subnets[2]"}},
		"health too short": {"kind: BootHealthConfig\ntimeout: 59s\n", []string{"error timeout"}},
		"no peers":         {"kind: DiscoveryPeersConfig\n", []string{"error peers"}},
		"peers":            {"kind: DiscoveryPeersConfig\npeers: [10.0.0.1, '10.0.0.1:1', 'fd00::1', '[fd00::1]:1', a.b, 'a b', 'a:b']\n", []string{"error peers[5]", "error peers[6]"}},
	} {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, findingsOf(t, own(tc.text))); diff != "" {
				t.Errorf("findings (-want +got):\n%s", diff)
			}
		})
	}

	if _, err := config.Parse([]byte("apiVersion: v1alpha1\nkind: APISourceConfig\nsubnets: [10.0.0.0/8]\n")); err == nil {
		t.Error("own kind is read under the apiVersion of the contract")
	}
}
