package config

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"net/netip"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"google.golang.org/grpc/metadata"

	machinepb "github.com/ichor-os/ichor/api/machine"
	machineconfig "github.com/ichor-os/ichor/config"
	"github.com/ichor-os/ichor/config/generate"
	"github.com/ichor-os/ichor/node/config/reach"
	"github.com/ichor-os/ichor/node/config/spec"
	kubeletspec "github.com/ichor-os/ichor/node/kubelet/spec"
	lifecyclespec "github.com/ichor-os/ichor/node/lifecycle/spec"
	"github.com/ichor-os/ichor/pki"
	"github.com/ichor-os/ichor/pki/secrets"
	"github.com/ichor-os/ichor/resource"
)

// Patches of the sample, by what they take.
const (
	harmless = "machine: {nodeLabels: {rack: a}}"
	cutting  = "machine: {network: {interfaces: [{interface: eth0, routes: [{network: 0.0.0.0/0, gateway: 10.5.0.99}]}]}}"
	further  = "machine: {network: {interfaces: [{interface: eth1, mtu: 1400}]}}"
	restart  = "machine: {token: abcdef.0123456789abcdef}"
)

var sample = sync.OnceValue(func() []byte {
	bundle, err := secrets.Generate(secrets.Options{Now: time.Now(), ServiceAccountKey: pki.ECDSAP256})
	if err != nil {
		panic(err)
	}
	config, err := generate.MachineConfig(generate.ControlPlane, generate.NewOptions("c", "https://10.5.0.1:6443", bundle))
	if err != nil {
		panic(err)
	}
	text, err := config.Encode()
	if err != nil {
		panic(err)
	}
	return text
})

// patched is the sample with patches.
func patched(t *testing.T, patches ...string) []byte {
	t.Helper()
	loaded, err := machineconfig.LoadPatches(patches...)
	if err != nil {
		t.Fatal(err)
	}
	text, err := machineconfig.PatchText(sample(), "sample", loaded...)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

var errOff = errors.New("the power is off")

// memory is a Disk that outlives nodes. With a number of writes it is as if the
// power failed after them.
type memory struct {
	mu     sync.Mutex
	files  map[string]string
	writes int
}

func newMemory() *memory { return &memory{files: map[string]string{}, writes: -1} }

func (m *memory) Read(name string) ([]byte, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	text, ok := m.files[name]
	if !ok {
		return nil, fmt.Errorf("%s: %w", name, fs.ErrNotExist)
	}
	return []byte(text), nil
}

func (m *memory) Write(name string, content []byte) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.writes == 0 {
		return errOff
	}
	m.writes--
	m.files[name] = string(content)
	return nil
}

// file is the content of a file, "" if it is not there.
func (m *memory) file(name string) string {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.files[name]
}

// failAfter lets the power fail after some writes; -1 is never.
func (m *memory) failAfter(writes int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.writes = writes
}

func (m *memory) Remove(name string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.writes == 0 {
		return errOff
	}
	m.writes--
	delete(m.files, name)
	return nil
}

// outside is the network as a test wants it, by the config in force.
type outside struct {
	missing func() []string
}

func (o *outside) Look(context.Context, string) reach.Evidence {
	return reach.Evidence{Gateways: []string{"IPv4"}}
}

func (o *outside) Missing(_ context.Context, before reach.Evidence, _ string) []string {
	if len(before.Gateways) == 0 {
		return []string{"the evidence is lost"}
	}
	return o.missing()
}

// machine is a node that starts with what is on the disk.
type machine struct {
	*RPC
	t       *testing.T
	engine  *resource.Engine
	stop    func()
	reboots atomic.Int32
	told    atomic.Pointer[string]
	first   int
}

// start starts a node; it ends with the test or by stop.
func start(t *testing.T, disk Disk, cutOff func(active string) bool) *machine {
	t.Helper()
	m := &machine{t: t, engine: resource.New(resource.Options{})}
	kinds := append(append(spec.Kinds(), kubeletspec.Kinds()...), lifecyclespec.Kinds()...)
	if err := m.engine.Register(kinds...); err != nil {
		t.Fatal(err)
	}
	log := slog.New(slog.DiscardHandler)
	m.RPC = &RPC{
		Keeper: &Keeper{
			Disk: disk, Engine: m.engine, Log: log, Hostname: "n1",
			Reboot: func() { m.reboots.Add(1) },
			Tell:   func(err error) { text := err.Error(); m.told.Store(&text) },
		},
		Log: log, Mode: machineconfig.Container, First: func(*machineconfig.Config) { m.first++ },
	}
	m.Keeper.Witness = &outside{missing: func() []string {
		if cutOff != nil && cutOff(m.active()) {
			return []string{"the default gateway does not answer"}
		}
		return nil
	}}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan struct{})
	go func() { _ = m.engine.Run(ctx); close(ended) }()
	m.stop = sync.OnceFunc(func() { cancel(); <-ended; m.Keeper.Wait() })
	t.Cleanup(m.stop)
	if c := m.Keeper.Load(); c != nil {
		if err := m.Keeper.Start(ctx); err != nil {
			t.Fatal(err)
		}
	} else {
		m.Keeper.ctx = ctx
	}
	return m
}

func (m *machine) documents(id string) string {
	m.t.Helper()
	var text string
	err := m.engine.View(context.Background(), func(s *resource.Session) error {
		c, _ := spec.MachineConfigs.Get(s, id)
		text = string(c.Documents)
		return nil
	})
	if err != nil {
		m.t.Fatal(err)
	}
	return text
}

// lastTold is what the node told last.
func (m *machine) lastTold() string {
	if told := m.told.Load(); told != nil {
		return *told
	}
	return ""
}

func (m *machine) active() string { return m.documents(spec.Active) }

// diagnostics are the ids of what is shown.
func (m *machine) diagnostics() string {
	m.t.Helper()
	var ids []string
	err := m.engine.View(context.Background(), func(s *resource.Session) error {
		for _, d := range lifecyclespec.Diagnostics.List(s) {
			ids = append(ids, d.Key.ID)
		}
		return nil
	})
	if err != nil {
		m.t.Fatal(err)
	}
	return strings.Join(ids, " ")
}

type mode = machinepb.ApplyConfigurationRequest_Mode

const (
	auto     = machinepb.ApplyConfigurationRequest_AUTO
	noReboot = machinepb.ApplyConfigurationRequest_NO_REBOOT
	rebooted = machinepb.ApplyConfigurationRequest_REBOOT
	staged   = machinepb.ApplyConfigurationRequest_STAGED
	tried    = machinepb.ApplyConfigurationRequest_TRY
)

// apply applies a config; md are pairs of metadata.
func (m *machine) apply(text []byte, how mode, md ...string) (*machinepb.ApplyConfiguration, error) {
	ctx := metadata.NewIncomingContext(context.Background(), metadata.Pairs(md...))
	answer, err := m.ApplyConfiguration(ctx, &machinepb.ApplyConfigurationRequest{Data: text, Mode: how})
	if err != nil {
		return nil, err
	}
	return answer.GetMessages()[0], nil
}

func (m *machine) mustApply(text []byte, how mode, md ...string) *machinepb.ApplyConfiguration {
	m.t.Helper()
	answer, err := m.apply(text, how, md...)
	if err != nil {
		m.t.Fatal(err)
	}
	time.Sleep(answerFirst)
	synctest.Wait()
	return answer
}

// administrator is an address that no test computer has.
var administrator = netip.MustParseAddr("192.0.2.77")

// bubble runs a test in a bubble of its own time, on a node that has the sample.
func bubble(t *testing.T, test func(t *testing.T, disk *memory)) {
	t.Helper()
	text := string(sample())
	synctest.Test(t, func(t *testing.T) {
		disk := newMemory()
		disk.files[storedFile] = text
		test(t, disk)
	})
}

// badGateway is true while the cutting config is in force.
func badGateway(active string) bool { return strings.Contains(active, "10.5.0.99") }
