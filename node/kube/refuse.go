package kube

import (
	"errors"

	"github.com/ichor-os/ichor/config"
	"github.com/ichor-os/ichor/config/documents/v1alpha1"
)

// Refused says what of a config the control plane cannot run with.
func Refused(c *config.Config) error {
	main := c.Main()
	if main == nil || main.Cluster == nil {
		return nil
	}
	var refused []error
	if a := main.Cluster.APIServer; a != nil {
		refused = append(refused, v1alpha1.RefuseArguments("cluster.apiServer.extraArgs", a.ExtraArgs, apiServerRefused))
	}
	if m := main.Cluster.ControllerManager; m != nil {
		refused = append(refused, v1alpha1.RefuseArguments("cluster.controllerManager.extraArgs", m.ExtraArgs, controllerManagerRefused))
	}
	if s := main.Cluster.Scheduler; s != nil {
		refused = append(refused, v1alpha1.RefuseArguments("cluster.scheduler.extraArgs", s.ExtraArgs, schedulerRefused))
	}
	return errors.Join(refused...)
}
