package config_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"go.yaml.in/yaml/v3"

	"github.com/ichor-os/ichor/config"
	"github.com/ichor-os/ichor/config/validate"
)

// large is a valid config of 20 documents and about 40 KB.
func large(t testing.TB) []byte {
	t.Helper()

	var b bytes.Buffer

	b.Write(read(t, filepath.Join(vectors, "gen", "c-default", "expected", "controlplane.yaml")))

	for _, kind := range []string{
		"BondConfig", "VLANConfig", "LinkConfig", "NetworkRuleConfig", "KubeSpanConfig", "ResolverConfig", "TimeSyncConfig",
		"VolumeConfig", "UserVolumeConfig", "RegistryMirrorConfig", "OOMConfig", "WireguardConfig", "StaticHostConfig",
	} {
		b.WriteString("---\n")
		b.Write(read(t, filepath.Join(vectors, "decode", "a-"+kind+"-rich", "canon.yaml")))
	}

	rules := 0
	for ; b.Len() < 40<<10 && rules < 5; rules++ {
		fmt.Fprintf(&b, "---\napiVersion: v1alpha1\nkind: NetworkRuleConfig\nname: rule-%d\nportSelector:\n    ports: [%d]\n    protocol: tcp\ningress:\n", rules, 1000+rules)

		for i := range 100 {
			fmt.Fprintf(&b, "    - subnet: 10.%d.%d.0/24\n      except: 10.%d.%d.128/25\n", rules, i, rules, i)
		}
	}

	return b.Bytes()
}

func parseOnly(data []byte) error {
	d := yaml.NewDecoder(bytes.NewReader(data))

	for {
		var n yaml.Node
		if err := d.Decode(&n); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return err
		}
	}
}

func TestLargeConfig_IsWhatBenchmarksSayItIs(t *testing.T) {
	data := large(t)

	c, err := config.Parse(data)
	if err != nil {
		t.Fatal(err)
	}

	if r := c.Validate(config.Metal, validate.Options{}); !r.Valid() {
		t.Fatal(r.Err())
	}

	if n := len(c.Documents()); n < 20 || len(data) < 38<<10 || len(data) > 60<<10 {
		t.Errorf("benchmark config: got %d documents in %d bytes", n, len(data))
	}
}

// ratio reports how long the work takes in units of the YAML library's own parse of the same bytes.
func ratio(b *testing.B, data []byte, work func()) {
	b.Helper()

	yamlTime := time.Duration(0)

	for b.Loop() {
		b.StopTimer()

		start := time.Now()
		if err := parseOnly(data); err != nil {
			b.Fatal(err)
		}

		yamlTime += time.Since(start)

		b.StartTimer()
		work()
	}

	b.ReportMetric(float64(b.Elapsed())/float64(yamlTime), "x-yaml")
}

func BenchmarkDecodeAndValidate(b *testing.B) {
	data := large(b)

	ratio(b, data, func() {
		c, err := config.Parse(data)
		if err != nil {
			b.Fatal(err)
		}

		if r := c.Validate(config.Metal, validate.Options{}); !r.Valid() {
			b.Fatal(r.Err())
		}
	})
}

func BenchmarkDecode(b *testing.B) {
	data := large(b)

	ratio(b, data, func() {
		if _, err := config.Parse(data); err != nil {
			b.Fatal(err)
		}
	})
}

func BenchmarkMerge(b *testing.B) {
	data := large(b)

	p, err := config.ParsePatch([]byte(strings.Join([]string{
		"machine: {nodeLabels: {zone: a}, certSANs: [a.example]}",
		"apiVersion: v1alpha1\nkind: NetworkRuleConfig\nname: rule-1\nportSelector: {ports: [7]}",
	}, "\n---\n")), "patch")
	if err != nil {
		b.Fatal(err)
	}

	ratio(b, data, func() {
		c, err := config.Parse(data)
		if err != nil {
			b.Fatal(err)
		}

		if _, err := c.Apply(p); err != nil {
			b.Fatal(err)
		}
	})
}

func BenchmarkEncode(b *testing.B) {
	data := large(b)

	c, err := config.Parse(data)
	if err != nil {
		b.Fatal(err)
	}

	ratio(b, data, func() {
		if _, err := c.Encode(); err != nil {
			b.Fatal(err)
		}
	})
}
