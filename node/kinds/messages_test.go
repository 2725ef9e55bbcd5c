package kinds_test

import (
	"fmt"
	"log/slog"
	"net/netip"
	"net/url"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"

	_ "github.com/ichor-os/ichor/api/resource/config"
	_ "github.com/ichor-os/ichor/api/resource/definitions/block"
	_ "github.com/ichor-os/ichor/api/resource/definitions/cluster"
	_ "github.com/ichor-os/ichor/api/resource/definitions/cri"
	_ "github.com/ichor-os/ichor/api/resource/definitions/etcd"
	_ "github.com/ichor-os/ichor/api/resource/definitions/extensions"
	_ "github.com/ichor-os/ichor/api/resource/definitions/files"
	_ "github.com/ichor-os/ichor/api/resource/definitions/hardware"
	_ "github.com/ichor-os/ichor/api/resource/definitions/k8s"
	_ "github.com/ichor-os/ichor/api/resource/definitions/kubeaccess"
	_ "github.com/ichor-os/ichor/api/resource/definitions/kubespan"
	_ "github.com/ichor-os/ichor/api/resource/definitions/network"
	_ "github.com/ichor-os/ichor/api/resource/definitions/perf"
	_ "github.com/ichor-os/ichor/api/resource/definitions/runtime"
	_ "github.com/ichor-os/ichor/api/resource/definitions/secrets"
	_ "github.com/ichor-os/ichor/api/resource/definitions/security"
	_ "github.com/ichor-os/ichor/api/resource/definitions/siderolink"
	_ "github.com/ichor-os/ichor/api/resource/definitions/time"
	_ "github.com/ichor-os/ichor/api/resource/definitions/v1alpha1"
	"github.com/ichor-os/ichor/node/kinds"
	"github.com/ichor-os/ichor/resource"
	"github.com/ichor-os/ichor/resource/store"
)

// older are fields that clients of 1.13 know and the messages have since lost.
var older = []string{
	"KubeletConfigSpec: 7001", // 14: allowSchedulingOnControlPlane
}

// messages names the message of a kind's spec where it is not the display type
// with Spec after it. An empty name: the contract has none.
var messages = map[string]string{
	"ApiCertificate": "secrets.APICertsSpec", "TrustdCertificate": "secrets.TrustdCertsSpec",
	"OSRootSecret": "secrets.OSRootSpec", "EtcdRootSecret": "secrets.EtcdRootSpec",
	"KubernetesRootSecret": "secrets.KubernetesRootSpec", "MaintenanceRootSecret": "secrets.MaintenanceRootSpec",
	"EtcdSecret": "secrets.EtcdCertsSpec", "KubernetesSecret": "secrets.KubernetesCertsSpec",
	"KubernetesDynamicCert": "secrets.KubernetesDynamicCertsSpec", "KubeletSecret": "secrets.KubeletSpec",
	"EtcdConfig": "etcd.ConfigSpec", "EtcdSpec": "etcd.SpecSpec", "EtcdMember": "etcd.MemberSpec",
	"HardwareAddress": "network.HardwareAddrSpec", "NetworkStatus": "network.StatusSpec",
	"DNSResolveCach": "network.DNSResolveCacheSpec", "DNSUpstream": "",
	"DiscoveryConfig": "cluster.ConfigSpec", "Identity": "cluster.IdentitySpec",
	"KubernetesAccessConfig": "kubeaccess.ConfigSpec",
	"KubeSpanConfig":         "kubespan.ConfigSpec", "KubeSpanIdentity": "kubespan.IdentitySpec",
	"KubeSpanPeerSpec": "kubespan.PeerSpecSpec", "KubeSpanPeerStatus": "kubespan.PeerStatusSpec",
	"KubeSpanEndpoint": "kubespan.EndpointSpec", "Endpoint": "k8s.EndpointSpec",
	"KubeletSpec":      "k8s.KubeletSpecSpec",
	"SiderolinkConfig": "siderolink.ConfigSpec", "SiderolinkStatus": "siderolink.StatusSpec", "SiderolinkTunnel": "siderolink.TunnelSpec",
	"TimeStatus": "time.StatusSpec", "MetaLoad": "runtime.MetaLoadedSpec",
	"KubePrismEndpoint": "k8s.KubePrismEndpointsSpec", "KubePrismStatus": "k8s.KubePrismStatusesSpec",
	"SecretStatus": "k8s.SecretsStatusSpec", "CPUStat": "perf.CPUSpec", "MemoryStat": "perf.MemorySpec",
	"RegistryConfig": "cri.RegistriesConfigSpec", "BlockDevice": "block.DeviceSpec", "BlockSymlink": "block.SymlinkSpec",
	"KernelParamDefaultSpec": "runtime.KernelParamSpecSpec", "ExtensionStatus": "extensions.Layer",
	"MachineConfig": "/resource.config.MachineConfigSpec", "MachineType": "/resource.config.MachineTypeSpec",
}

func messageOf(d *resource.Definition) (proto.Message, bool) {
	name, ok := messages[d.DisplayType]
	if ok && name == "" {
		return nil, false
	}
	if full, ok := strings.CutPrefix(name, "/"); ok {
		return find(full)
	}
	if ok {
		return find("talos.resource.definitions." + name)
	}
	group := strings.Split(d.Type, ".")[1]
	for _, pkg := range []string{group, "runtime", "network", "k8s", "block", "hardware", "files", "security", "cluster", "cri", "etcd", "time", "v1alpha1", "secrets"} {
		if m, ok := find("talos.resource.definitions." + pkg + "." + d.DisplayType + "Spec"); ok {
			return m, true
		}
	}
	return nil, false
}

func find(full string) (proto.Message, bool) {
	t, err := protoregistry.GlobalTypes.FindMessageByName(protoreflect.FullName(full))
	if err != nil {
		return nil, false
	}
	return t.New().Interface(), true
}

func TestKinds_TravelAsTheMessagesOfTheContract(t *testing.T) {
	for _, k := range append(kinds.All(), resource.Definitions, resource.Namespaces) {
		d := k.Definition()
		t.Run(d.DisplayType, func(t *testing.T) {
			typ := specType(t, d)
			if typ.NumField() == 0 || d.DisplayType == "DNSUpstream" || k == resource.AnyKind(resource.Definitions) || k == resource.AnyKind(resource.Namespaces) {
				return
			}
			msg, ok := messageOf(d)
			if !ok {
				t.Fatalf("%s has no message", d.Type)
			}
			spec := reflect.New(typ)
			fill(t, spec.Elem(), typ.Name())
			st := d.StoreType()
			enc, err := st.Encode(spec.Interface())
			if err != nil {
				t.Fatal(err)
			}
			if err := proto.Unmarshal(enc.Proto, msg); err != nil {
				t.Fatal(err)
			}
			for _, u := range unknown(msg.ProtoReflect(), string(msg.ProtoReflect().Descriptor().Name())) {
				if !slices.Contains(older, u) {
					t.Errorf("fields that the contract does not have: %s", u)
				}
			}
			b, err := proto.MarshalOptions{Deterministic: true}.Marshal(msg)
			if err != nil {
				t.Fatal(err)
			}
			back, err := st.Decode(store.Encoded{Proto: b})
			if err != nil {
				t.Fatal(err)
			}
			if again, err := st.Encode(back); err != nil || string(again.Proto) != string(enc.Proto) {
				t.Errorf("through the message: got\n%+v, %v, want\n%+v", back, err, spec.Interface())
			}
			fromYAML, err := st.Decode(store.Encoded{YAML: enc.YAML})
			if err != nil {
				t.Fatalf("%v in\n%s", err, enc.YAML)
			}
			if !st.Equal(fromYAML, spec.Interface()) {
				t.Errorf("through YAML: got\n%+v, want\n%+v, from\n%s", fromYAML, spec.Interface(), enc.YAML)
			}
			if !st.Equal(st.Clone(spec.Interface()), spec.Interface()) {
				t.Error("the clone differs")
			}
		})
	}
}

// unknown lists fields that a message was sent and does not know.
func unknown(m protoreflect.Message, path string) (out []string) {
	if u := m.GetUnknown(); len(u) > 0 {
		out = append(out, fmt.Sprintf("%s: %x", path, []byte(u)))
	}
	m.Range(func(f protoreflect.FieldDescriptor, v protoreflect.Value) bool {
		at := path + "." + string(f.Name())
		switch {
		case f.IsMap():
			if f.MapValue().Message() != nil {
				v.Map().Range(func(_ protoreflect.MapKey, v protoreflect.Value) bool {
					out = append(out, unknown(v.Message(), at)...)
					return true
				})
			}
		case f.IsList() && f.Message() != nil:
			for i := range v.List().Len() {
				out = append(out, unknown(v.List().Get(i).Message(), at)...)
			}
		case f.Message() != nil:
			out = append(out, unknown(v.Message(), at)...)
		}
		return true
	})
	return out
}

// fill sets every field to something that is not zero.
func fill(t *testing.T, v reflect.Value, path string) {
	t.Helper()
	switch p := v.Addr().Interface().(type) {
	case *netip.Addr:
		*p = netip.MustParseAddr("2001:db8::7")
		return
	case *netip.Prefix:
		*p = netip.MustParsePrefix("10.1.0.0/16")
		return
	case *netip.AddrPort:
		*p = netip.MustParseAddrPort("192.0.2.1:50000")
		return
	case *time.Time:
		*p = time.Date(2026, 1, 2, 3, 4, 5, 6, time.UTC)
		return
	case *time.Duration:
		*p = 1500 * time.Millisecond
		return
	case *url.URL:
		*p = url.URL{Scheme: "https", Host: "example.org:6443", Path: "/x"}
		return
	case *map[string]any:
		*p = map[string]any{"kind": "Pod", "n": 24, "list": []any{"a", true}}
		return
	}
	switch v.Kind() {
	case reflect.String:
		v.SetString("text of " + path)
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		v.SetInt(1)
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		v.SetUint(4)
	case reflect.Float64:
		v.SetFloat(1.5)
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fill(t, v.Elem(), path)
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 2, 2))
		for i := range 2 {
			fill(t, v.Index(i), path)
		}
	case reflect.Map:
		v.Set(reflect.MakeMap(v.Type()))
		e := reflect.New(v.Type().Elem()).Elem()
		fill(t, e, path)
		v.SetMapIndex(reflect.ValueOf("key"), e)
	case reflect.Struct:
		for i := range v.NumField() {
			fill(t, v.Field(i), path+"."+v.Type().Field(i).Name)
		}
	default:
		t.Fatalf("%s: no value for %s", path, v.Type())
	}
}

// Secrets must not reach logs: sensitive kinds redact themselves.
func TestKinds_SensitiveSpecsRedactThemselves(t *testing.T) {
	var bare []string
	for _, k := range kinds.All() {
		d := k.Definition()
		if _, ok := reflect.New(specType(t, d)).Interface().(interface{ LogValue() slog.Value }); d.Sensitive && !ok {
			bare = append(bare, d.Type)
		}
	}
	slices.Sort(bare)
	if len(bare) > 0 {
		t.Errorf("no LogValue: %q", bare)
	}
}
