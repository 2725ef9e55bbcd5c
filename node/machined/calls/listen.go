package calls

import (
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"net"
	"os"
	"path/filepath"

	"google.golang.org/grpc"
)

// Serve serves a local socket of the user uid until the server is stopped.
func Serve(log *slog.Logger, path string, uid int, server *grpc.Server) error {
	listener, err := Listen(path, uid)
	if err != nil {
		return err
	}
	go func() {
		if err := server.Serve(listener); err != nil {
			log.Error("local socket is not served any more", "path", path, "error", err)
		}
	}()
	return nil
}

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
