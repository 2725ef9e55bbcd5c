package kernel

import (
	"context"
	"fmt"
	"os"
	"strings"

	"github.com/ichor-os/ichor/node/kernel/spec"
	"github.com/ichor-os/ichor/resource"
)

// Cmdline is the source of the command line that the kernel was started with.
func Cmdline(path string) resource.Block {
	return resource.Source("kernel-cmdline", spec.KernelCmdlines, func(ctx context.Context, f *resource.Feed[spec.KernelCmdlineSpec]) error {
		text, err := os.ReadFile(path)
		if err != nil {
			return fmt.Errorf("read command line of the kernel: %w", err)
		}
		item := resource.Item[spec.KernelCmdlineSpec]{ID: "cmdline", Spec: spec.KernelCmdlineSpec{Cmdline: strings.TrimSpace(string(text))}}
		if err := f.Replace(item); err != nil {
			return err
		}
		<-ctx.Done()
		return ctx.Err()
	})
}
