package etcd

import (
	"github.com/ichor-os/ichor/config"
	"github.com/ichor-os/ichor/config/documents/v1alpha1"
)

// Refused says what of a config etcd cannot run with.
func Refused(c *config.Config) error {
	if main := c.Main(); main != nil && main.Cluster != nil && main.Cluster.Etcd != nil {
		return v1alpha1.RefuseArguments("cluster.etcd.extraArgs", main.Cluster.Etcd.ExtraArgs, refusedArgs)
	}
	return nil
}
