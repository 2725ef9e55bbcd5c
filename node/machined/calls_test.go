package machined

import (
	"testing"

	"github.com/ichor-os/ichor/api/served"
	"github.com/ichor-os/ichor/node/config"
)

func TestServers_AgreeWithTheListOfWhatIsNotServed(t *testing.T) {
	n := &node{apply: &config.RPC{}, cluster: &cluster{}}
	for _, line := range served.Compare(n.servers(n.machineServer())...) {
		t.Error(line)
	}
}
