package time

import (
	"context"
	"encoding/binary"
	"net"
	"strings"
	"testing"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	timepb "github.com/ichor-os/ichor/api/time"
	configspec "github.com/ichor-os/ichor/node/config/spec"
	"github.com/ichor-os/ichor/resource"
)

// epoch is where the clock of NTP begins, in Unix seconds.
const epoch = -2208988800

// clock is a time server on the loopback whose clock is ahead by offset.
func clock(t *testing.T, offset time.Duration) string {
	t.Helper()
	conn, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	go func() {
		packet := make([]byte, 512)
		for {
			n, from, err := conn.ReadFrom(packet)
			if err != nil {
				return
			}
			if n < 48 {
				continue
			}
			answer := make([]byte, 48)
			answer[0], answer[1], answer[3] = 4<<3|4, 1, 0xec // version 4, server; stratum 1
			stamp := func(at time.Time) uint64 {
				return uint64(at.Unix()-epoch)<<32 | uint64(at.Nanosecond())<<32/1e9
			}
			now := stamp(time.Now().Add(offset))
			binary.BigEndian.PutUint64(answer[16:], now)
			copy(answer[24:32], packet[40:48])
			binary.BigEndian.PutUint64(answer[32:], now)
			binary.BigEndian.PutUint64(answer[40:], now)
			if _, err := conn.WriteTo(answer, from); err != nil {
				return
			}
		}
	}()
	return conn.LocalAddr().String()
}

func offset(answer *timepb.TimeResponse) time.Duration {
	m := answer.GetMessages()[0]
	return m.GetRemotetime().AsTime().Sub(m.GetLocaltime().AsTime())
}

func TestTimeCheck_TellsTheOtherClock(t *testing.T) {
	for _, ahead := range []time.Duration{0, time.Hour, -56 * 24 * time.Hour} {
		answer, err := Service{}.TimeCheck(t.Context(), &timepb.TimeRequest{Server: clock(t, ahead)})
		if err != nil {
			t.Fatal(err)
		}
		if d := offset(answer) - ahead; d > time.Second || d < -time.Second {
			t.Errorf("offset = %s, want %s", offset(answer), ahead)
		}
	}
	for server, want := range map[string]codes.Code{"": codes.InvalidArgument, "/dev/ptp0": codes.Unavailable} {
		if _, err := (Service{}).TimeCheck(t.Context(), &timepb.TimeRequest{Server: server}); status.Code(err) != want {
			t.Errorf("%q: %v, want %s", server, err, want)
		}
	}
}

func TestTime_AsksTheServersOfTheConfigInTurn(t *testing.T) {
	engine := resource.New(resource.Options{})
	if err := engine.Register(configspec.Kinds()...); err != nil {
		t.Fatal(err)
	}
	server := clock(t, time.Minute)
	use := func(text string) {
		err := engine.Commit(context.Background(), "test", func(s *resource.Session) error {
			configspec.MachineConfigs.Put(s, configspec.Active, configspec.MachineConfigSpec{Documents: []byte(text)})
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	const main = "version: v1alpha1\nmachine:\n  type: worker\n"
	for name, text := range map[string]string{
		"old key":      main + "  time:\n    servers: [/dev/ptp0, '" + server + "']\n",
		"own document": main + "---\napiVersion: v1alpha1\nkind: TimeSyncConfig\nntp:\n  servers: ['" + server + "']\n",
	} {
		use(text)
		answer, err := Service{Engine: engine}.Time(t.Context(), nil)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if got := answer.GetMessages()[0].GetServer(); got != server || offset(answer) < 59*time.Second {
			t.Errorf("%s: server %s, offset %s", name, got, offset(answer))
		}
	}
	use(main + "  time:\n    servers: [/dev/ptp0]\n")
	if _, err := (Service{Engine: engine}).Time(t.Context(), nil); status.Code(err) != codes.Unavailable || !strings.Contains(err.Error(), "ptp0") {
		t.Errorf("no server = %v, want Unavailable that names it", err)
	}
}
