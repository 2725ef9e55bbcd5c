package etcfile

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/ichor-os/ichor/node/etcfile/spec"
	"github.com/ichor-os/ichor/resource"
)

// Mirror is the block that puts the files that nouns want in place. Those named
// in unbound are written to memory alone: no program of the node reads them
// below /etc.
func (f *Folder) Mirror(unbound ...string) resource.Block {
	return resource.Mirror("etc-files", spec.EtcFileSpecs, nil,
		func(_ context.Context, s *resource.Session, r resource.Resource[spec.EtcFileSpecSpec]) error {
			if !filepath.IsLocal(r.ID) || strings.HasSuffix(r.ID, "/") {
				return fmt.Errorf("write file: /etc/%s: it does not lie below /etc", r.ID)
			}
			write := f.Write
			for _, name := range unbound {
				if name == r.ID {
					write = f.Keep
				}
			}
			if err := write(r.ID, string(r.Spec.Contents), r.Spec.Mode); err != nil {
				return err
			}
			spec.EtcFileStatuses.Put(s, r.ID, spec.EtcFileStatusSpec{SpecVersion: r.Version.String()})
			return nil
		},
		func(_ context.Context, _ *resource.Session, r resource.Resource[spec.EtcFileSpecSpec]) error {
			return f.Remove(r.ID)
		})
}

// Keep writes the file to memory without showing it below /etc.
func (f *Folder) Keep(name, content string, mode os.FileMode) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.store(name, content, mode)
}
