package machined

import (
	"context"
	"fmt"

	"github.com/ichor-os/ichor/node/lifecycle"
	lifecyclespec "github.com/ichor-os/ichor/node/lifecycle/spec"
	"github.com/ichor-os/ichor/node/link"
	"github.com/ichor-os/ichor/node/machined/blocks"
	"github.com/ichor-os/ichor/node/machined/boot"
	"github.com/ichor-os/ichor/node/platform"
)

// startEngine adds the sources and reconcilers of all nouns to the engine and
// runs it until ctx ends.
func (n *node) startEngine(ctx context.Context) error {
	n.kubernetes = n.newKubernetes(ctx)
	if err := n.kubernetes.Clean(); err != nil {
		return err
	}
	network, err := link.Open()
	if err != nil {
		return err
	}
	needs := blocks.Needs{
		Network: network, Log: n.log, Services: n.services, Etc: n.etc, SharedKernel: true, Host: n.host, Discovery: n.discovery,
		Export: n.calls.Export(), Kubernetes: n.kubernetes,
	}
	if err := n.engine.Add(blocks.All(needs)...); err != nil {
		return fmt.Errorf("add to engine: %w", err)
	}
	if err := n.calls.Start(ctx); err != nil {
		return err
	}
	go func() {
		if err := n.engine.Run(ctx); err != nil && ctx.Err() == nil {
			n.log.Error("engine ended", "error", err)
		}
	}()
	if err := platform.Publish(ctx, n.engine, boot.PlatformContainer, n.platform, platform.MachineIDFile); err != nil {
		return err
	}
	if err := link.Wait(ctx, n.engine, n.platform.Link, n.platform.Addresses); err != nil {
		return err
	}
	return blocks.WaitForNames(ctx, n.engine)
}

// stage moves the machine to a stage; a failure to show it stops nothing.
func (n *node) stage(ctx context.Context, stage lifecyclespec.Stage) {
	lifecycle.ShowStage(ctx, n.engine, n.log, stage)
}
