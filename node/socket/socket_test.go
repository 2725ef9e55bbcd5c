package socket

import (
	"net"
	"os"
	"strings"
	"testing"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	machinepb "github.com/ichor-os/ichor/api/machine"
)

var kernel = RPC{Proc: "/proc", Named: "/run/netns"}

func ask(t *testing.T, in *machinepb.NetstatRequest) []*machinepb.ConnectRecord {
	t.Helper()
	answer, err := kernel.Netstat(t.Context(), in)
	if err != nil {
		t.Fatal(err)
	}
	return answer.GetMessages()[0].GetConnectrecord()
}

// connection makes a listening socket and a connection to it.
func connection(t *testing.T, address string) (listener net.Listener, conn net.Conn) {
	t.Helper()
	listener, err := net.Listen("tcp", address)
	if err != nil {
		t.Skipf("needs a listener on %s: %v", address, err)
	}
	t.Cleanup(func() { listener.Close() })
	conn, err = net.Dial("tcp", listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	return listener, conn
}

func TestNetstat_ShowsTheKernelsConnections(t *testing.T) {
	for _, address := range []string{"127.0.0.1:0", "[::1]:0"} {
		listener, conn := connection(t, address)
		local := listener.Addr().(*net.TCPAddr)
		other := conn.LocalAddr().(*net.TCPAddr)
		var listens, connected bool
		for _, r := range ask(t, &machinepb.NetstatRequest{Feature: &machinepb.NetstatRequest_Feature{Pid: true}}) {
			if r.GetLocalip() != local.IP.String() || r.GetLocalport() != uint32(local.Port) {
				continue
			}
			switch {
			case r.GetState() == machinepb.ConnectRecord_LISTEN:
				listens = r.GetProcess().GetPid() == uint32(os.Getpid())
			case r.GetState() == machinepb.ConnectRecord_ESTABLISHED && r.GetRemoteport() == uint32(other.Port):
				connected = r.GetRemoteip() == other.IP.String()
			}
		}
		if !listens || !connected {
			t.Errorf("%s: listens with its owner %v, connected %v; want both", address, listens, connected)
		}
	}
}

func TestNetstat_Filters(t *testing.T) {
	listener, _ := connection(t, "127.0.0.1:0")
	port := uint32(listener.Addr().(*net.TCPAddr).Port)
	count := func(in *machinepb.NetstatRequest) (n int) {
		for _, r := range ask(t, in) {
			if r.GetLocalport() == port || r.GetRemoteport() == port {
				n++
			}
		}
		return n
	}
	for name, test := range map[string]struct {
		request *machinepb.NetstatRequest
		want    int
	}{
		"all":       {&machinepb.NetstatRequest{}, 3},
		"listening": {&machinepb.NetstatRequest{Filter: machinepb.NetstatRequest_LISTENING}, 1},
		"connected": {&machinepb.NetstatRequest{Filter: machinepb.NetstatRequest_CONNECTED}, 2},
		"udp only":  {&machinepb.NetstatRequest{L4Proto: &machinepb.NetstatRequest_L4Proto{Udp: true}}, 0},
		"host":      {&machinepb.NetstatRequest{Netns: &machinepb.NetstatRequest_NetNS{Hostnetwork: true}}, 3},
		"all netns": {&machinepb.NetstatRequest{Netns: &machinepb.NetstatRequest_NetNS{Allnetns: true}}, 3},
	} {
		if got := count(test.request); got != test.want {
			t.Errorf("%s: %d sockets, want %d", name, got, test.want)
		}
	}
	_, err := kernel.Netstat(t.Context(), &machinepb.NetstatRequest{Netns: &machinepb.NetstatRequest_NetNS{Netns: []string{"nowhere"}}})
	if status.Code(err) != codes.NotFound {
		t.Errorf("unknown namespace = %v, want NotFound", err)
	}
}

func TestRecord_ReadsEveryColumn(t *testing.T) {
	line := "  12: 0100007F:1F90 0200A8C0:0050 01 00000003:00000005 02:000006D3 00000004   60  7 4242 2 ffff8d00 20 4 30 10 -1"
	r, err := record(strings.Fields(line))
	if err != nil {
		t.Fatal(err)
	}
	if r.GetLocalip() != "127.0.0.1" || r.GetLocalport() != 8080 || r.GetRemoteip() != "192.168.0.2" || r.GetRemoteport() != 80 ||
		r.GetState() != machinepb.ConnectRecord_ESTABLISHED || r.GetTxqueue() != 3 || r.GetRxqueue() != 5 ||
		r.GetTr() != machinepb.ConnectRecord_KEEPALIVE || r.GetTimerwhen() != 0x6d3 || r.GetRetrnsmt() != 4 || r.GetUid() != 60 ||
		r.GetTimeout() != 7 || r.GetInode() != 4242 || r.GetRef() != 2 || r.GetPointer() != 0xffff8d00 {
		t.Errorf("record = %v", r)
	}
}

func FuzzRecord(f *testing.F) {
	f.Add("  12: 0100007F:1F90 0200A8C0:0050 01 00000003:00000005 02:000006D3 00000004   60  7 4242 2 ffff8d00")
	f.Fuzz(func(_ *testing.T, line string) {
		_, _ = record(strings.Fields(line))
	})
}
