// Package spec says which files a noun wants on the node, as plain data.
package spec

import "os"

// File is a file with its content.
type File struct {
	Path    string
	Content []byte
	// Mode is 0600 where it is 0; folders above that have to be made get the
	// owner and no more than their owner's rights plus passage.
	Mode     os.FileMode
	UID, GID int
}
