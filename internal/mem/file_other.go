//go:build !unix

package mem

import "os"

func mapFile(*os.File, int) (data []byte, unmap func()) { return nil, nil }
