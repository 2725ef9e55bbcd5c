package client

import "testing"

func TestWithoutFrames_LeavesTheCause(t *testing.T) {
	const cause = "dial tcp 10.0.0.9:50000: connect: no route to host"
	for reason, want := range map[string]string{
		`connection error: desc = "transport: Error while dialing: ` + cause + `"`:                                                                                      cause,
		`max retries exhausted: failed after 3 attempts: rpc error: code = Unavailable desc = connection error: desc = "transport: Error while dialing: ` + cause + `"`: cause,
		"etcd is not running": "etcd is not running",
		"":                    "",
	} {
		if got := withoutFrames(reason); got != want {
			t.Errorf("withoutFrames(%q) = %q, want %q", reason, got, want)
		}
	}
}
