//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package modelio

import (
	"io/fs"
	"os"
	"syscall"
)

// copyOwner gives f the owner and group of another file, as far as the process may, and returns the permissions to set: those of the other
// file. If f keeps another group, the group gets no permissions that all users do not have.
func copyOwner(f *os.File, like fs.FileInfo) fs.FileMode {
	perm := like.Mode().Perm()
	own, err := f.Stat()
	if err != nil {
		return perm
	}
	target, ok1 := like.Sys().(*syscall.Stat_t)
	current, ok2 := own.Sys().(*syscall.Stat_t)
	if !ok1 || !ok2 {
		return perm
	}
	if target.Uid != current.Uid && f.Chown(int(target.Uid), int(target.Gid)) == nil {
		return perm
	}
	if target.Gid != current.Gid && f.Chown(-1, int(target.Gid)) != nil {
		const group, others = 0o070, 0o007
		perm &^= group &^ (perm & others << 3)
	}
	return perm
}
