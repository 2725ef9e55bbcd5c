package blocks

import (
	"os"

	"github.com/ichor-os/ichor/node/log/export"
	"github.com/ichor-os/ichor/resource"
)

// exports are the blocks that send logs and events away.
func exports(n Needs) []resource.Block {
	options := export.Options{Exporter: n.Export, SharedKernel: n.SharedKernel}
	if !n.SharedKernel {
		// A machine whose command line cannot be read has no destinations there.
		text, _ := os.ReadFile("/proc/cmdline")
		options.CommandLine = string(text)
	}
	return export.Blocks(options)
}
