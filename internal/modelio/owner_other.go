//go:build !darwin && !dragonfly && !freebsd && !linux && !netbsd && !openbsd

package modelio

import (
	"io/fs"
	"os"
)

// giveTo returns the permissions of the other file. Files have no owners here.
func giveTo(_ *os.File, like fs.FileInfo) fs.FileMode { return like.Mode().Perm() }
