package mount

import (
	"crypto/rand"
	"fmt"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"
)

// bootID is the kernel's id of this start of the computer.
const bootID = "/proc/sys/kernel/random/boot_id"

// ShadowBootID gives a node in namespaces an id of its own for each start.
// Clients that reboot a node wait until it changes; the computer's never does.
func ShadowBootID(sys System, folder string) error {
	var id [16]byte
	if _, err := rand.Read(id[:]); err != nil {
		return fmt.Errorf("make boot id: %w", err)
	}
	id[6], id[8] = id[6]&0x0f|0x40, id[8]&0x3f|0x80 // RFC 9562, version 4
	text := fmt.Sprintf("%x-%x-%x-%x-%x\n", id[:4], id[4:6], id[6:8], id[8:10], id[10:])
	if err := sys.MkdirAll(folder, 0o755); err != nil {
		return fmt.Errorf("make folder: %s: %w", folder, err)
	}
	source := filepath.Join(folder, "kernel.random.boot_id")
	if err := os.WriteFile(source, []byte(text), 0o444); err != nil {
		return fmt.Errorf("write boot id: %w", err)
	}
	if err := sys.Mount(source, bootID, "", unix.MS_BIND, ""); err != nil {
		return fmt.Errorf("shadow boot id: %w", err)
	}
	return nil
}
