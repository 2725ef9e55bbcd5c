package export

import (
	"bufio"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/ichor-os/ichor/node/log"
	"github.com/ichor-os/ichor/node/log/spec"
	"github.com/ichor-os/ichor/pki"
)

// receiver is a server that takes lines.
type receiver struct {
	listener net.Listener
	mu       sync.Mutex
	lines    []map[string]any
	conns    []net.Conn
	changed  chan struct{}
}

func receive(t *testing.T, listener net.Listener) *receiver {
	t.Helper()
	r := &receiver{listener: listener, changed: make(chan struct{}, 1)}
	var group sync.WaitGroup
	group.Go(func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			r.mu.Lock()
			r.conns = append(r.conns, conn)
			r.mu.Unlock()
			group.Go(func() { r.read(conn) })
		}
	})
	t.Cleanup(func() {
		r.stop()
		group.Wait()
	})
	return r
}

// stop ends the server with all its connections.
func (r *receiver) stop() {
	r.listener.Close()
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, conn := range r.conns {
		conn.Close()
	}
}

func (r *receiver) read(from io.Reader) {
	for lines := bufio.NewScanner(from); lines.Scan(); {
		var line map[string]any
		if err := json.Unmarshal(lines.Bytes(), &line); err != nil {
			line = map[string]any{"broken": lines.Text()}
		}
		r.mu.Lock()
		r.lines = append(r.lines, line)
		r.mu.Unlock()
		select {
		case r.changed <- struct{}{}:
		default:
		}
	}
}

// await waits until the lines are as wanted, and returns them.
func (r *receiver) await(t *testing.T, want func(lines []map[string]any) bool) []map[string]any {
	t.Helper()
	for bound := time.After(20 * time.Second); ; {
		r.mu.Lock()
		lines := append([]map[string]any(nil), r.lines...)
		r.mu.Unlock()
		if want(lines) {
			return lines
		}
		select {
		case <-r.changed:
		case <-bound:
			t.Fatalf("%d lines came: %.2000v", len(lines), lines)
		}
	}
}

// has wants every line of a list.
func has(want ...string) func([]map[string]any) bool {
	return func(lines []map[string]any) bool {
		there := map[any]bool{}
		for _, line := range lines {
			there[line[keyMessage]] = true
		}
		for _, message := range want {
			if !there[message] {
				return false
			}
		}
		return true
	}
}

func listen(t *testing.T, address string) net.Listener {
	t.Helper()
	listener, err := net.Listen("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	return listener
}

func newExporter(t *testing.T) *Exporter {
	t.Helper()
	x := New(slog.New(slog.DiscardHandler))
	x.bounds = Bounds{Connect: 5 * time.Second, Silence: 5 * time.Second, First: 5 * time.Millisecond, Last: 50 * time.Millisecond}
	t.Cleanup(x.Close)
	return x
}

func to(scheme string, at net.Addr) spec.DestinationSpec {
	return spec.DestinationSpec{Endpoint: scheme + "://" + at.String(), Content: spec.ContentServices}
}

func say(x *Exporter, from, n int) (said []string) {
	for i := from; i < from+n; i++ {
		text := fmt.Sprintf("line %d", i)
		x.Line("kubelet", []byte(text))
		said = append(said, text)
	}
	return said
}

func awaitStatus(t *testing.T, x *Exporter, want func(spec.DestinationStatusSpec) bool) {
	t.Helper()
	for end := time.Now().Add(20 * time.Second); time.Now().Before(end); time.Sleep(2 * time.Millisecond) {
		for _, status := range x.Statuses() {
			if want(status) {
				return
			}
		}
	}
	t.Fatalf("statuses %+v", x.Statuses())
}

func TestTCP_LinesHaveTheKnownForm(t *testing.T) {
	x := newExporter(t)
	r := receive(t, listen(t, "127.0.0.1:0"))
	want := to("tcp", r.listener.Addr())
	want.Tags = map[string]string{"rack": "4"}
	x.Set("a", want)
	x.Line("etcd", []byte(`{"level":"warn","msg":"slow","took":7}`))
	x.Line("machined", []byte(`time=x level=ERROR msg="no"`))
	x.Line("kubelet", []byte("W1130 10:00:00.0 old"))
	lines := r.await(t, func(l []map[string]any) bool { return len(l) == 3 })
	for i, want := range []map[string]any{
		{keyMessage: "slow", keyLevel: "warn", keyService: "etcd", "took": 7.0, "rack": "4"},
		{keyMessage: `time=x level=ERROR msg="no"`, keyLevel: "error", keyService: "machined", "rack": "4"},
		{keyMessage: "W1130 10:00:00.0 old", keyLevel: "warn", keyService: "kubelet", "rack": "4"},
	} {
		for key, value := range want {
			if lines[i][key] != value {
				t.Errorf("line %d: %s is %v, want %v", i, key, lines[i][key], value)
			}
		}
		if _, err := time.Parse(time.RFC3339Nano, fmt.Sprint(lines[i][keyTime])); err != nil {
			t.Error(err)
		}
	}
	awaitStatus(t, x, func(s spec.DestinationStatusSpec) bool {
		return s.State == spec.StateConnected && s.Sent == 3 && s.Queued == 0
	})
}

func TestSet_ANewDestinationBeginsWithWhatWasSaidBefore(t *testing.T) {
	x := newExporter(t)
	said := say(x, 0, 10)
	r := receive(t, listen(t, "127.0.0.1:0"))
	x.Set("a", to("tcp", r.listener.Addr()))
	r.await(t, has(said...))
}

func TestAudit_TheTextOfARecordIsSentAsItIs(t *testing.T) {
	x := newExporter(t)
	r := receive(t, listen(t, "127.0.0.1:0"))
	x.Set("a", to("tcp", r.listener.Addr()))
	const record = `{"sequence":"7","previous":"ab","kind":"call"}`
	x.Audit([]byte(record))
	if line := r.await(t, has(record))[0]; line[keyService] != "audit" {
		t.Errorf("line %v", line)
	}
}

func TestSet_TagsChangeWithoutANewConnection(t *testing.T) {
	x := newExporter(t)
	r := receive(t, listen(t, "127.0.0.1:0"))
	want := to("tcp", r.listener.Addr())
	x.Set("a", want)
	x.Line("a", []byte("before"))
	r.await(t, has("before"))
	want.Tags = map[string]string{"rack": "5"}
	x.Set("a", want)
	x.Line("a", []byte("after"))
	lines := r.await(t, has("after"))
	if lines[0]["rack"] != nil || lines[1]["rack"] != "5" || len(lines) != 2 || len(r.conns) != 1 {
		t.Errorf("over %d connections came %v", len(r.conns), lines)
	}
}

func TestTCP_AServerThatComesBackMissesNothing(t *testing.T) {
	x := newExporter(t)
	first := receive(t, listen(t, "127.0.0.1:0"))
	address := first.listener.Addr()
	x.Set("a", to("tcp", address))
	first.await(t, has(say(x, 0, 50)...))
	awaitStatus(t, x, func(s spec.DestinationStatusSpec) bool { return s.Queued == 0 })
	first.stop()
	awaitStatus(t, x, func(s spec.DestinationStatusSpec) bool { return s.State == spec.StateWaiting && s.Problem != "" })
	said := say(x, 50, 1000)
	second := receive(t, listen(t, address.String()))
	lines := second.await(t, has(said...))
	if len(lines) != len(said) {
		t.Errorf("%d lines came, want %d", len(lines), len(said))
	}
	awaitStatus(t, x, func(s spec.DestinationStatusSpec) bool {
		return s.State == spec.StateConnected && s.Lost == 0 && s.Problem == ""
	})
}

// A server that takes the connection and nothing more: what it did not confirm
// goes to the next one.
func TestTCP_AHalfOpenConnectionIsGivenUpWithoutLoss(t *testing.T) {
	x := newExporter(t)
	x.bounds.Silence = 300 * time.Millisecond
	listener := listen(t, "127.0.0.1:0")
	silent := make(chan net.Conn, 1)
	go func() {
		if conn, err := listener.Accept(); err == nil {
			_ = conn.(*net.TCPConn).SetReadBuffer(4 << 10)
			silent <- conn
		}
	}()
	x.Set("a", to("tcp", listener.Addr()))
	conn := <-silent
	defer conn.Close()
	var said []string
	for i := range 2000 {
		text := fmt.Sprintf("line %d %s", i, strings.Repeat("x", 1000))
		x.Line("kubelet", []byte(text))
		said = append(said, text)
	}
	r := receive(t, listener)
	// The beginning is with the silent server's kernel, which confirmed it.
	lines := r.await(t, has(said[len(said)-1000:]...))
	took := map[any]bool{}
	for _, line := range lines {
		took[line[keyMessage]] = true
	}
	conn.SetReadDeadline(time.Now().Add(time.Second))
	rest, _ := io.ReadAll(conn)
	for i, text := range said {
		if !took[text] && !strings.Contains(string(rest), text) {
			t.Fatalf("line %d is with neither server", i)
		}
	}
}

func TestTCP_ASlowReceiverLosesCountedLinesOnly(t *testing.T) {
	x := newExporter(t)
	x.bound = 64 << 10
	x.bounds.Silence = time.Minute
	listener := listen(t, "127.0.0.1:0")
	slow := make(chan net.Conn, 1)
	go func() {
		if conn, err := listener.Accept(); err == nil {
			slow <- conn
		}
	}()
	x.Set("a", to("tcp", listener.Addr()))
	conn := <-slow
	defer listener.Close()
	defer conn.Close()
	const n = 20_000
	for i := range n {
		x.Line("kubelet", []byte(fmt.Sprintf("line %d %s", i, strings.Repeat("x", 1000))))
	}
	awaitStatus(t, x, func(s spec.DestinationStatusSpec) bool { return s.Lost > 0 })
	x.Line("kubelet", []byte("last"))
	r := &receiver{listener: listener, changed: make(chan struct{}, 1)}
	go r.read(conn)
	counted := func(lines []map[string]any) (came, lost int) {
		for _, line := range lines {
			if n, ok := line["lost"].(float64); ok {
				lost += int(n)
			} else {
				came++
			}
		}
		return came, lost
	}
	lines := r.await(t, func(lines []map[string]any) bool {
		came, lost := counted(lines)
		return came+lost >= n+1
	})
	if came, lost := counted(lines); came+lost != n+1 || lost == 0 {
		t.Errorf("%d came and %d are lost, want %d together", came, lost, n+1)
	}
}

func TestUDP_ALineIsADatagram(t *testing.T) {
	x := newExporter(t)
	conn, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	x.Set("a", to("udp", conn.LocalAddr()))
	said := say(x, 0, 20)
	packet := make([]byte, 64<<10)
	for i := range said {
		conn.SetReadDeadline(time.Now().Add(20 * time.Second))
		n, _, err := conn.ReadFrom(packet)
		if err != nil {
			t.Fatal(err)
		}
		var line map[string]any
		if err := json.Unmarshal(packet[:n], &line); err != nil || line[keyMessage] != said[i] {
			t.Errorf("datagram %d: %q, %v", i, packet[:n], err)
		}
	}
}

func TestUDP_AnAbsentServerStopsNothing(t *testing.T) {
	x := newExporter(t)
	conn, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := conn.LocalAddr()
	conn.Close()
	x.Set("a", to("udp", address))
	say(x, 0, 100)
	awaitStatus(t, x, func(s spec.DestinationStatusSpec) bool { return s.Sent >= 100 && s.Queued == 0 })
}

func TestTLS_TrustsTheAuthoritiesOfTheConfig(t *testing.T) {
	authority, err := pki.NewMachineAuthority(time.Now().Add(-time.Hour))
	if err != nil {
		t.Fatal(err)
	}
	pair, err := authority.Issue(pki.Ed25519, pki.Template{Names: []string{"127.0.0.1"}, Usages: pki.ServerAuth, Lifetime: 24 * time.Hour})
	if err != nil {
		t.Fatal(err)
	}
	certificate, err := pair.TLS()
	if err != nil {
		t.Fatal(err)
	}
	config := &tls.Config{Certificates: []tls.Certificate{certificate}}
	r := receive(t, tls.NewListener(listen(t, "127.0.0.1:0"), config))
	x := newExporter(t)
	want := to("tls", r.listener.Addr())
	x.Set("a", want)
	said := say(x, 0, 50)
	awaitStatus(t, x, func(s spec.DestinationStatusSpec) bool { return strings.Contains(s.Problem, "certificate") })
	own, err := authority.Pair()
	if err != nil {
		t.Fatal(err)
	}
	want.Authorities = string(own.Crt)
	x.Set("a", want)
	r.await(t, has(said...))
	awaitStatus(t, x, func(s spec.DestinationStatusSpec) bool { return s.State == spec.StateConnected && s.Queued == 0 })
}

func TestClose_WaitsUntilAllIsSent(t *testing.T) {
	x := newExporter(t)
	r := receive(t, listen(t, "127.0.0.1:0"))
	x.Set("a", to("tcp", r.listener.Addr()))
	awaitStatus(t, x, func(s spec.DestinationStatusSpec) bool { return s.State == spec.StateConnected })
	said := say(x, 0, 3000)
	x.Close()
	r.await(t, has(said...))
	// The node starts again, with the same destination.
	again := newExporter(t)
	again.Set("a", to("tcp", r.listener.Addr()))
	r.await(t, has(say(again, 3000, 10)...))
}

func TestTap_NoLineIsLostWhenLogFilesRotate(t *testing.T) {
	x := newExporter(t)
	store := log.NewStore()
	if err := store.Persist(t.TempDir()); err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	early := store.Open("etcd")
	fmt.Fprintln(early, "early")
	store.SetTap(x.Line)
	r := receive(t, listen(t, "127.0.0.1:0"))
	x.Set("a", to("tcp", r.listener.Addr()))
	filler := strings.Repeat("x", 900)
	said := []string{"early"}
	for i := range 10_000 { // more than a file, and more than a ring
		text := fmt.Sprintf("%d %s", i, filler)
		half := len(text) / 2
		fmt.Fprint(early, text[:half])
		fmt.Fprint(early, text[half:]+"\n")
		said = append(said, text)
		if i%500 == 0 {
			awaitStatus(t, x, func(s spec.DestinationStatusSpec) bool { return s.Queued == 0 })
		}
	}
	r.await(t, has(said...))
}

func TestKernel_RecordsAndWhatTheRingLost(t *testing.T) {
	x := newExporter(t)
	in, out := io.Pipe()
	x.openKernel = func() (io.ReadCloser, error) { return in, nil }
	x.booted = time.Unix(1000, 0)
	r := receive(t, listen(t, "127.0.0.1:0"))
	want := to("tcp", r.listener.Addr())
	want.Content = spec.ContentKernel
	x.Set("k", want)
	for _, record := range []string{"6,10,2000000,-;booted\n KEY=x\n", "broken", "3,14,3000000,-;disk failed\n"} {
		if _, err := out.Write([]byte(record)); err != nil {
			t.Fatal(err)
		}
	}
	lines := r.await(t, has("booted", "disk failed"))
	if len(lines) != 3 || lines[0]["facility"] != "kern" || lines[0]["priority"] != "info" || lines[0]["seq"] != 10.0 ||
		lines[0][keyTime] != "1970-01-01T00:16:42Z" || lines[1]["lost"] != 3.0 || lines[2][keyLevel] != "error" {
		t.Errorf("lines %v", lines)
	}
	x.Remove("k")
	if _, err := out.Write([]byte("6,15,1,-;late\n")); !errors.Is(err, io.ErrClosedPipe) {
		t.Errorf("the kernel's log is still read: %v", err)
	}
}
