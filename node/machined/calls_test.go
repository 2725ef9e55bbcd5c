package machined

import (
	"log/slog"
	"path/filepath"
	"testing"

	"github.com/ichor-os/ichor/api/served/compare"
	"github.com/ichor-os/ichor/node/config"
	"github.com/ichor-os/ichor/node/lifecycle"
	"github.com/ichor-os/ichor/node/machined/blocks"
	"github.com/ichor-os/ichor/node/machined/calls"
)

func TestServers_AgreeWithTheListOfWhatIsNotServed(t *testing.T) {
	wired, err := calls.New(calls.Needs{
		Log: slog.New(slog.DiscardHandler), Ends: lifecycle.NewEnds(slog.New(slog.DiscardHandler)), Meta: filepath.Join(t.TempDir(), "meta"),
	})
	if err != nil {
		t.Fatal(err)
	}
	n := &node{apply: &config.RPC{}, calls: wired, kubernetes: blocks.NewKubernetes(blocks.Outside{})}
	for _, line := range compare.Compare(wired.Servers(n.machineServer())...) {
		t.Error(line)
	}
}
