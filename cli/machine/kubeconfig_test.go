package machine

import "testing"

func TestThroughLoopback_OnlyForNodesOfThisComputer(t *testing.T) {
	const server = "https://10.5.0.1:6443"
	for endpoint, want := range map[string]string{
		"127.70.1.2":       "https://127.70.1.2:6443",
		"127.70.1.2:50000": "https://127.70.1.2:6443",
		"127.0.0.1":        server, // a tunnel of somebody's
		"10.5.0.2":         server,
		"cp.example.com":   server,
	} {
		if got := ThroughLoopback(endpoint, server); got != want {
			t.Errorf("ThroughLoopback(%q) = %s, want %s", endpoint, got, want)
		}
	}
}
