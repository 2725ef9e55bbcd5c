//go:build !(linux || darwin || freebsd || netbsd || openbsd || dragonfly)

package atomicfile

// Lock does nothing: there are no locks of this sort here.
func Lock(string) (unlock func() error, err error) { return func() error { return nil }, nil }
