package settings

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"path/filepath"

	"github.com/fsnotify/fsnotify"
)

// Follow calls use with the settings in the file, and again each time the file
// is replaced, until ctx ends. The file may appear later; its folder must
// exist. A version that cannot be read, is not valid, or that use refuses is
// logged and left: what was in force before stays in force.
func Follow[T any, D Document[T]](ctx context.Context, path string, log *slog.Logger, use func(D) error) error {
	watcher, err := fsnotify.NewWatcher()
	if err != nil {
		return fmt.Errorf("follow settings: %s: %w", path, err)
	}

	defer watcher.Close()

	// The folder is watched, not the file: a rename puts another file there.
	if err := watcher.Add(filepath.Dir(path)); err != nil {
		return fmt.Errorf("follow settings: %s: %w", path, err)
	}

	take := func() {
		document, err := Load[T, D](path)

		switch {
		case errors.Is(err, fs.ErrNotExist):
			log.Debug("no settings yet", "path", path)
			return
		case err == nil:
			err = use(document)
		}

		if err != nil {
			log.Error("settings refused, the previous ones stay in force", "path", path, "error", err)
			return
		}

		log.Info("settings in force", "path", path)
	}

	take()

	for {
		select {
		case <-ctx.Done():
			return nil
		case event, ok := <-watcher.Events:
			if !ok {
				return fmt.Errorf("follow settings: %s: watch ended", path)
			}

			if filepath.Clean(event.Name) == filepath.Clean(path) && event.Has(fsnotify.Create|fsnotify.Write) {
				take()
			}
		case err, ok := <-watcher.Errors:
			if !ok {
				return fmt.Errorf("follow settings: %s: watch ended", path)
			}

			// Events were lost, so whatever there is now is read.
			log.Warn("watch of settings stumbled", "path", path, "error", err)
			take()
		}
	}
}
