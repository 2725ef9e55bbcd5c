package migrate_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/ichor-os/ichor/config/decode"
	"github.com/ichor-os/ichor/config/diff"
	"github.com/ichor-os/ichor/config/document"
	"github.com/ichor-os/ichor/config/documents"
	"github.com/ichor-os/ichor/config/encode"
	"github.com/ichor-os/ichor/config/migrate"
	"github.com/ichor-os/ichor/config/validate"
)

func parse(text []byte) ([]document.Document, error) {
	parsed, err := decode.Decode(text, decode.Options{Lookup: documents.Lookup})
	if err != nil {
		return nil, err
	}

	var docs []document.Document
	for _, p := range parsed {
		docs = append(docs, p.Document)
	}

	return docs, nil
}

func encoded(t *testing.T, docs []document.Document) string {
	t.Helper()

	text, err := encode.Encode(docs...)
	if err != nil {
		t.Fatal(err)
	}

	return string(text)
}

func valid(t *testing.T, docs []document.Document) bool {
	t.Helper()

	parsed := make([]decode.Parsed, len(docs))
	for i, d := range docs {
		parsed[i].Document = d
	}

	return validate.Run(parsed, document.Metal, validate.Options{Now: time.Date(2027, 1, 1, 0, 0, 0, 0, time.UTC)}).Valid()
}

func TestTo_ThereAndBackLosesNothing(t *testing.T) {
	paths, err := filepath.Glob("../../test/vectors/decode/*/input.yaml")
	if err != nil || len(paths) == 0 {
		t.Fatalf("no vectors: %v", err)
	}

	for _, path := range paths {
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}

		docs, err := parse(data)
		if err != nil || !valid(t, docs) {
			continue
		}

		name := filepath.Base(filepath.Dir(path))

		for _, minor := range []int{10, 11, 12, 13, 14} {
			there := migrate.To(docs, minor)
			if len(there.Different) > 0 {
				t.Errorf("%s: to 1.%d: lost: %+v", name, minor, there.Different)
			}

			text := encoded(t, there.Documents)

			again, err := parse([]byte(text))
			if err != nil {
				t.Errorf("%s: to 1.%d: result does not decode: %v\n%s", name, minor, err, text)

				continue
			}

			if !valid(t, again) {
				t.Errorf("%s: to 1.%d: result is not valid:\n%s", name, minor, text)
			}

			// from the newest and the oldest form, every way leads to the same result
			if second := migrate.To(migrate.To(docs, 14).Documents, minor); len(there.Lost)+len(there.Kept)+len(second.Kept)+len(second.Lost) == 0 {
				if changes := diff.Documents(sorted(there.Documents), sorted(second.Documents)); len(changes) > 0 {
					t.Errorf("%s: to 1.%d by 1.14: %+v", name, minor, changes)
				}
			}
		}
	}
}

func sorted(docs []document.Document) []document.Document {
	docs = slices.Clone(docs)
	slices.SortFunc(docs, func(a, b document.Document) int { return strings.Compare(document.Title(a), document.Title(b)) })

	return docs
}

const old = `machine:
    type: worker
    network:
        hostname: rack4-n2
        nameservers:
            - 10.0.0.53
        searchDomains:
            - v.test
        kubespan:
            enabled: true
            mtu: 1400
        extraHostEntries:
            - ip: 10.0.0.77
              aliases:
                - cache
    time:
        servers:
            - time.v.test
    env:
        http_proxy: http://proxy.v.test
    registries:
        mirrors:
            docker.io:
                endpoints:
                    - https://m.v.test
                overridePath: true
        config:
            m.v.test:
                auth:
                    username: u
                    password: p
    systemDiskEncryption:
        ephemeral:
            provider: luks2
            keys:
                - slot: 0
                  nodeID: {}
`

func TestTo_MovesEveryOldKeyToItsDocument(t *testing.T) {
	docs, err := parse([]byte(old))
	if err != nil {
		t.Fatal(err)
	}

	before := encoded(t, docs)
	r := migrate.To(docs, 13)

	if after := encoded(t, docs); after != before {
		t.Error("the documents given were changed")
	}

	var titles []string
	for _, d := range r.Documents {
		titles = append(titles, document.Title(d))
	}

	want := []string{
		"v1alpha1.Config", "HostnameConfig", "ResolverConfig", "StaticHostConfig/10.0.0.77", "TimeSyncConfig", "KubeSpanConfig",
		"RegistryMirrorConfig/docker.io", "RegistryAuthConfig/m.v.test", "EnvironmentConfig", "VolumeConfig/EPHEMERAL",
	}
	if d := cmp.Diff(want, titles); d != "" {
		t.Errorf("documents (-want +got):\n%s", d)
	}

	if text := encoded(t, r.Documents[:1]); text != "version: \"\"\nmachine:\n    type: worker\n    token: \"\"\n    certSANs: []\ncluster: null\n" {
		t.Errorf("something is left in the main document:\n%s", text)
	}

	back := migrate.To(r.Documents, 10)
	if d := cmp.Diff(before, encoded(t, back.Documents)); d != "" {
		t.Errorf("way back (-want +got):\n%s", d)
	}
}

func TestTo_SaysWhatHasNoOlderForm(t *testing.T) {
	docs, err := parse([]byte("machine: {type: worker}\n---\napiVersion: v1alpha1\nkind: RegistryMirrorConfig\nname: a\nendpoints: [{url: http://a.test, overridePath: true}, {url: http://b.test}]\n---\napiVersion: v1alpha1\nkind: HostnameConfig\nauto: off\n"))
	if err != nil {
		t.Fatal(err)
	}

	r := migrate.To(docs, 10)
	if len(r.Lost) != 2 || len(r.Documents) != 3 {
		t.Errorf("got %+v", r)
	}
}

func TestParseVersion(t *testing.T) {
	for text, want := range map[string]int{"1.13": 13, "v1.12": 12, "v1.10.3": 10} {
		if got, err := migrate.ParseVersion(text); err != nil || got != want {
			t.Errorf("%s: got %d, %v", text, got, err)
		}
	}

	for _, text := range []string{"", "latest", "2.0", "1", "1.x"} {
		if _, err := migrate.ParseVersion(text); err == nil {
			t.Errorf("%q: got no error", text)
		}
	}
}
