package cri

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"time"
)

// CacheURL is where a node serves its image cache.
const (
	cacheAddress = "127.0.0.1:7446"
	CacheURL     = "http://" + cacheAddress
)

// HasImages reports whether the folder is an OCI layout.
func HasImages(layout string) bool {
	_, err := os.Stat(filepath.Join(layout, "index.json"))
	return err == nil
}

// Serve serves the layouts at CacheURL until ctx ends; it returns when it
// listens.
func Serve(ctx context.Context, log *slog.Logger, layouts ...string) error {
	listener, err := net.Listen("tcp4", cacheAddress)
	if err != nil {
		return fmt.Errorf("serve image cache: %w", err)
	}
	server := &http.Server{Handler: &Cache{Layouts: layouts}, ReadHeaderTimeout: 10 * time.Second}
	context.AfterFunc(ctx, func() { _ = server.Close() })
	go func() {
		if err := server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
			log.Error("image cache is not served any more", "error", err)
		}
	}()
	return nil
}
