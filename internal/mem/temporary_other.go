//go:build !linux

package mem

import "os"

// Reserve claims room for a file on the disk, where the system can do that.
func Reserve(*os.File, int64) error { return nil }

func mapTemporary(string, int) (data []byte, unmap func()) { return nil, nil }
