package apid

import (
	"context"
	"errors"
	"net"
	"strconv"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"

	commonpb "github.com/ichor-os/ichor/api/common"
	machinepb "github.com/ichor-os/ichor/api/machine"
	"github.com/ichor-os/ichor/node/apid/settings"
)

func withLimits(change func(*Limits)) func(*testNode, *Options) {
	return func(_ *testNode, o *Options) { change(&o.Limits) }
}

// Messages up to the limit of the API pass in both directions, larger ones
// are refused.
func TestLimit_MessageSize(t *testing.T) {
	f := newFixture(t)
	node := f.start("127.0.0.1", settings.ControlPlane)
	f.start("127.0.0.2", settings.Worker)
	conn := node.client("os:admin")

	send := func(size int, md ...string) error {
		ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
		defer cancel()

		if len(md) > 0 {
			ctx = toNode(ctx, md[0])
		}

		var response frame

		err := conn.Invoke(ctx, "/machine.MachineService/ApplyConfiguration", newFrame(make([]byte, size)), &response, grpc.ForceCodecV2(rawCodec{}))
		response.free()

		return err
	}

	for _, target := range [][]string{nil, {"127.0.0.2"}} {
		if err := send(32<<20, target...); err != nil {
			t.Errorf("32 MiB to %v: %v", target, err)
		}

		if err := send(32<<20+1, target...); status.Code(err) != codes.ResourceExhausted {
			t.Errorf("more than 32 MiB to %v: got %v, want ResourceExhausted", target, err)
		}
	}

	node.machined.set(func(_ string, stream grpc.ServerStream) error {
		if err := drain(stream); err != nil {
			return err
		}

		return stream.SendMsg(newFrame(make([]byte, 32<<20+1)))
	})

	if err := send(1); status.Code(err) != codes.ResourceExhausted {
		t.Errorf("answer of more than 32 MiB: got %v, want ResourceExhausted", err)
	}
}

// A caller that stops reading loses its call; the method that serves it ends,
// and others are served meanwhile.
func TestLimit_SlowReaderIsCutOff(t *testing.T) {
	node := newFixture(t).start("127.0.0.1", settings.ControlPlane, withLimits(func(l *Limits) { l.Stall = 200 * time.Millisecond }))
	ended := make(chan error, 1)

	node.machined.set(func(method string, stream grpc.ServerStream) error {
		if method == version {
			return emptyAnswer(method, stream)
		}

		chunk, err := proto.Marshal(&commonpb.Data{Bytes: make([]byte, 64<<10)})
		if err != nil {
			return err
		}

		for {
			if err := stream.SendMsg(newFrame(chunk)); err != nil {
				ended <- err
				return err
			}
		}
	})

	conn := node.client("os:reader")

	stream, err := machinepb.NewMachineServiceClient(conn).Dmesg(t.Context(), &machinepb.DmesgRequest{Follow: true})
	if err != nil {
		t.Fatal(err)
	}

	if err := rawCall(t, conn, version); err != nil {
		t.Errorf("call beside a reader that has stopped: %v", err)
	}

	select {
	case <-ended:
	case <-time.After(20 * time.Second):
		t.Fatal("the method is still sending")
	}

	for err == nil {
		_, err = stream.Recv()
	}

	if status.Code(err) != codes.ResourceExhausted {
		t.Errorf("the caller was told %v, want ResourceExhausted", err)
	}
}

func TestLimit_CallsOfOneSource(t *testing.T) {
	node := newFixture(t).start("127.0.0.1", settings.ControlPlane, withLimits(func(l *Limits) { l.Calls, l.NodeCalls = 2, 3 }))
	entered, leave := make(chan struct{}), make(chan struct{})

	node.machined.set(func(method string, stream grpc.ServerStream) error {
		entered <- struct{}{}
		<-leave

		return emptyAnswer(method, stream)
	})

	conn, ended := node.client("os:reader"), make(chan error, 2)

	for range 2 {
		go func() { ended <- rawCall(t, conn, version) }()
		<-entered
	}

	if err := rawCall(t, node.client("os:reader"), version); status.Code(err) != codes.ResourceExhausted {
		t.Errorf("third call: got %v, want ResourceExhausted", err)
	}

	close(leave)

	for range 2 {
		if err := <-ended; err != nil {
			t.Error(err)
		}
	}

	go func() { <-entered }()

	if err := rawCall(t, conn, version); err != nil {
		t.Errorf("call after the others: %v", err)
	}
}

func TestLimit_ConnectionsOfOneSource(t *testing.T) {
	node := newFixture(t).start("127.0.0.1", settings.ControlPlane, withLimits(func(l *Limits) { l.Connections = 2 }))
	kept := []*grpc.ClientConn{node.client("os:reader"), node.client("os:reader")}

	for _, conn := range kept {
		if err := rawCall(t, conn, version); err != nil {
			t.Fatal(err)
		}
	}

	if err := rawCall(t, node.client("os:reader"), version); status.Code(err) != codes.Unavailable {
		t.Errorf("third connection: got %v, want Unavailable", err)
	}

	// From another address there is room.
	dialer := grpc.WithContextDialer(func(ctx context.Context, address string) (net.Conn, error) {
		return (&net.Dialer{LocalAddr: &net.TCPAddr{IP: net.ParseIP("127.0.0.77")}}).DialContext(ctx, "tcp", address)
	})
	pair := node.settings.Client

	if err := rawCall(t, node.clientWith(&pair, dialer), version, "talos-role", "os:reader"); err != nil {
		t.Errorf("connection of another source: %v", err)
	}
}

// Connections that never finish their handshake hold up neither other sources
// nor, once they are timed out, their own.
func TestLimit_UnfinishedHandshakes(t *testing.T) {
	node := newFixture(t).start("127.0.0.1", settings.ControlPlane, withLimits(func(l *Limits) {
		l.Handshakes, l.Handshake = 2, 300*time.Millisecond
	}))

	var silent []net.Conn

	for range 4 {
		conn, err := net.Dial("tcp", net.JoinHostPort(node.address, strconv.Itoa(node.port)))
		if err != nil {
			t.Fatal(err)
		}

		silent = append(silent, conn)
	}

	dialer := grpc.WithContextDialer(func(ctx context.Context, address string) (net.Conn, error) {
		return (&net.Dialer{LocalAddr: &net.TCPAddr{IP: net.ParseIP("127.0.0.77")}}).DialContext(ctx, "tcp", address)
	})
	pair := node.settings.Client

	if err := rawCall(t, node.clientWith(&pair, dialer), version, "talos-role", "os:reader"); err != nil {
		t.Errorf("call of another source: %v", err)
	}

	for _, conn := range silent {
		if err := conn.SetReadDeadline(time.Now().Add(20 * time.Second)); err != nil {
			t.Fatal(err)
		}

		var timeout net.Error
		if _, err := conn.Read(make([]byte, 1)); errors.As(err, &timeout) && timeout.Timeout() {
			t.Error("a silent connection is still open")
		}
	}

	if err := rawCall(t, node.client("os:reader"), version); err != nil {
		t.Errorf("call after the silent ones: %v", err)
	}
}

func TestLimit_GarbageIsNoConnection(t *testing.T) {
	node := newFixture(t).start("127.0.0.1", settings.ControlPlane)

	conn, err := net.Dial("tcp", net.JoinHostPort(node.address, strconv.Itoa(node.port)))
	if err != nil {
		t.Fatal(err)
	}

	if _, err := conn.Write([]byte("GET / HTTP/1.1\r\n\r\n")); err != nil {
		t.Fatal(err)
	}

	_ = conn.SetReadDeadline(time.Now().Add(20 * time.Second))

	buffer := make([]byte, 1024)
	for err == nil {
		_, err = conn.Read(buffer)
	}

	var timeout net.Error
	if errors.As(err, &timeout) && timeout.Timeout() {
		t.Error("the connection is still open")
	}

	if err := rawCall(t, node.client("os:reader"), version); err != nil {
		t.Error(err)
	}
}

func TestServe_StopsWithFollowersConnected(t *testing.T) {
	node := newFixture(t).start("127.0.0.1", settings.ControlPlane)
	node.machined.set(func(_ string, stream grpc.ServerStream) error {
		if err := stream.SendMsg(newFrame(nil)); err != nil {
			return err
		}

		<-stream.Context().Done()

		return stream.Context().Err()
	})

	stream, err := machinepb.NewMachineServiceClient(node.client("os:reader")).Logs(t.Context(), &machinepb.LogsRequest{Follow: true})
	if err != nil {
		t.Fatal(err)
	}

	if _, err := stream.Recv(); err != nil {
		t.Fatal(err)
	}

	node.stop()

	if _, err := stream.Recv(); status.Code(err) != codes.Unavailable {
		t.Errorf("follower got %v, want Unavailable", err)
	}
}

// A method that needs no large request does not get one, so that nobody can
// fill the memory of a node by asking for its version.
func TestLimit_RequestsAreNoLargerThanNeeded(t *testing.T) {
	f := newFixture(t)
	node := f.start("127.0.0.1", settings.ControlPlane)
	f.start("127.0.0.2", settings.Worker)
	conn := node.client("os:admin")

	for _, method := range []string{version, "/machine.MachineService/Logs", "/machine.MachineService/Reboot"} {
		for _, md := range [][]string{nil, {"node", "127.0.0.2"}, {"nodes", "127.0.0.1,127.0.0.2"}} {
			ctx := metadata.AppendToOutgoingContext(t.Context(), md...)

			stream, err := conn.NewStream(ctx, &grpc.StreamDesc{ServerStreams: true}, method, grpc.ForceCodecV2(rawCodec{}))
			if err != nil {
				t.Fatal(err)
			}

			if err := stream.SendMsg(newFrame(make([]byte, 256<<10))); err != nil {
				t.Fatal(err)
			}

			if err := stream.RecvMsg(new(frame)); status.Code(err) != codes.ResourceExhausted {
				t.Errorf("%s %v: got %v, want ResourceExhausted", method, md, err)
			}
		}
	}

	if calls := node.machined.taken(); len(calls) != 0 {
		t.Errorf("calls reached machined: %v", calls)
	}
}

// Requests that come in slowly hold up those of their own source only, and not
// for ever.
func TestLimit_SlowSenders(t *testing.T) {
	node := newFixture(t).start("127.0.0.1", settings.ControlPlane, withLimits(func(l *Limits) {
		l.Receiving, l.Receive = 2, 500*time.Millisecond
	}))
	conn := node.client("os:reader")

	var slow []grpc.ClientStream

	for range 2 {
		stream, err := conn.NewStream(t.Context(), &grpc.StreamDesc{ClientStreams: true}, version, grpc.ForceCodecV2(rawCodec{}))
		if err != nil {
			t.Fatal(err)
		}

		slow = append(slow, stream)
	}

	dialer := grpc.WithContextDialer(func(ctx context.Context, address string) (net.Conn, error) {
		return (&net.Dialer{LocalAddr: &net.TCPAddr{IP: net.ParseIP("127.0.0.77")}}).DialContext(ctx, "tcp", address)
	})
	pair := node.settings.Client

	if err := rawCall(t, node.clientWith(&pair, dialer), version, "talos-role", "os:reader"); err != nil {
		t.Errorf("call of another source: %v", err)
	}

	for _, stream := range slow {
		if err := stream.RecvMsg(new(frame)); status.Code(err) != codes.DeadlineExceeded {
			t.Errorf("slow sender: got %v, want DeadlineExceeded", err)
		}
	}

	if err := rawCall(t, conn, version); err != nil {
		t.Errorf("call after the slow ones: %v", err)
	}
}
