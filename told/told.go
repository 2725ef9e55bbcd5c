// Package told keeps a fault that is met again and again from being told as
// often.
package told

import (
	"context"
	"log/slog"
	"sync"
)

// Errors remembers the error that was told last. The zero value has told
// nothing. It is safe for concurrent use.
type Errors struct {
	mu   sync.Mutex
	last string
}

// Tell logs err at a level when it differs from the error before; nil is the end
// of a fault, after which the same error counts as new.
func (e *Errors) Tell(log *slog.Logger, level slog.Level, message string, err error) {
	text := ""
	if err != nil {
		text = err.Error()
	}
	e.mu.Lock()
	same := text == e.last
	e.last = text
	e.mu.Unlock()
	if err != nil && !same {
		log.Log(context.Background(), level, message, "error", err)
	}
}
