package time

import (
	"context"
	"encoding/binary"
	"errors"
	"log/slog"
	"math/rand/v2"
	"net"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/beevik/ntp"
	"github.com/google/go-cmp/cmp"
	"golang.org/x/sys/unix"

	clusterspec "github.com/ichor-os/ichor/node/cluster/spec"
	configspec "github.com/ichor-os/ichor/node/config/spec"
	"github.com/ichor-os/ichor/node/time/spec"
	"github.com/ichor-os/ichor/resource"
)

// kisser is a time server on the loopback that sends each code of script, and
// then the time.
func kisser(t *testing.T, script ...string) string {
	t.Helper()
	conn, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	go func() {
		packet := make([]byte, 512)
		for {
			_, from, err := conn.ReadFrom(packet)
			if err != nil {
				return
			}
			answer := make([]byte, 48)
			answer[0], answer[1], answer[3] = 4<<3|4, 1, 0xec
			if len(script) > 0 {
				answer[1] = 0 // stratum of a kiss-of-death
				copy(answer[12:16], script[0])
				script = script[1:]
			}
			now := time.Now()
			stamp := uint64(now.Unix()-epoch)<<32 | uint64(now.Nanosecond())<<32/1e9
			binary.BigEndian.PutUint64(answer[16:], stamp)
			copy(answer[24:32], packet[40:48])
			binary.BigEndian.PutUint64(answer[32:], stamp)
			binary.BigEndian.PutUint64(answer[40:], stamp)
			if _, err := conn.WriteTo(answer, from); err != nil {
				return
			}
		}
	}()
	return conn.LocalAddr().String()
}

func TestBR40_BackoffGrowsWithEachKissAndEndsWithAnAnswer(t *testing.T) {
	server := kisser(t, "RATE", "RATE", "RATE", "", "DENY")
	s := servers{ask: Query}
	now := time.Now()
	var last time.Duration
	for range 3 {
		if _, err := s.samples([]string{server}, now); err == nil {
			t.Fatal("a kiss-of-death is taken for the time")
		}
		got := s.rests[server]
		if got.length <= last || got.code != "RATE" {
			t.Errorf("back-off is %s (%s) after %s, want it to grow", got.length, got.code, last)
		}
		last = got.length
		if _, err := s.samples([]string{server}, now.Add(last-time.Second)); err == nil || !strings.Contains(err.Error(), "asked for less") {
			t.Errorf("it is asked while it should rest: %v", err)
		}
		now = now.Add(last)
	}
	// The script's next is an unknown code, which is a back-off too, then one that denies.
	for range 2 {
		_, _ = s.samples([]string{server}, now)
		now = now.Add(s.rests[server].length)
	}
	if got := s.rests[server].length; got != deniedBackoff {
		t.Errorf("a server that denies is asked again in %s, want %s", got, deniedBackoff)
	}
	if _, err := s.samples([]string{server}, now); err != nil || len(s.rests) != 0 {
		t.Errorf("answer: %v, back-off %v; want none left", err, s.rests)
	}
}

func TestBR40_AnOffsetOf56YearsIsMeasuredAndTakenByTheKernel(t *testing.T) {
	const years = 56 * 365 * 24 * time.Hour
	for _, want := range []time.Duration{years, -years, -1500 * time.Millisecond, time.Nanosecond, -time.Nanosecond} {
		server := clock(t, want)
		got, err := Query(server, askTimeout)
		if err != nil {
			t.Fatal(err)
		}
		if diff := (got.ClockOffset - want).Abs(); diff > time.Second {
			t.Errorf("offset %s, want %s", got.ClockOffset, want)
		}
		change := stepBy(want)
		if change.Time.Usec < 0 || change.Time.Usec >= int64(time.Second) {
			t.Errorf("%s: the kernel answers EINVAL to a fraction of %d ns", want, change.Time.Usec)
		}
		if back := time.Duration(change.Time.Sec)*time.Second + time.Duration(change.Time.Usec); back != want {
			t.Errorf("%s becomes a step of %s", want, back)
		}
	}
	if change := slewBy(years, time.Second, ntp.LeapAddSecond, minPoll); change.Offset != int64(maxSlew) || change.Status != staPLL|staIns {
		t.Errorf("slew %+v, want the most that the kernel takes", change)
	}
}

func TestChoose_OutvotesAServerThatIsWrong(t *testing.T) {
	ms := time.Millisecond
	for name, test := range map[string]struct {
		samples []sample
		want    string
	}{
		"one":            {[]sample{{server: "a", offset: 9 * ms, distance: ms}}, "a"},
		"wrong is first": {[]sample{{server: "liar", offset: time.Hour, distance: ms}, {server: "a", offset: 2 * ms, distance: 20 * ms}, {server: "b", offset: 3 * ms, distance: 10 * ms}}, "b"},
		"a tie":          {[]sample{{server: "a", offset: time.Hour, distance: ms}, {server: "b", offset: 0, distance: ms}}, "a"},
		"a chain":        {[]sample{{server: "a", offset: 0, distance: 10 * ms}, {server: "b", offset: 15 * ms, distance: 10 * ms}, {server: "c", offset: 30 * ms, distance: 10 * ms}, {server: "d", offset: 32 * ms, distance: 9 * ms}}, "d"},
	} {
		if got, ok := choose(test.samples); !ok || got.server != test.want {
			t.Errorf("%s: %q, want %q", name, got.server, test.want)
		}
	}
	if _, ok := choose(nil); ok {
		t.Error("there is a best of none")
	}
}

// world is a network of one time server and the clock that follows it.
type world struct {
	mu     sync.Mutex
	offset func(question int) (time.Duration, error)
	asked  int
	steps  []time.Duration
	slews  int
}

func (w *world) ask(string, time.Duration) (*ntp.Response, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.asked++
	offset, err := w.offset(w.asked)
	if err != nil {
		return nil, err
	}
	now := time.Now()
	return &ntp.Response{Version: 4, Stratum: 2, ClockOffset: offset, RootDistance: 3 * time.Millisecond, Time: now, ReferenceTime: now, RTT: time.Millisecond}, nil
}

func (w *world) questions() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.asked
}

func (w *world) Step(offset time.Duration) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.steps = append(w.steps, offset)
	return nil
}

func (w *world) Slew(time.Duration, time.Duration, ntp.LeapIndicator, time.Duration) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.slews++
	return nil
}

// run runs a node's clock, and a certificate that is made anew whenever the
// status of the time changes.
func run(t *testing.T, y *Sync, config string) (engine *resource.Engine, issued *atomic.Int64) {
	t.Helper()
	y.Log = slog.New(slog.DiscardHandler)
	engine = resource.New(resource.Options{CheckSpecs: true})
	if err := engine.Register(append(append(append(spec.Kinds(), spec.Own()...), configspec.Kinds()...), clusterspec.Kinds()...)...); err != nil {
		t.Fatal(err)
	}
	issued = new(atomic.Int64)
	err := engine.Add(resource.Reconciler("time-settings", ReconcileSync), y.Mirror(),
		resource.Reconciler("certificate", func(_ context.Context, s *resource.Session) error {
			if status, ok := spec.TimeStatuses.Get(s, spec.SyncID); ok && status.Synced {
				issued.Add(1)
			}
			return nil
		}))
	if err != nil {
		t.Fatal(err)
	}
	if config != "" {
		err := engine.Commit(t.Context(), "test", func(s *resource.Session) error {
			configspec.MachineConfigs.Put(s, configspec.Active, configspec.MachineConfigSpec{Documents: []byte(config)})
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
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
	return engine, issued
}

func look(t *testing.T, engine *resource.Engine) (resource.Resource[spec.TimeStatusSpec], spec.SourceSpec) {
	t.Helper()
	var status resource.Resource[spec.TimeStatusSpec]
	var source spec.SourceSpec
	err := engine.View(t.Context(), func(s *resource.Session) error {
		status, _ = spec.TimeStatuses.Resource(s, spec.SyncID)
		source, _ = spec.Sources.Get(s, spec.SyncID)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return status, source
}

// after lets time pass, in the bubble of a test.
func after(d time.Duration) { time.Sleep(d); synctest.Wait() }

func TestBR40_SpikesAndJitterChangeNoStatus(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		random := rand.New(rand.NewPCG(1, 2))
		w := &world{offset: func(n int) (time.Duration, error) {
			offset := time.Duration(random.IntN(2000)-1000) * time.Microsecond
			if n%7 == 0 {
				offset += time.Duration(n) * 100 * time.Millisecond
			}
			return offset, nil
		}}
		engine, issued := run(t, &Sync{Clock: w, Ask: w.ask}, "")
		for w.questions() < 100 {
			after(time.Minute)
		}
		status, _ := look(t, engine)
		if status.Version != 1 || !status.Spec.Synced || status.Spec.Epoch != 0 || len(w.steps) != 0 {
			t.Errorf("version %s, %+v, steps %v after 100 samples; want version 1, in step, no step", status.Version, status.Spec, w.steps)
		}
		if issued.Load() != 1 {
			t.Errorf("certificates made %d times, want once", issued.Load())
		}
	})
}

func TestSync_AFlapOfTheTimeRestartsNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		down := false
		w := &world{}
		w.offset = func(int) (time.Duration, error) {
			if down {
				return 0, errors.New("network is unreachable")
			}
			return time.Millisecond, nil
		}
		engine, issued := run(t, &Sync{Clock: w, Ask: w.ask}, "")
		after(time.Minute)
		for range 5 {
			w.mu.Lock()
			down = !down
			w.mu.Unlock()
			after(time.Hour)
		}
		status, source := look(t, engine)
		if status.Version != 1 || issued.Load() != 1 {
			t.Errorf("status version %s, certificates made %d times; want 1 and 1", status.Version, issued.Load())
		}
		if !strings.Contains(source.Problem, "unreachable") {
			t.Errorf("source %+v does not say that no server answers", source)
		}
		w.mu.Lock()
		down = false
		w.mu.Unlock()
		after(lastRetry + time.Second)
		if _, source := look(t, engine); source.Problem != "" || source.Server != DefaultServer {
			t.Errorf("source %+v, want no problem any more", source)
		}
	})
}

func TestSync_StepsFarAndSlewsNear(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const years = 56 * 365 * 24 * time.Hour
		w := &world{}
		w.offset = func(n int) (time.Duration, error) {
			switch {
			case n == 1:
				return years, nil
			case n > 20:
				return -time.Minute, nil // somebody set the server's clock
			}
			return time.Millisecond, nil
		}
		engine, _ := run(t, &Sync{Clock: w, Ask: w.ask}, "")
		synctest.Wait()
		if status, _ := look(t, engine); !cmp.Equal(w.steps, []time.Duration{years}) || status.Spec.Epoch != 1 || !status.Spec.Synced {
			t.Fatalf("steps %v, status %+v; want one step of 56 years", w.steps, status.Spec)
		}
		for w.questions() < 20+believedSpikes {
			after(time.Second)
		}
		if status, _ := look(t, engine); !cmp.Equal(w.steps, []time.Duration{years, -time.Minute}) || status.Spec.Epoch != 2 {
			t.Errorf("steps %v, epoch %d; want a second step once the change is believed", w.steps, status.Spec.Epoch)
		}
	})
}

func TestSync_WaitsNoLongerThanTheBootTimeout(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := &world{offset: func(int) (time.Duration, error) { return 0, errors.New("no route to host") }}
		engine, issued := run(t, &Sync{Clock: w, Ask: w.ask}, "version: v1alpha1\nmachine:\n  type: worker\n  time:\n    bootTimeout: 2m\n")
		after(119 * time.Second)
		if status, _ := look(t, engine); status.Spec.Synced || issued.Load() != 0 {
			t.Errorf("status %+v before the bound", status.Spec)
		}
		after(2 * time.Second)
		status, source := look(t, engine)
		if !status.Spec.Synced || issued.Load() != 1 || !source.TimedOut || source.Source != spec.SourceNone || !strings.Contains(source.Problem, "no route") {
			t.Errorf("status %+v, source %+v, certificates made %d times; want an end of the wait that says why", status.Spec, source, issued.Load())
		}
	})
}

func TestSync_LeavesTheClockAlone(t *testing.T) {
	for name, test := range map[string]struct {
		shared bool
		config string
		source spec.SourceSpec
		status spec.TimeStatusSpec
	}{
		"shared":   {true, "", spec.SourceSpec{Source: spec.SourceHost}, spec.TimeStatusSpec{Synced: true, SyncDisabled: true}},
		"disabled": {false, "version: v1alpha1\nmachine:\n  time:\n    disabled: true\n  type: worker\n", spec.SourceSpec{Source: spec.SourceDisabled}, spec.TimeStatusSpec{Synced: true, SyncDisabled: true}},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := &world{offset: func(int) (time.Duration, error) { return time.Hour, nil }}
				engine, _ := run(t, &Sync{Clock: w, Ask: w.ask, Shared: test.shared}, test.config)
				after(time.Hour)
				status, source := look(t, engine)
				if w.asked+len(w.steps)+w.slews != 0 || status.Spec != test.status || source != test.source {
					t.Errorf("asked %d times, steps %v, status %+v, source %+v", w.asked, w.steps, status.Spec, source)
				}
			})
		})
	}
}

func TestSettings(t *testing.T) {
	const head = "version: v1alpha1\nmachine:\n  type: worker\n  time:\n    servers: [old.example, /dev/ptp0]\n"
	const doc = "---\napiVersion: v1alpha1\nkind: TimeSyncConfig\n"
	for name, test := range map[string]struct {
		config  string
		servers []string
		problem string
	}{
		"none":         {"version: v1alpha1\nmachine:\n  type: worker\n", []string{DefaultServer}, ""},
		"old":          {head, []string{"old.example"}, ""},
		"document":     {head + doc + "ntp:\n  servers: [new.example]\n", []string{"new.example"}, ""},
		"device alone": {head + doc + "ntp:\n  servers: [/dev/ptp0]\n", []string{}, "not read yet"},
		"ptp":          {head + doc + "ptp:\n  devices: [/dev/ptp0]\n", []string{}, "ptp is not in force"},
		"nts":          {head + doc + "ntp:\n  servers: [new.example]\n  useNTS: true\n", []string{}, "useNTS is not in force"},
	} {
		synctest.Test(t, func(t *testing.T) {
			engine, _ := run(t, &Sync{Shared: true}, test.config)
			synctest.Wait()
			var got spec.SyncSpec
			err := engine.View(t.Context(), func(s *resource.Session) error {
				got, _ = spec.Syncs.Get(s, spec.SyncID)
				return nil
			})
			if err != nil {
				t.Fatal(err)
			}
			if strings.Join(got.Servers, " ") != strings.Join(test.servers, " ") || !strings.Contains(got.Problem, test.problem) || (test.problem == "") != (got.Problem == "") {
				t.Errorf("%s: %+v; want servers %v, problem %q", name, got, test.servers, test.problem)
			}
		})
	}
}

func TestAdjtimeStatus(t *testing.T) {
	got := adjtimeStatus(unix.Timex{Offset: -1500, Freq: 65536 * 10, Maxerror: 16, Esterror: 2, Status: staPLL | staNano, Constant: 7}, 0)
	want := spec.AdjtimeStatusSpec{
		Offset: -1500 * time.Nanosecond, FrequencyAdjustmentRatio: 1.00001, MaxError: 16 * time.Microsecond,
		EstError: 2 * time.Microsecond, Status: "PLL | NANO", Constant: 7, SyncStatus: true, State: "OK",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
