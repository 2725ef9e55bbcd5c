package scalar_test

import (
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"github.com/ichor-os/ichor/config/document"
	"github.com/ichor-os/ichor/config/scalar"
)

type fruits struct{}

func (fruits) Words() []string { return []string{"apple", "Do53", "802.3ad", "on", "none"} }
func (fruits) Absent() string  { return "none" }

type verdicts struct{}

func (verdicts) Words() []string { return []string{"accept", "block"} }
func (verdicts) Default() string { return "accept" }

// value is what every scalar type offers.
type value interface {
	document.Encoder
	document.Zeroer
}

// read decodes YAML source with the type T.
func read[T value, P interface {
	*T
	document.Decoder
}](source string) (value, error) {
	var (
		node yaml.Node
		out  T
	)

	if err := yaml.Unmarshal([]byte(source), &node); err != nil {
		return nil, err
	}

	err := P(&out).DecodeYAML(node.Content[0])

	return out, err
}

var readers = map[string]func(string) (value, error){
	"address":  read[scalar.Address],
	"prefix":   read[scalar.Prefix],
	"addrport": read[scalar.AddrPort],
	"hardware": read[scalar.HardwareAddr],
	"size":     read[scalar.Size],
	"share":    read[scalar.SizeOrPercent],
	"ports":    read[scalar.PortRange],
	"table":    read[scalar.RoutingTable],
	"fruit":    read[scalar.Enum[fruits]],
	"verdict":  read[scalar.Enum[verdicts]],
}

func TestDecodeYAML_AcceptsAndWritesCanonicalForm(t *testing.T) {
	for _, tc := range []struct{ kind, source, want string }{
		{"address", `2001:DB8:0:0::53`, `2001:db8::53`},
		{"address", `fe80::1%eth0`, `fe80::1%eth0`},
		{"address", `"10.0.0.1"`, `10.0.0.1`},
		{"address", `""`, `""`},
		{"prefix", `10.0.0.77/8`, `10.0.0.77/8`},
		{"prefix", `2001:DB8::/032`, `!`},
		{"prefix", `FD00::/8`, `fd00::/8`},
		{"prefix", `""`, `""`},
		{"addrport", `192.0.2.8:51820`, `192.0.2.8:51820`},
		{"addrport", `"[2001:DB8::9]:0"`, `'[2001:db8::9]:0'`},
		{"addrport", `""`, `""`},
		{"hardware", `02:00:5E:10:00:07`, `02:00:5e:10:00:07`},
		{"hardware", `02005e100007`, `02:00:5e:10:00:07`},
		{"hardware", `"02:09:09:09:09:09"`, `"02:09:09:09:09:09"`},
		{"hardware", `112233445566`, `11:22:33:44:55:66`},
		{"hardware", `02:aa`, `02:aa`},
		{"size", `1.5 gib`, `1.5 gib`},
		{"size", `"1,000MB"`, `1,000MB`},
		{"size", `100B`, `100B`},
		{"size", `4096`, `"4096"`},
		{"size", `-5GiB`, `-5GiB`},
		{"size", `""`, `""`},
		{"share", `75%`, `75%`},
		{"share", `12.5%`, `12.5%`},
		{"share", `-10%`, `-10%`},
		{"share", `0%`, `0%`},
		{"share", `100%`, `100%`},
		{"share", `8GB`, `8GB`},
		{"ports", `22`, `22`},
		{"ports", `0x16`, `22`},
		{"ports", `2379-2380`, `2379-2380`},
		{"ports", `80-80`, `80`},
		{"ports", `0-65535`, `0-65535`},
		{"ports", `9-3`, `9-3`},
		{"table", `88`, `"88"`},
		{"table", `"252"`, `"252"`},
		{"table", `MAIN`, `main`},
		{"table", `unspec`, `unspec`},
		{"fruit", `APPLE`, `apple`},
		{"fruit", `do53`, `Do53`},
		{"fruit", `802.3AD`, `802.3ad`},
		{"fruit", `on`, `"on"`},
		{"fruit", `none`, `""`},
		{"verdict", `Block`, `block`},
		{"verdict", `accept`, `accept`},
	} {
		t.Run(tc.kind+" "+tc.source, func(t *testing.T) {
			if tc.want == "!" {
				if got, err := readers[tc.kind](tc.source); err == nil {
					t.Fatalf("accepted as %v", got)
				}

				return
			}

			got, err := readers[tc.kind](tc.source)
			if err != nil {
				t.Fatal(err)
			}

			if text := render(t, got); text != tc.want {
				t.Fatalf("written as %s, want %s", text, tc.want)
			}
		})
	}
}

func TestDecodeYAML_Refuses(t *testing.T) {
	for kind, sources := range map[string][]string{
		"address":  {"010.0.0.1", "10.0.0.1/8", "dns.test", "10.0.0", "10", "true", "[10.0.0.1]", "{a: b}"},
		"prefix":   {"10.0.0.0", "10.0.0.0/33", "10.0.0.0/-1", "10.0.0.0/ 8", "fe80::1%eth0/64", "/8", "010.0.0.0/8"},
		"addrport": {"192.0.2.8", "dns.test:1", "2001:db8::9:51820", "192.0.2.8:65536", ":51820"},
		"hardware": {"02-AA-00-00-00-04", "02aa.0000.0004", "02:a", "zz", `":"`, "0x02"},
		"size":     {"10 apples", "1e3", "GB", "1.5.5GB", "--5GB", "+5GB", `" 1GB"`, "75%", "1PPB", "99999999999999999999", "."},
		"share":    {"101%", "-101%", "%", "1e1%", "NaN%", "Inf%", "--1%", "1_0%", "+1%", "0x1p-2%", `"5 %"`},
		"ports":    {`"53"`, `"1 - 2"`, "65536", "-1", "1-65536", "a-b", "1-2-3", "-5-10", "1.5", "true"},
		"table":    {"0", "253", "254", "255", "256", "0x7", "007", "+7", "''", "-1", "1.0"},
		"fruit":    {"0", "1", "''", "apples", "true", "[apple]"},
	} {
		for _, source := range sources {
			t.Run(kind+" "+source, func(t *testing.T) {
				if got, err := readers[kind](source); err == nil {
					t.Fatalf("accepted as %v", got)
				}
			})
		}
	}
}

func TestIsZero_TellsAbsentFromGiven(t *testing.T) {
	for _, tc := range []struct {
		kind, source string
		want         bool
	}{
		{"address", `""`, true},
		{"address", `0.0.0.0`, false},
		{"prefix", `""`, true},
		{"prefix", `0.0.0.0/0`, false},
		{"size", `""`, true},
		{"size", `0`, false},
		{"share", `0%`, false},
		{"table", `unspec`, true},
		{"fruit", `none`, true},
		{"verdict", `accept`, false},
	} {
		got, err := readers[tc.kind](tc.source)
		if err != nil {
			t.Fatal(err)
		}

		if got.IsZero() != tc.want {
			t.Errorf("%s %s: IsZero is %v, want %v", tc.kind, tc.source, got.IsZero(), tc.want)
		}
	}
}

func TestEnum_WritesItsDefaultWhenNothingWasGiven(t *testing.T) {
	if got := scalar.Enum[verdicts]("").String(); got != "accept" {
		t.Errorf("got %q, want accept", got)
	}

	if got := scalar.Enum[fruits]("").String(); got != "" {
		t.Errorf("got %q, want empty text", got)
	}
}

func TestParseBytes(t *testing.T) {
	for text, want := range map[string]uint64{
		"0": 0, "100B": 100, "1k": 1000, "1kB": 1000, "1KiB": 1024, "1ki": 1024, "1.5 gib": 1610612736,
		"1,000MB": 1e9, "2TB": 2e12, "1TiB": 1 << 40, "1PiB": 1 << 50, "1EiB": 1 << 60, "18446744073709551615": 1<<64 - 1,
	} {
		got, err := scalar.ParseBytes(text)
		if err != nil || got != want {
			t.Errorf("%q: got %d, %v; want %d", text, got, err, want)
		}
	}
}

func TestPortRange_Overlaps(t *testing.T) {
	for _, tc := range []struct {
		a, b scalar.PortRange
		want bool
	}{
		{scalar.PortRange{Low: 80, High: 90}, scalar.PortRange{Low: 85, High: 85}, true},
		{scalar.PortRange{Low: 80, High: 90}, scalar.PortRange{Low: 91, High: 95}, false},
		{scalar.PortRange{Low: 1, High: 1}, scalar.PortRange{Low: 1, High: 1}, true},
	} {
		if got := tc.a.Overlaps(tc.b); got != tc.want {
			t.Errorf("%v and %v: %v, want %v", tc.a, tc.b, got, tc.want)
		}
	}
}

func TestFileMode(t *testing.T) {
	for source, want := range map[string]string{"0o644": "0o644", "0644": "0o644", "420": "0o644", "0x1ff": "0o777", "0": "0o0"} {
		var (
			node yaml.Node
			mode scalar.FileMode
		)

		if err := yaml.Unmarshal([]byte(source), &node); err != nil {
			t.Fatal(err)
		}

		if err := mode.DecodeYAML(node.Content[0]); err != nil || mode.String() != want {
			t.Errorf("%s: got %s, %v; want %s", source, mode, err, want)
		}
	}

	for _, source := range []string{`"0644"`, "-1", "rw-r--r--", "1.5", "true"} {
		var (
			node yaml.Node
			mode scalar.FileMode
		)

		if err := yaml.Unmarshal([]byte(source), &node); err != nil {
			t.Fatal(err)
		}

		if err := mode.DecodeYAML(node.Content[0]); err == nil {
			t.Errorf("%s: accepted as %s", source, mode)
		}
	}
}

func TestCheckSubnetFilter(t *testing.T) {
	for _, text := range []string{"10.0.0.0/8", "!10.0.0.1/32", "10.0.0.1", "!fd00::/8", "::1"} {
		if err := scalar.CheckSubnetFilter(text); err != nil {
			t.Errorf("%q: %v", text, err)
		}
	}

	for _, text := range []string{"", "!", "!!10.0.0.1", "10.0.0.0/33", "eth0"} {
		if err := scalar.CheckSubnetFilter(text); err == nil {
			t.Errorf("%q: accepted", text)
		}
	}
}

// render writes a value as YAML text.
func render(t *testing.T, v value) string {
	t.Helper()

	out, err := yaml.Marshal(v.EncodeYAML())
	if err != nil {
		t.Fatal(err)
	}

	return strings.TrimSuffix(string(out), "\n")
}

// FuzzDecodeYAML checks that whatever a type reads, it writes in a form that it
// reads again as the same text.
func FuzzDecodeYAML(f *testing.F) {
	for _, seed := range []string{
		"10.0.0.1", "fe80::1%eth0", "10.0.0.77/8", "[::1]:80", "02:aa", "1.5 gib", "-5GiB", "75%", "2379-2380",
		"0x16", "main", "252", "802.3AD", "''", "1,000MB", "-0", "1_0", "~",
	} {
		f.Add(seed)
	}

	f.Fuzz(func(t *testing.T, source string) {
		var node yaml.Node
		if yaml.Unmarshal([]byte(source), &node) != nil || len(node.Content) == 0 || node.Content[0].Kind != yaml.ScalarNode {
			t.Skip()
		}

		for kind, read := range readers {
			first, err := read(source)
			if err != nil {
				continue
			}

			once := render(t, first)
			if kind == "fruit" && first.IsZero() {
				continue
			}

			again, err := read(once)
			if err != nil {
				t.Fatalf("%s: %q was written as %q, which is refused: %v", kind, source, once, err)
			}

			if twice := render(t, again); twice != once {
				t.Fatalf("%s: %q was written as %q, then as %q", kind, source, once, twice)
			}
		}
	})
}
