//go:build !(darwin || dragonfly || freebsd || linux || netbsd || openbsd)

package modelio

import (
	"errors"
	"os"
)

// lock cannot lock files here, so none is ever taken for dead.
func lock(*os.File) error { return errors.ErrUnsupported }
