// Package machine holds the commands about single machines: their services,
// logs, files, power and config.
//
// [Commands] makes all of them, one file a noun. Each asks the nodes of a
// [target.Target] and writes their answers with a column NODE; an error of one
// node does not hide the others' answers.
package machine

import (
	"github.com/spf13/cobra"

	commonpb "github.com/ichor-os/ichor/api/common"
)

// environment is like [os.LookupEnv].
type environment = func(name string) (string, bool)

// Commands makes the commands of this package.
func Commands(env environment) []*cobra.Command {
	return []*cobra.Command{
		newApplyConfig(env),
		newBootstrap(env),
		newContainers(env),
		newCopy(env),
		newDmesg(env),
		newEvents(env),
		newImage(env),
		newInspect(env),
		newKubeconfig(env),
		newList(env),
		newLogs(env),
		newMemory(env),
		newMeta(env),
		newMounts(env),
		newProcesses(env),
		newRead(env),
		newReboot(env),
		newReset(env),
		newRestart(env),
		newRollback(env),
		newService(env),
		newShutdown(env),
		newStats(env),
		newTime(env),
		newUpgrade(env),
		newUsage(env),
		newVersion(env),
	}
}

// engine are the flags that say which containers are meant.
type engine struct {
	kubernetes bool
}

func (e *engine) add(command *cobra.Command) {
	command.Flags().BoolVarP(&e.kubernetes, "kubernetes", "k", false, "those of Kubernetes instead of the system's")
	command.Flags().Bool("use-cri", false, "always so with --kubernetes")
	_ = command.Flags().MarkHidden("use-cri")
}

func (e *engine) namespace() string {
	if e.kubernetes {
		return "k8s.io"
	}
	return "system"
}

func (e *engine) driver() commonpb.ContainerDriver {
	if e.kubernetes {
		return commonpb.ContainerDriver_CRI
	}
	return commonpb.ContainerDriver_CONTAINERD
}
