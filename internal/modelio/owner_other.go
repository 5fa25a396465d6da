//go:build !darwin && !dragonfly && !freebsd && !linux && !netbsd && !openbsd

package modelio

import (
	"io/fs"
	"os"
)

// copyOwner returns the permissions of the other file. Files have no owners on this system.
func copyOwner(_ *os.File, like fs.FileInfo) fs.FileMode { return like.Mode().Perm() }
