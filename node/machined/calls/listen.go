package calls

import (
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
)

// Listen makes the local socket of the machine API at path. Only root and the
// user uid may connect; who it is that called is looked at again at each call.
func Listen(path string, uid int) (net.Listener, error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return nil, fmt.Errorf("serve machine API: %w", err)
	}
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("serve machine API: %w", err)
	}
	listener, err := net.Listen("unix", path)
	if err != nil {
		return nil, fmt.Errorf("serve machine API: %w", err)
	}
	if err := os.Chmod(path, 0o660); err != nil {
		return nil, errors.Join(fmt.Errorf("serve machine API: %w", err), listener.Close())
	}
	if err := os.Chown(path, 0, uid); err != nil {
		return nil, errors.Join(fmt.Errorf("serve machine API: %w", err), listener.Close())
	}
	return listener, nil
}
