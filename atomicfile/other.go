//go:build !unix

package atomicfile

import "io/fs"

// keepOwner does nothing: permissions are inherited from the folder.
func keepOwner(string, fs.FileInfo) {}

// syncFolder does nothing: folders cannot be synced here.
func syncFolder(string) error { return nil }
