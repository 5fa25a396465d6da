package modelio

import (
	"bufio"
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"unicode/utf8"
)

// WriteFile replaces the file at path by what write writes, atomically: the old file remains until the new content is safe on disk, under
// another name in the same directory. WriteFile follows symbolic links. It keeps the permissions of an existing file, and its owner and group
// if the process may give files away; otherwise the process owns the new file. WriteFile also removes temporary files of processes that
// were killed while they wrote this file.
func WriteFile(path string, write func(io.Writer) error) error {
	if err := writeFile(path, write); err != nil {
		return fmt.Errorf("cannot write %s: %w", path, err)
	}
	return nil
}

// Writable returns an error if WriteFile would fail at once: it creates the temporary file, and removes it.
func Writable(path string) error {
	t, err := newTemporary(path)
	if err != nil {
		return fmt.Errorf("cannot write %s: %w", cmp.Or(path, `""`), err)
	}
	return t.drop()
}

// temporary is a file that will replace target. It is locked while it is open, which tells other processes that its owner is alive.
type temporary struct {
	*os.File
	target string
}

// newTemporary creates the temporary file for the file that path leads to.
func newTemporary(path string) (*temporary, error) {
	if path == "" {
		return nil, errors.New("the name is empty")
	}
	perm := fs.FileMode(0o644) // without the bits of the umask
	old, statErr := os.Stat(path)
	switch {
	case statErr == nil && !old.Mode().IsRegular():
		return nil, errors.New("it exists and is not a regular file")
	case statErr == nil:
		perm = old.Mode().Perm()
	case !errors.Is(statErr, fs.ErrNotExist):
		return nil, withoutPath(statErr, path)
	}
	target, err := followLinks(path)
	if err != nil {
		return nil, err
	}
	dir, base := filepath.Split(target) // dir ends in a separator or is empty
	removeDead(dir, base)
	f, err := createTemp(dir, base, perm)
	if err != nil {
		return nil, err
	}
	t := &temporary{f, target}
	if statErr == nil {
		if err := f.Chmod(copyOwner(f, old)); err != nil {
			t.drop()
			return nil, withoutPath(err, f.Name())
		}
	}
	return t, nil
}

// drop removes the file.
func (t *temporary) drop() error {
	if runtime.GOOS == "windows" { // Windows cannot remove open files
		t.Close()
		return os.Remove(t.Name())
	}
	return errors.Join(os.Remove(t.Name()), t.Close())
}

// finish replaces the target by the file, which must be complete.
func (t *temporary) finish() error {
	if err := t.Sync(); err != nil {
		return err
	}
	if runtime.GOOS == "windows" { // Windows cannot rename open files
		t.Close()
		return os.Rename(t.Name(), t.target)
	}
	if err := os.Rename(t.Name(), t.target); err != nil {
		return err
	}
	return t.Close() // this also unlocks it
}

func writeFile(path string, write func(io.Writer) error) (err error) {
	t, err := newTemporary(path)
	if err != nil {
		return err
	}
	done := false
	defer func() { // also when write panics
		if !done {
			t.drop()
		}
		err = withoutPath(err, t.Name())
	}()
	b := bufio.NewWriter(t)
	if err := write(b); err != nil {
		return err
	}
	if err := b.Flush(); err != nil {
		return err
	}
	if err := t.finish(); err != nil {
		return err
	}
	done = true
	dir, _ := filepath.Split(t.target)
	return syncDir(dir)
}

// followLinks returns the file that path leads to, which need not exist. It does not clean the path: "a/.." is not "." if a is a link.
func followLinks(path string) (string, error) {
	for range 40 {
		info, err := os.Lstat(path)
		if err != nil || info.Mode()&fs.ModeSymlink == 0 {
			return path, nil // creating the file reports the error, if there is one
		}
		link, err := os.Readlink(path)
		if err != nil {
			return "", err
		}
		if !filepath.IsAbs(link) {
			dir, _ := filepath.Split(path)
			link = dir + link
		}
		path = link
	}
	return "", errors.New("too many symbolic links")
}

// tempPrefix returns the prefix of the names of a file's temporary files: a temporary file of model.aoso is called
// .model.aoso-0123456789abcdef.tmp. It shortens a very long name, so that the result is not longer than names may be.
func tempPrefix(base string) string {
	const most = 200
	if len(base) > most {
		n := most
		for n > 0 && !utf8.RuneStart(base[n]) {
			n--
		}
		base = base[:n]
	}
	return "." + base + "-"
}

// createTemp creates and locks a temporary file. Other than with os.CreateTemp, the umask applies.
func createTemp(dir, base string, perm fs.FileMode) (*os.File, error) {
	for {
		name := fmt.Sprintf("%s%s%016x.tmp", dir, tempPrefix(base), rand.Uint64())
		f, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_EXCL, perm)
		switch {
		case errors.Is(err, fs.ErrExist):
		case err != nil:
			return nil, withoutPath(err, name)
		case lock(f) == errLocked || !isAt(f, name): // another process is removing it as a dead one
			f.Close()
		default:
			return f, nil
		}
	}
}

// removeDead removes the temporary files of dead processes for a file: the ones that it can lock. It ignores errors.
func removeDead(dir, base string) {
	d, err := os.Open(cmp.Or(dir, "."))
	if err != nil {
		return
	}
	defer d.Close()
	names, _ := d.Readdirnames(-1)
	prefix := tempPrefix(base)
	for _, name := range names {
		random, ok := strings.CutPrefix(name, prefix)
		random, tmp := strings.CutSuffix(random, ".tmp")
		if !ok || !tmp || len(random) != 16 || strings.Trim(random, "0123456789abcdef") != "" {
			continue
		}
		path := dir + name
		if info, err := os.Lstat(path); err != nil || !info.Mode().IsRegular() {
			continue
		}
		f, err := os.OpenFile(path, os.O_RDWR, 0) // NFS locks only files that are open for writing
		if err != nil {
			f, err = os.Open(path)
		}
		if err == nil {
			if lock(f) == nil && isAt(f, path) {
				os.Remove(path)
			}
			f.Close()
		}
	}
}

// isAt reports whether an open file is still at path.
func isAt(f *os.File, path string) bool {
	open, err1 := f.Stat()
	named, err2 := os.Lstat(path)
	return err1 == nil && err2 == nil && os.SameFile(open, named)
}

// errLocked is the error of lock if another process has locked the file.
var errLocked = errors.New("locked")

// withoutPath removes the name of a file from err, such as a temporary file's, which would mean nothing to the user.
func withoutPath(err error, name string) error {
	if e, ok := err.(*fs.PathError); ok && e.Path == name {
		return e.Err
	}
	return err
}

// syncDir makes renames in dir survive a power failure, if the system supports that.
func syncDir(dir string) error {
	if runtime.GOOS == "windows" {
		return nil
	}
	d, err := os.Open(cmp.Or(dir, "."))
	if errors.Is(err, fs.ErrPermission) {
		return nil // a directory may be writable and not readable
	}
	if err != nil {
		return err
	}
	defer d.Close()
	err = d.Sync()
	if errors.Is(err, syscall.EINVAL) || errors.Is(err, errors.ErrUnsupported) {
		return nil
	}
	return err
}
