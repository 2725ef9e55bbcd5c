package diagnostic

import (
	"context"
	"errors"
	"net/netip"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"golang.org/x/sys/unix"

	"github.com/ichor-os/ichor/config/generate"
	configspec "github.com/ichor-os/ichor/node/config/spec"
	dnsspec "github.com/ichor-os/ichor/node/dns/spec"
	filespec "github.com/ichor-os/ichor/node/file/spec"
	kernelspec "github.com/ichor-os/ichor/node/kernel/spec"
	kubeletspec "github.com/ichor-os/ichor/node/kubelet/spec"
	lifecyclespec "github.com/ichor-os/ichor/node/lifecycle/spec"
	linkspec "github.com/ichor-os/ichor/node/link/spec"
	timespec "github.com/ichor-os/ichor/node/time/spec"
	"github.com/ichor-os/ichor/pki"
	"github.com/ichor-os/ichor/pki/secrets"
	"github.com/ichor-os/ichor/resource"
)

// start runs the checks, without those that look at the machine.
func start(t *testing.T, reports *Reports, more ...resource.Block) *resource.Engine {
	t.Helper()
	engine := resource.New(resource.Options{CheckSpecs: true, Diagnose: reports.Engine})
	reports.Watch(engine)
	kinds := append(Kinds(), timespec.Own()...)
	kinds = append(kinds, kernelspec.WantedModules, filespec.MachineFileStatuses, kernelspec.KernelParamSpecs, kernelspec.KernelParamStatuses, lifecyclespec.Diagnostics,
		configspec.MachineConfigs, dnsspec.HostnameStatuses, kubeletspec.Nodenames, linkspec.AddressStatuses, linkspec.RouteStatuses, linkspec.NodeAddresses)
	if err := engine.Register(kinds...); err != nil {
		t.Fatal(err)
	}
	all := slices.DeleteFunc(Blocks(reports), func(b resource.Block) bool {
		return b.Name() == "volume-usage" || b.Name() == "certificate-expiry"
	})
	if err := engine.Add(append(all, more...)...); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- engine.Run(ctx) }()
	t.Cleanup(func() {
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
	return engine
}

func write(t *testing.T, engine *resource.Engine, fn func(s *resource.Session)) {
	t.Helper()
	if err := engine.Commit(t.Context(), "test", func(s *resource.Session) error { fn(s); return nil }); err != nil {
		t.Fatal(err)
	}
	synctest.Wait()
}

func after(d time.Duration) { time.Sleep(d); synctest.Wait() }

// shown are the diagnostics there are, by id.
func shown(t *testing.T, engine *resource.Engine) map[string]lifecyclespec.DiagnosticSpec {
	t.Helper()
	got := map[string]lifecyclespec.DiagnosticSpec{}
	err := engine.View(t.Context(), func(s *resource.Session) error {
		for _, d := range lifecyclespec.Diagnostics.List(s) {
			got[d.ID] = d.Spec
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return got
}

const plain = "version: v1alpha1\nmachine:\n  type: worker\ncluster:\n  network:\n    podSubnets: [10.244.0.0/16]\n    serviceSubnets: [10.96.0.0/12]\n"

func TestDiagnostics_ComeAfterTheirGraceAndGoWhenMended(t *testing.T) {
	main := func(dst string) linkspec.RouteStatusSpec {
		r := linkspec.RouteStatusSpec{Table: linkspec.RoutingTableMain, Dst: netip.MustParsePrefix("10.5.0.0/24")}
		if dst != "" {
			r.Dst = netip.MustParsePrefix(dst)
		}
		return r
	}
	source := func(name, problem string) func(s *resource.Session) {
		return func(s *resource.Session) {
			timespec.Sources.Put(s, timespec.SyncID, timespec.SourceSpec{Source: name, Problem: problem})
		}
	}
	address := func(flags linkspec.AddressFlags) func(s *resource.Session) {
		return func(s *resource.Session) {
			linkspec.AddressStatuses.Put(s, "eth0/fd00::1/64", linkspec.AddressStatusSpec{Address: netip.MustParsePrefix("fd00::1/64"), LinkName: "eth0", Flags: flags})
		}
	}
	node := func(prefix string) func(s *resource.Session) {
		return func(s *resource.Session) {
			configspec.MachineConfigs.Put(s, configspec.Active, configspec.MachineConfigSpec{Documents: []byte(plain)})
			linkspec.NodeAddresses.Put(s, "default", linkspec.NodeAddressSpec{Addresses: []netip.Prefix{netip.MustParsePrefix(prefix)}})
		}
	}
	names := func(host string) func(s *resource.Session) {
		return func(s *resource.Session) {
			dnsspec.HostnameStatuses.Put(s, "hostname", dnsspec.HostnameStatusSpec{Hostname: host, Domainname: "example.org"})
			kubeletspec.Nodenames.Put(s, "nodename", kubeletspec.NodenameSpec{Nodename: "n1.example.org"})
		}
	}
	module := func(present bool) func(s *resource.Session) {
		return func(s *resource.Session) {
			kernelspec.WantedModules.Put(s, "drbd", kernelspec.WantedModuleSpec{Present: present, Problem: "no such module"})
		}
	}
	parameter := func(why string) func(s *resource.Session) {
		return func(s *resource.Session) {
			kernelspec.KernelParamSpecs.Put(s, "proc.sys.vm.x", kernelspec.KernelParamSpecSpec{Value: "z"})
			kernelspec.KernelParamStatuses.Put(s, "proc.sys.vm.x", kernelspec.KernelParamStatusSpec{Current: "1"}, resource.Annotations(map[string]string{kernelspec.Reason: why}))
		}
	}
	volume := func(spec volumeSpec) func(s *resource.Session) {
		return func(s *resource.Session) { volumes.Put(s, "/var", spec) }
	}
	routes := func(dst string) func(s *resource.Session) {
		return func(s *resource.Session) { linkspec.RouteStatuses.Put(s, "r", main(dst)) }
	}
	file := func(written bool) func(s *resource.Session) {
		return func(s *resource.Session) {
			filespec.MachineFileStatuses.Put(s, "/etc/x", filespec.MachineFileStatusSpec{Written: written, Problem: "not below /var"})
		}
	}
	for id, test := range map[string]struct {
		wrong, right func(s *resource.Session)
		detail       string
	}{
		"time-not-synced":     {source(timespec.SourceNone, "no route to host"), source(timespec.SourceServer, ""), "no route to host"},
		"address-conflict":    {address(linkspec.AddressFlagDadfailed), address(linkspec.AddressFlagPermanent), "fd00::1/64 on eth0"},
		"no-default-route":    {routes(""), routes("0.0.0.0/0"), ""},
		"address-overlap":     {node("10.244.3.1/24"), node("10.5.0.2/24"), "10.244.3.1/24 overlaps 10.244.0.0/16"},
		"machine-files":       {file(false), file(true), "/etc/x: not below /var"},
		"kernel-modules":      {module(false), module(true), "drbd: no such module"},
		"kernel-parameters":   {parameter("the kernel refuses"), parameter(""), "proc.sys.vm.x: the kernel refuses"},
		"nodename-mismatch":   {names("n2"), names("n1"), "host: n2"},
		"disk-nearly-full":    {volume(volumeSpec{UsedPercent: 93, FreeGiB: 2}), volume(volumeSpec{UsedPercent: 93, FreeGiB: 70}), "/var: 93 % used"},
		"certificate-expiry":  {expiry(20 * 24 * time.Hour), expiry(300 * 24 * time.Hour), "apid.crt ends on"},
		"config-not-in-force": {config(plain + "machine_x"), config(plain), "WatchdogTimerConfig: device"},
	} {
		t.Run(id, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				engine := start(t, &Reports{})
				write(t, engine, test.wrong)
				if got := shown(t, engine); len(got) != 0 {
					t.Errorf("shown before its grace: %v", got)
				}
				after(10 * time.Minute)
				got, ok := shown(t, engine)[id]
				if !ok || !strings.Contains(strings.Join(got.Details, "\n"), test.detail) || got.Message == "" || len(shown(t, engine)) != 1 {
					t.Errorf("shown %v; want %s alone, with %q", shown(t, engine), id, test.detail)
				}
				write(t, engine, test.right)
				if got := shown(t, engine); len(got) != 0 {
					t.Errorf("shown after it was mended: %v", got)
				}
			})
		})
	}
}

func expiry(left time.Duration) func(s *resource.Session) {
	return func(s *resource.Session) {
		certificates.Put(s, "/system/secrets/apid.crt", certificateSpec{NotBefore: s.Now().Add(left - 365*24*time.Hour), NotAfter: s.Now().Add(left)})
	}
}

// config puts a config in force; the ending machine_x stands for a document that
// nodes do not act on.
func config(text string) func(s *resource.Session) {
	return func(s *resource.Session) {
		text := strings.Replace(text, "machine_x", "---\napiVersion: v1alpha1\nkind: WatchdogTimerConfig\ndevice: /dev/watchdog0\ntimeout: 1m0s\n", 1)
		configspec.MachineConfigs.Put(s, configspec.Active, configspec.MachineConfigSpec{Documents: []byte(text)})
	}
}

func TestDiagnostics_AFlapShowsNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		engine := start(t, &Reports{})
		for range 20 {
			write(t, engine, func(s *resource.Session) {
				linkspec.RouteStatuses.Put(s, "r", linkspec.RouteStatusSpec{Table: linkspec.RoutingTableMain, Dst: netip.MustParsePrefix("10.5.0.0/24")})
			})
			after(30 * time.Second)
			if got := shown(t, engine); len(got) != 0 {
				t.Fatalf("shown: %v", got)
			}
			write(t, engine, func(s *resource.Session) {
				linkspec.RouteStatuses.Put(s, "r", linkspec.RouteStatusSpec{Table: linkspec.RoutingTableMain, Dst: netip.MustParsePrefix("::/0")})
			})
			after(time.Second)
		}
	})
}

func TestConfigCheck_FindsNothingInAGeneratedConfig(t *testing.T) {
	bundle, err := secrets.Generate(secrets.Options{ServiceAccountKey: pki.ECDSAP256})
	if err != nil {
		t.Fatal(err)
	}
	for _, role := range []generate.Role{generate.ControlPlane, generate.Worker} {
		c, err := generate.MachineConfig(role, generate.NewOptions("c", "https://10.5.0.2:6443", bundle))
		if err != nil {
			t.Fatal(err)
		}
		text, err := c.Encode()
		if err != nil {
			t.Fatal(err)
		}
		synctest.Test(t, func(t *testing.T) {
			engine := start(t, &Reports{})
			write(t, engine, config(string(text)))
			after(time.Hour)
			if got := shown(t, engine); len(got) != 0 {
				t.Errorf("%v: %v", role, got)
			}
		})
	}
}

func TestReports_OfTheEngineGoWhenItIsWellAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		reports := &Reports{}
		broken := true
		var signal resource.Signal
		engine := start(t, reports, resource.Reconciler("breaks", func(_ context.Context, s *resource.Session) error {
			s.WakeOn(&signal)
			if broken {
				panic("no")
			}
			return nil
		}), resource.Reconciler("fails", func(_ context.Context, s *resource.Session) error {
			s.WakeOn(&signal)
			if broken {
				return errors.New("never")
			}
			return nil
		}))
		after(3 * time.Minute)
		got := shown(t, engine)
		if !strings.Contains(got["engine-panic-breaks"].Message, "breaks crashed") || !strings.Contains(strings.Join(got["reconcilers-fail"].Details, "\n"), "fails: never") {
			t.Errorf("shown: %v", got)
		}
		broken = false
		signal.Notify()
		after(3 * time.Minute)
		if got := shown(t, engine); len(got) != 0 {
			t.Errorf("shown after they are well: %v", got)
		}
	})
}

func TestUsage(t *testing.T) {
	got := usage(unix.Statfs_t{Bsize: 4096, Blocks: 10 << 18, Bfree: 2 << 18, Bavail: 1 << 18, Files: 200, Ffree: 10})
	if want := (volumeSpec{UsedPercent: 88, InodesPercent: 95, FreeGiB: 1}); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
	if got := usage(unix.Statfs_t{}); got != (volumeSpec{}) {
		t.Errorf("of nothing: %+v", got)
	}
}
