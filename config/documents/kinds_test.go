package documents_test

import (
	"os"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/ichor-os/ichor/config"
	"github.com/ichor-os/ichor/config/document"
	"github.com/ichor-os/ichor/config/documents"
	"github.com/ichor-os/ichor/config/scalar"
)

// now lies in the lifetime of the certificates in the examples.
var now = time.Date(2027, 1, 1, 0, 0, 0, 0, time.UTC)

// others are all kinds but the main document.
func others() []*document.Kind {
	return slices.DeleteFunc(slices.Clone(documents.Kinds()), (*document.Kind).IsMain)
}

func TestKinds_AreListedOnceAndDescribed(t *testing.T) {
	seen := map[string]bool{}

	for _, k := range documents.Kinds() {
		if seen[k.APIVersion+k.Kind] {
			t.Errorf("%s: listed twice", k)
		}

		seen[k.APIVersion+k.Kind] = true

		if k.New().Kind() != k {
			t.Errorf("%s: New makes another kind", k)
		}

		if k.Doc == "" || k.Example == "" || k.Since == "" {
			t.Errorf("%s: doc, example or since is missing", k)
		}

		named := document.SchemaOf(k.New()).Field("name") != nil
		if named != k.Named && !k.IsMain() {
			t.Errorf("%s: Named is %v, but the key name says %v", k, k.Named, named)
		}
	}
}

func TestKinds_ConflictBothWays(t *testing.T) {
	for _, k := range documents.Kinds() {
		for _, other := range k.ConflictsWith {
			o := documents.Lookup(k.APIVersion, other)
			if o == nil || !slices.Contains(o.ConflictsWith, k.Kind) || o == k {
				t.Errorf("%s conflicts with %s, which does not know", k, other)
			}
		}
	}
}

func TestKinds_KnowAllThatTheContractNames(t *testing.T) {
	for _, kind := range strings.Fields(`BlackholeRouteConfig BondConfig BridgeConfig DHCPv4Config DHCPv6Config DummyLinkConfig
		EnvironmentConfig EthernetConfig EventSinkConfig ExistingVolumeConfig ExtensionServiceConfig ExternalVolumeConfig
		HCloudVIPConfig HostnameConfig ImageVerificationConfig KmsgLogConfig KubeSpanConfig KubeSpanEndpointsConfig Layer2VIPConfig
		LinkAliasConfig LinkConfig NetworkDefaultActionConfig NetworkRuleConfig OOMConfig PCIDriverRebindConfig RawVolumeConfig
		RegistryAuthConfig RegistryMirrorConfig RegistryTLSConfig ResolverConfig RoutingRuleConfig SideroLinkConfig StaticHostConfig
		SwapVolumeConfig TCPProbeConfig TimeSyncConfig TrustedRootsConfig UserVolumeConfig VLANConfig VRFConfig VolumeConfig
		WatchdogTimerConfig WireguardConfig ZswapConfig`) {
		if k := documents.Lookup(document.V1Alpha1, kind); k == nil || k.Since != "1.13" {
			t.Errorf("kind is missing: %s", kind)
		}
	}
}

func TestExamples_ValidateWithoutAnyFinding(t *testing.T) {
	for _, k := range others() {
		t.Run(k.Kind, func(t *testing.T) {
			c, err := config.Parse([]byte(k.Example))
			if err != nil {
				t.Fatal(err)
			}

			if docs := c.Documents(); len(docs) != 1 || docs[0].Kind() != k {
				t.Fatalf("example holds other documents: %v", docs)
			}

			v := document.NewValidation(document.Metal, now)
			c.Documents()[0].Validate(v)

			for _, f := range v.Findings() {
				t.Errorf("%s: %s", f.Severity, f)
			}
		})
	}
}

func TestExamples_StayTheSameWhenWrittenAndReadAgain(t *testing.T) {
	for _, k := range others() {
		t.Run(k.Kind, func(t *testing.T) {
			once := reencode(t, []byte(k.Example))
			if diff := cmp.Diff(string(once), string(reencode(t, once))); diff != "" {
				t.Errorf("second writing differs:\n%s", diff)
			}
		})
	}
}

func reencode(t *testing.T, data []byte) []byte {
	t.Helper()

	c, err := config.Parse(data)
	if err != nil {
		t.Fatal(err)
	}

	out, err := c.Encode()
	if err != nil {
		t.Fatal(err)
	}

	return out
}

func TestKinds_EmptyDocumentNeverPanicsInValidation(t *testing.T) {
	for _, k := range others() {
		k.New().Validate(document.NewValidation(document.Metal, now))
	}
}

// eachField calls do for every key of a kind, with its path.
func eachField(t *document.Type, path string, above *document.Field, do func(path string, f *document.Field)) {
	for _, f := range t.Fields {
		below := document.Join(path, f.Key)
		full := f.Below(above)

		do(below, full)

		inner := f.Type
		for inner.Elem != nil {
			inner = inner.Elem
		}

		if inner.Shape == document.SectionShape {
			eachField(inner, below, full, do)
		}
	}
}

func TestFields_SayWhatTheyMean(t *testing.T) {
	for _, k := range others() {
		eachField(document.SchemaOf(k.New()), k.Kind, nil, func(path string, f *document.Field) {
			if f.Doc == "" || !strings.HasSuffix(f.Doc, ".") {
				t.Errorf("%s: doc is no sentence: %q", path, f.Doc)
			}
		})
	}
}

var secretKeys = regexp.MustCompile(`(?i)(privateKey|presharedKey|passphrase|password|token|secret|\.key|\.auth)$`)

func TestFields_MarkSecrets(t *testing.T) {
	for _, k := range others() {
		eachField(document.SchemaOf(k.New()), k.Kind, nil, func(path string, f *document.Field) {
			if secretKeys.MatchString(path) && f.Type.Shape != document.SectionShape && !f.Secret {
				t.Errorf("%s: holds a secret, but is not marked", path)
			}
		})
	}
}

// Words that a type reads must be those that the documentation lists, but for
// words that reading accepts and validation refuses.
func TestFields_ListTheWordsOfTheirType(t *testing.T) {
	refused := map[string][]string{
		"HostnameConfig.auto":                  {"talos-addr"},
		"RoutingRuleConfig.action":             {"unspec"},
		"UserVolumeConfig.volumeType":          {"tmpfs", "symlink", "overlay", "external"},
		"UserVolumeConfig.filesystem.type":     {"none", "vfat", "iso9660", "swap", "virtiofs", "btrfs"},
		"ExternalVolumeConfig.filesystemType":  {"none", "xfs", "vfat", "ext4", "iso9660", "swap", "btrfs"},
		"UserVolumeConfig.encryption.provider": {"none"},
		"RawVolumeConfig.encryption.provider":  {"none"},
		"SwapVolumeConfig.encryption.provider": {"none"},
		"VolumeConfig.encryption.provider":     {"none"},
	}

	for _, k := range others() {
		eachField(document.SchemaOf(k.New()), k.Kind, nil, func(path string, f *document.Field) {
			inner := f.Type
			for inner.Elem != nil {
				inner = inner.Elem
			}

			words, ok := reflect.Zero(inner.Go).Interface().(interface{ AllWords() []string })
			if !ok {
				return
			}

			want := slices.Concat(f.Enum, refused[path])
			got := words.AllWords()

			slices.Sort(want)
			slices.Sort(got)

			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("%s: words (-documented +read):\n%s", path, diff)
			}
		})
	}
}

var _ interface{ AllWords() []string } = scalar.Enum[words]("")

type words struct{}

func (words) Words() []string { return nil }

// notInContract lists kinds whose keys no published list has.
var notInContract = map[string]bool{"ImageVerificationConfig": true}

func TestFields_AreThoseOfTheContractInItsOrder(t *testing.T) {
	data, err := os.ReadFile("testdata/keys.txt")
	if err != nil {
		t.Fatal(err)
	}

	want, since := map[string][]string{}, map[string]string{}

	for line := range strings.Lines(string(data)) {
		if strings.HasPrefix(line, "#") {
			continue
		}

		words := strings.Fields(line)
		since[words[1]] = words[0]
		want[words[1]] = append(want[words[1]], words[2])
	}

	for _, k := range others() {
		if notInContract[k.Kind] || k.APIVersion == document.IchorV1Alpha1 {
			continue
		}

		if k.Since != since[k.Kind] {
			t.Errorf("%s: since %s, want %s", k, k.Since, since[k.Kind])
		}

		var got []string

		eachField(document.SchemaOf(k.New()), "", nil, func(path string, _ *document.Field) {
			free := strings.HasPrefix(k.Kind, "Kube") && strings.HasPrefix(path, "resources.") // a free mapping in the list
			if !free {
				got = append(got, path)
			}
		})

		if diff := cmp.Diff(want[k.Kind], got); diff != "" {
			t.Errorf("%s: keys (-contract +got):\n%s", k, diff)
		}
	}

	for kind := range want {
		if documents.Lookup(document.V1Alpha1, kind) == nil {
			t.Errorf("kind is missing: %s", kind)
		}
	}
}
