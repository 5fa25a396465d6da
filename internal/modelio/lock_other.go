//go:build !(darwin || dragonfly || freebsd || linux || netbsd || openbsd)

package modelio

import (
	"errors"
	"os"
)

// lock fails, as this system has no file locks. So no temporary file counts as dead.
func lock(*os.File) error { return errors.ErrUnsupported }
