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

// WriteFile replaces the file at path by what write writes, all or nothing:
// until the new content is safe on disk under another name in the same
// directory, the old stays. A symbolic link is followed. The permissions, the owner
// and the group of an existing file are kept, if the process may give files away;
// else the process owns the new file. Of a process that was killed while it wrote the
// file, what it left is removed.
func WriteFile(path string, write func(io.Writer) error) error {
	if err := writeFile(path, write); err != nil {
		return fmt.Errorf("cannot write %s: %w", path, err)
	}
	return nil
}

// Writable returns an error unless WriteFile can be expected to work: it goes as far as
// to make the temporary file, and removes it.
func Writable(path string) error {
	t, err := begin(path)
	if err != nil {
		return fmt.Errorf("cannot write %s: %w", cmp.Or(path, `""`), err)
	}
	return t.drop()
}

// temporary is a file that is to become target. It is locked for as long as
// it is open, which tells others that its owner lives.
type temporary struct {
	*os.File
	target string
}

// begin makes the temporary file for the file that path leads to.
func begin(path string) (*temporary, error) {
	if path == "" {
		return nil, errors.New("the name is empty")
	}
	perm := fs.FileMode(0o644) // less the umask
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
		if err := f.Chmod(giveTo(f, old)); err != nil {
			t.drop()
			return nil, withoutPath(err, f.Name())
		}
	}
	return t, nil
}

// drop removes the file.
func (t *temporary) drop() error {
	if runtime.GOOS == "windows" { // which removes no open file
		t.Close()
		return os.Remove(t.Name())
	}
	return errors.Join(os.Remove(t.Name()), t.Close())
}

// finish makes the file, which is complete, the target.
func (t *temporary) finish() error {
	if err := t.Sync(); err != nil {
		return err
	}
	if runtime.GOOS == "windows" { // which renames no open file
		t.Close()
		return os.Rename(t.Name(), t.target)
	}
	if err := os.Rename(t.Name(), t.target); err != nil {
		return err
	}
	return t.Close() // and with it the lock
}

func writeFile(path string, write func(io.Writer) error) (err error) {
	t, err := begin(path)
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

// followLinks returns the file that path leads to, which need not exist yet.
// The parts are not cleaned: "a/.." is not "." where a is a link.
func followLinks(path string) (string, error) {
	for range 40 {
		info, err := os.Lstat(path)
		if err != nil || info.Mode()&fs.ModeSymlink == 0 {
			return path, nil // what is wrong, if anything, the creation will tell
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

// A temporary file of model.aoso is .model.aoso-0123456789abcdef.tmp.

// tempPrefix returns what the names of the temporary files of a file begin with.
// Of a very long name it takes the start, to leave room for the rest.
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

// createTemp differs from os.CreateTemp in that the umask applies, and that the
// file is locked.
func createTemp(dir, base string, perm fs.FileMode) (*os.File, error) {
	for {
		name := fmt.Sprintf("%s%s%016x.tmp", dir, tempPrefix(base), rand.Uint64())
		f, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_EXCL, perm)
		switch {
		case errors.Is(err, fs.ErrExist):
		case err != nil:
			return nil, withoutPath(err, name)
		case lock(f) == errLocked || !isAt(f, name): // another took it for a dead one
			f.Close()
		default:
			return f, nil
		}
	}
}

// removeDead removes the temporary files of a file whose owners are no more:
// those that can be locked. What cannot be done is left.
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
		f, err := os.OpenFile(path, os.O_RDWR, 0) // for NFS
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

// isAt reports whether an open file is still the one at path.
func isAt(f *os.File, path string) bool {
	open, err1 := f.Stat()
	named, err2 := os.Lstat(path)
	return err1 == nil && err2 == nil && os.SameFile(open, named)
}

// errLocked is the error of locking what another has locked.
var errLocked = errors.New("locked")

// withoutPath removes the name of the temporary file, which nobody has heard
// of, from err.
func withoutPath(err error, name string) error {
	if e, ok := err.(*fs.PathError); ok && e.Path == name {
		return e.Err
	}
	return err
}

// syncDir makes a rename in dir last through a power cut, where the system
// has a way to do that.
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
