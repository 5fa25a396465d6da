//go:build !linux

package modelio

import "os"

// reserve claims room for a file on the disk, where the file system can do that.
func reserve(*os.File, int64) error { return nil }
