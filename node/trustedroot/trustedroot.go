// Package trustedroot adds the certificate authorities of the config to those
// that the system ships: programs find both in the one file of /etc.
package trustedroot

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"strings"

	"github.com/ichor-os/ichor/config/documents/security"
	configspec "github.com/ichor-os/ichor/node/config/spec"
	etcfilespec "github.com/ichor-os/ichor/node/etcfile/spec"
	"github.com/ichor-os/ichor/resource"
	"github.com/ichor-os/ichor/resource/value"
)

// File is the bundle, below /etc.
const File = "ssl/certs/ca-certificates.crt"

// Reconciler is the block that wants the bundle with the config's authorities,
// where it has some. Path is the bundle that the system ships; it is read once,
// now, before another one lies over it.
func Reconciler(path string) resource.Block {
	shipped, unread := os.ReadFile(path)
	return resource.Reconciler("trusted-roots", func(_ context.Context, s *resource.Session) error {
		config, ok, err := configspec.Config(s)
		if err != nil || !ok {
			return err
		}
		var added bytes.Buffer
		for _, d := range config.Documents() {
			if roots, ok := d.(*security.TrustedRootsConfig); ok {
				fmt.Fprintf(&added, "\n# %s\n%s\n", roots.DocName, strings.TrimSpace(roots.Certificates))
			}
		}
		if added.Len() == 0 {
			return nil
		}
		if unread != nil {
			return fmt.Errorf("read the roots that the system ships: %w", unread)
		}
		etcfilespec.EtcFileSpecs.Put(s, File, etcfilespec.EtcFileSpecSpec{
			Contents: value.Text(bytes.Join([][]byte{bytes.TrimRight(shipped, "\n"), added.Bytes()}, []byte("\n"))), Mode: 0o644,
		})
		return nil
	})
}
