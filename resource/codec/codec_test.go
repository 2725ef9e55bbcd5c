package codec_test

import (
	"net/netip"
	"net/url"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/testing/protocmp"
	"google.golang.org/protobuf/types/known/durationpb"
	"google.golang.org/protobuf/types/known/structpb"
	"google.golang.org/protobuf/types/known/timestamppb"

	commonpb "github.com/ichor-os/ichor/api/common"
	clusterpb "github.com/ichor-os/ichor/api/resource/definitions/cluster"
	enumspb "github.com/ichor-os/ichor/api/resource/definitions/enums"
	k8spb "github.com/ichor-os/ichor/api/resource/definitions/k8s"
	kubespanpb "github.com/ichor-os/ichor/api/resource/definitions/kubespan"
	networkpb "github.com/ichor-os/ichor/api/resource/definitions/network"
	secretspb "github.com/ichor-os/ichor/api/resource/definitions/secrets"
	timepb "github.com/ichor-os/ichor/api/resource/definitions/time"
	"github.com/ichor-os/ichor/resource/codec"
)

type machineType int

func (m machineType) MarshalText() ([]byte, error) {
	return []byte([]string{"unknown", "init", "controlplane", "worker"}[m]), nil
}

func (m *machineType) UnmarshalText(b []byte) error {
	for i, s := range []string{"unknown", "init", "controlplane", "worker"} {
		if s == string(b) {
			*m = machineType(i)
		}
	}
	return nil
}

// phase is text in Go and a number on the wire.
type phase string

func (p phase) ProtoEnum() int32 { return map[phase]int32{"up": 1, "down": 2}[p] }

func (p *phase) SetProtoEnum(n int32) error { *p = []phase{"", "up", "down"}[n]; return nil }

type controlPlane struct {
	Port int `yaml:"port" protobuf:"1"`
}

type kubeSpan struct {
	PublicKey string           `yaml:"publicKey" protobuf:"1"`
	Address   netip.Addr       `yaml:"address" protobuf:"2"`
	More      []netip.Prefix   `yaml:"additionalAddresses" protobuf:"3"`
	Endpoints []netip.AddrPort `yaml:"endpoints" protobuf:"4"`
}

type affiliate struct {
	NodeID       string        `yaml:"nodeId" protobuf:"1"`
	Addresses    []netip.Addr  `yaml:"addresses" protobuf:"2"`
	Hostname     string        `yaml:"hostname" protobuf:"3"`
	MachineType  machineType   `yaml:"machineType" protobuf:"6"`
	KubeSpan     kubeSpan      `yaml:"kubespan,omitempty" protobuf:"7"`
	ControlPlane *controlPlane `yaml:"controlPlane,omitempty" protobuf:"8"`
}

type adjtime struct {
	Offset   time.Duration `yaml:"offset" protobuf:"1"`
	Ratio    float64       `yaml:"ratio" protobuf:"2"`
	Status   string        `yaml:"status" protobuf:"5"`
	Constant int           `yaml:"constant" protobuf:"6"`
	Sync     bool          `yaml:"syncStatus" protobuf:"7"`
}

type peer struct {
	Endpoint netip.AddrPort `yaml:"endpoint" protobuf:"1"`
	State    phase          `yaml:"state" protobuf:"3"`
	Receive  int64          `yaml:"receiveBytes" protobuf:"4"`
	Shake    time.Time      `yaml:"lastHandshakeTime" protobuf:"6"`
}

type argValues struct {
	Values []string `yaml:"values" protobuf:"1"`
}

type apiServer struct {
	Args map[string]argValues `yaml:"extraArgs" protobuf:"13"`
	Env  map[string]string    `yaml:"environmentVariables" protobuf:"9"`
}

type pod struct {
	Pod map[string]any `yaml:"pod" protobuf:"1"`
}

type pem struct {
	Crt []byte `yaml:"crt" protobuf:"1"`
	Key []byte `yaml:"key" protobuf:"2"`
}

type root struct {
	Endpoint *url.URL `yaml:"endpoint" protobuf:"2"`
	CA       *pem     `yaml:"ca" protobuf:"7"`
}

type ethernet struct {
	Rings    rings           `yaml:"rings,omitempty" protobuf:"1"`
	Features map[string]bool `yaml:"features,omitempty" protobuf:"2"`
	Wake     []wake          `yaml:"wakeOnLan,omitempty" protobuf:"4"`
}

type rings struct {
	RX   *uint32 `yaml:"rx,omitempty" protobuf:"1"`
	Push *bool   `yaml:"tx-push,omitempty" protobuf:"7"`
}

type wake uint8

type link struct {
	Hardware []byte `yaml:"hw" protobuf:"5"`
	MTU      uint16 `yaml:"mtu" protobuf:"7"`
	Speed    int    `yaml:"speed" protobuf:"23"`
	Embedded `yaml:",inline"`
}

// Embedded shares its fields with the message around it.
type Embedded struct {
	Kind string `yaml:"kind" protobuf:"11"`
}

// check compares one value with what the contract's own message makes of it.
func check[T any](t *testing.T, name string, v T, want proto.Message) {
	t.Helper()
	t.Run(name, func(t *testing.T) {
		c, err := codec.New[T]()
		if err != nil {
			t.Fatal(err)
		}
		b, err := c.Proto(&v)
		if err != nil {
			t.Fatal(err)
		}
		got := want.ProtoReflect().New().Interface()
		if err := proto.Unmarshal(b, got); err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(want, got, protocmp.Transform()); d != "" {
			t.Errorf("message (-want +got):\n%s", d)
		}
		b, err = proto.Marshal(want)
		if err != nil {
			t.Fatal(err)
		}
		back, err := c.FromProto(b)
		if err != nil {
			t.Fatal(err)
		}
		if !c.Equal(back, &v) {
			t.Errorf("from protobuf: got %+v, want %+v", *back, v)
		}
		text, err := c.YAML(&v)
		if err != nil {
			t.Fatal(err)
		}
		if back, err = c.FromYAML(text); err != nil {
			t.Fatal(err)
		}
		if name != "url" && !c.Equal(back, &v) {
			t.Errorf("from yaml: got %+v, want %+v\n%s", *back, v, text)
		}
		clone := c.Clone(&v)
		if !c.Equal(clone, &v) || !reflect.DeepEqual(*clone, v) {
			t.Errorf("clone: got %+v, want %+v", *clone, v)
		}
	})
}

func ip(s string) *commonpb.NetIP {
	b, _ := netip.MustParseAddr(s).MarshalBinary()
	return &commonpb.NetIP{Ip: b}
}

func prefix(s string) *commonpb.NetIPPrefix {
	p := netip.MustParsePrefix(s)
	return &commonpb.NetIPPrefix{Ip: ip(p.Addr().String()).Ip, PrefixLength: int32(p.Bits())}
}

func addrPort(s string) *commonpb.NetIPPort {
	p := netip.MustParseAddrPort(s)
	return &commonpb.NetIPPort{Ip: ip(p.Addr().String()).Ip, Port: int32(p.Port())}
}

func TestCodec_AgreesWithTheMessagesOfTheContract(t *testing.T) {
	check(t, "addresses, enum, nested", affiliate{
		NodeID: "n", Hostname: "h", MachineType: 2,
		Addresses: []netip.Addr{netip.MustParseAddr("10.0.0.1"), netip.MustParseAddr("fe80::1%eth0")},
		KubeSpan: kubeSpan{
			PublicKey: "k", Address: netip.MustParseAddr("fd00::1"),
			More:      []netip.Prefix{netip.MustParsePrefix("10.1.0.0/16"), netip.MustParsePrefix("::/0")},
			Endpoints: []netip.AddrPort{netip.MustParseAddrPort("[2001:db8::1]:51820")},
		},
		ControlPlane: &controlPlane{},
	}, &clusterpb.AffiliateSpec{
		NodeId: "n", Hostname: "h", MachineType: enumspb.MachineType_TYPE_CONTROL_PLANE,
		Addresses: []*commonpb.NetIP{ip("10.0.0.1"), ip("fe80::1%eth0")},
		KubeSpan: &clusterpb.KubeSpanAffiliateSpec{
			PublicKey: "k", Address: ip("fd00::1"),
			AdditionalAddresses: []*commonpb.NetIPPrefix{prefix("10.1.0.0/16"), prefix("::/0")},
			Endpoints:           []*commonpb.NetIPPort{addrPort("[2001:db8::1]:51820")},
		},
		ControlPlane: &clusterpb.ControlPlane{},
	})
	check(t, "nothing set", affiliate{}, &clusterpb.AffiliateSpec{})
	check(t, "negative duration and number", adjtime{Offset: -1500 * time.Millisecond, Ratio: 1.25, Status: "s", Constant: -7, Sync: true},
		&timepb.AdjtimeStatusSpec{Offset: durationpb.New(-1500 * time.Millisecond), FrequencyAdjustmentRatio: 1.25, Status: "s", Constant: -7, SyncStatus: true})
	check(t, "time and text enum", peer{
		Endpoint: netip.MustParseAddrPort("1.2.3.4:5"), State: "up", Receive: 1 << 40, Shake: time.Unix(1700000000, 5).UTC(),
	}, &kubespanpb.PeerStatusSpec{
		Endpoint: addrPort("1.2.3.4:5"), State: enumspb.KubespanPeerState_PEER_STATE_UP, ReceiveBytes: 1 << 40,
		LastHandshakeTime: timestamppb.New(time.Unix(1700000000, 5)),
	})
	check(t, "maps", apiServer{
		Args: map[string]argValues{"b": {Values: []string{"1", "2"}}, "a": {}},
		Env:  map[string]string{"X": "y", "": ""},
	}, &k8spb.APIServerConfigSpec{
		ExtraArgs:            map[string]*k8spb.ArgValues{"b": {Values: []string{"1", "2"}}, "a": {}},
		EnvironmentVariables: map[string]string{"X": "y", "": ""},
	})
	object := map[string]any{
		"s": "t", "n": 24, "f": 1.5, "b": true, "null": nil,
		"l": []any{"a", 1, map[string]any{}}, "m": map[string]any{"x": "y"},
	}
	st, err := structpb.NewStruct(object)
	if err != nil {
		t.Fatal(err)
	}
	check(t, "struct", pod{object}, &k8spb.StaticPodSpec{Pod: st})
	u := &url.URL{Scheme: "https", User: url.UserPassword("a", "b"), Host: "[::1]:6443", Path: "/x", RawQuery: "y=z"}
	check(t, "url", root{Endpoint: u, CA: &pem{Crt: []byte("c"), Key: []byte("k")}}, &secretspb.KubernetesRootSpec{
		Endpoint:  &commonpb.URL{FullPath: u.String()},
		IssuingCa: &commonpb.PEMEncodedCertificateAndKey{Crt: []byte("c"), Key: []byte("k")},
	})
	on, five := true, uint32(5)
	check(t, "optional and packed", ethernet{
		Rings: rings{RX: &five, Push: &on}, Features: map[string]bool{"on": true, "off": false}, Wake: []wake{1, 4},
	}, &networkpb.EthernetSpecSpec{
		Rings: &networkpb.EthernetRingsSpec{Rx: 5, TxPush: true}, Features: map[string]bool{"on": true, "off": false},
		WakeOnLan: []enumspb.NethelpersWOLMode{1, 4},
	})
}

func TestCodec_EmbeddedFieldsBelongToTheMessageAround(t *testing.T) {
	c, err := codec.New[link]()
	if err != nil {
		t.Fatal(err)
	}
	b, err := c.Proto(&link{Hardware: []byte{1, 2}, MTU: 1500, Speed: -1, Embedded: Embedded{Kind: "bond"}})
	if err != nil {
		t.Fatal(err)
	}
	var got networkpb.LinkStatusSpec
	if err := proto.Unmarshal(b, &got); err != nil {
		t.Fatal(err)
	}
	want := &networkpb.LinkStatusSpec{HardwareAddr: []byte{1, 2}, Mtu: 1500, SpeedMegabits: -1, Kind: "bond"}
	if d := cmp.Diff(want, &got, protocmp.Transform()); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
}

func TestCodec_PointerToZeroStays(t *testing.T) {
	c, err := codec.New[ethernet]()
	if err != nil {
		t.Fatal(err)
	}
	off, zero := false, uint32(0)
	v := &ethernet{Rings: rings{RX: &zero, Push: &off}}
	b, err := c.Proto(v)
	if err != nil {
		t.Fatal(err)
	}
	if back, err := c.FromProto(b); err != nil || !c.Equal(back, v) {
		t.Errorf("got %+v, %v", back, err)
	}
}

func TestCodec_SkipsFieldsItDoesNotKnow(t *testing.T) {
	b, err := proto.Marshal(&clusterpb.AffiliateSpec{NodeId: "n", Nodename: "unknown here", OperatingSystem: "too"})
	if err != nil {
		t.Fatal(err)
	}
	c, err := codec.New[affiliate]()
	if err != nil {
		t.Fatal(err)
	}
	got, err := c.FromProto(b)
	if err != nil || got.NodeID != "n" {
		t.Errorf("got %+v, %v", got, err)
	}
}

func TestCodec_CloneSharesNothing(t *testing.T) {
	c, err := codec.New[pod]()
	if err != nil {
		t.Fatal(err)
	}
	list := []any{"a"}
	v := &pod{map[string]any{"l": list, "m": map[string]any{"x": 1}}}
	clone := c.Clone(v)
	list[0] = "changed"
	v.Pod["m"].(map[string]any)["x"] = 2
	want := &pod{map[string]any{"l": []any{"a"}, "m": map[string]any{"x": 1}}}
	if !c.Equal(clone, want) || c.Equal(clone, v) {
		t.Errorf("got %+v, want %+v", clone, want)
	}
}

func TestCodec_EqualSeesEveryField(t *testing.T) {
	c, err := codec.New[affiliate]()
	if err != nil {
		t.Fatal(err)
	}
	full := func() *affiliate {
		return &affiliate{
			NodeID: "n", Addresses: []netip.Addr{netip.MustParseAddr("1.1.1.1")}, MachineType: 1,
			KubeSpan:     kubeSpan{More: []netip.Prefix{netip.MustParsePrefix("1.0.0.0/8")}},
			ControlPlane: &controlPlane{Port: 1},
		}
	}
	for name, change := range map[string]func(*affiliate){
		"string":            func(a *affiliate) { a.NodeID = "" },
		"element":           func(a *affiliate) { a.Addresses[0] = netip.MustParseAddr("1.1.1.2") },
		"length":            func(a *affiliate) { a.Addresses = nil },
		"enum":              func(a *affiliate) { a.MachineType = 2 },
		"nested":            func(a *affiliate) { a.KubeSpan.More[0] = netip.MustParsePrefix("1.0.0.0/9") },
		"behind a pointer":  func(a *affiliate) { a.ControlPlane.Port = 2 },
		"nil where one was": func(a *affiliate) { a.ControlPlane = nil },
	} {
		changed := full()
		change(changed)
		if c.Equal(full(), changed) || c.Equal(changed, full()) {
			t.Errorf("%s: not seen", name)
		}
	}
	empty := full()
	empty.KubeSpan.Endpoints = []netip.AddrPort{}
	if !c.Equal(full(), empty) {
		t.Error("nil and empty differ")
	}
}

func TestNew_RefusesTypesWithoutAForm(t *testing.T) {
	type twice struct {
		A int `protobuf:"1"`
		B int `protobuf:"1"`
	}
	type noNumber struct {
		A int `protobuf:"x"`
	}
	type channel struct {
		A chan int `protobuf:"1"`
	}
	type intKeys struct {
		A map[int]string `protobuf:"1"`
	}
	for want, err := range map[string]error{
		"share number 1": second(codec.New[twice]()),
		"not a field":    second(codec.New[noNumber]()),
		"no protobuf":    second(codec.New[channel]()),
		"only strings":   second(codec.New[intKeys]()),
		"not a struct":   second(codec.New[int]()),
	} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want an error with %q", err, want)
		}
	}
}

func second[T any](_ T, err error) error { return err }

func FuzzFromProto(f *testing.F) {
	for _, m := range []proto.Message{
		&clusterpb.AffiliateSpec{NodeId: "n", Addresses: []*commonpb.NetIP{ip("::1")}, KubeSpan: &clusterpb.KubeSpanAffiliateSpec{AdditionalAddresses: []*commonpb.NetIPPrefix{prefix("::/0")}}},
		&networkpb.EthernetSpecSpec{WakeOnLan: []enumspb.NethelpersWOLMode{1}},
	} {
		b, err := proto.Marshal(m)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(b)
	}
	a, errA := codec.New[affiliate]()
	e, errE := codec.New[ethernet]()
	p, errP := codec.New[pod]()
	if errA != nil || errE != nil || errP != nil {
		f.Fatal(errA, errE, errP)
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		again(t, a, b)
		again(t, e, b)
		again(t, p, b)
	})
}

// again checks that what was read writes and reads the same.
func again[T any](t *testing.T, c *codec.Codec[T], b []byte) {
	v, err := c.FromProto(b)
	if err != nil {
		return
	}
	once, err := c.Proto(v)
	if err != nil {
		t.Fatalf("%+v: %v", v, err)
	}
	w, err := c.FromProto(once)
	if err != nil {
		t.Fatalf("%+v: %v", v, err)
	}
	if twice, err := c.Proto(w); err != nil || string(once) != string(twice) {
		t.Fatalf("%x became %x (%v)", once, twice, err)
	}
}

func BenchmarkCodec(b *testing.B) {
	c, err := codec.New[affiliate]()
	if err != nil {
		b.Fatal(err)
	}
	v := &affiliate{
		NodeID: "n", Hostname: "h", Addresses: []netip.Addr{netip.MustParseAddr("10.0.0.1")},
		KubeSpan: kubeSpan{PublicKey: "k", Endpoints: []netip.AddrPort{netip.MustParseAddrPort("1.2.3.4:5")}},
	}
	w := c.Clone(v)
	b.Run("equal", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			c.Equal(v, w)
		}
	})
	b.Run("clone", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			c.Clone(v)
		}
	})
	b.Run("proto", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			c.Proto(v)
		}
	})
}
