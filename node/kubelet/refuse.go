package kubelet

import (
	"errors"
	"fmt"

	"github.com/ichor-os/ichor/config"
	"github.com/ichor-os/ichor/config/documents/v1alpha1"
)

// Refused says what of a config kubelet cannot run with.
func Refused(c *config.Config) error {
	main := c.Main()
	if main == nil || main.Machine == nil || main.Machine.Kubelet == nil {
		return nil
	}
	k := main.Machine.Kubelet
	err := v1alpha1.RefuseArguments("machine.kubelet.extraArgs", k.ExtraArgs, refusedArgs)
	for _, key := range refusedKeys {
		if _, ok := k.ExtraConfig[key]; ok {
			err = errors.Join(err, fmt.Errorf("machine.kubelet.extraConfig: %s: the system sets this key itself: remove it", key))
		}
	}
	return err
}
