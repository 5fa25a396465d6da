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
	"syscall"
)

// WriteFile replaces the file at path by what write writes, all or nothing:
// until the new content is safe on disk under another name in the same
// directory, the old stays. A symbolic link is followed, the permissions of
// an existing file are kept.
func WriteFile(path string, write func(io.Writer) error) error {
	if err := writeFile(path, write); err != nil {
		return fmt.Errorf("cannot write %s: %w", path, err)
	}
	return nil
}

// Writable tells whether WriteFile can be expected to work: it goes as far as
// to make the temporary file, and removes it.
func Writable(path string) error {
	f, _, err := begin(path)
	if err != nil {
		return fmt.Errorf("cannot write %s: %w", path, err)
	}
	f.Close()
	return os.Remove(f.Name())
}

// begin makes the temporary file that is to become target, the file that path
// leads to.
func begin(path string) (f *os.File, target string, err error) {
	perm := fs.FileMode(0o644) // less the umask
	old, statErr := os.Stat(path)
	if statErr == nil {
		if !old.Mode().IsRegular() {
			return nil, "", errors.New("it exists and is not a regular file")
		}
		perm = old.Mode().Perm()
	}
	target, err = followLinks(path)
	if err != nil {
		return nil, "", err
	}
	dir, _ := filepath.Split(target) // ends in a separator or is empty
	f, err = createTemp(dir, perm)
	if err == nil && statErr == nil {
		if err = withoutPath(f.Chmod(perm), f.Name()); err != nil {
			f.Close()
			os.Remove(f.Name())
		}
	}
	return f, target, err
}

func writeFile(path string, write func(io.Writer) error) (err error) {
	f, target, err := begin(path)
	if err != nil {
		return err
	}
	renamed := false
	defer func() { // also when write panics
		if !renamed {
			f.Close()
			os.Remove(f.Name())
		}
		err = withoutPath(err, f.Name())
	}()
	b := bufio.NewWriter(f)
	if err := write(b); err != nil {
		return err
	}
	if err := b.Flush(); err != nil {
		return err
	}
	if err := f.Sync(); err != nil {
		return err
	}
	if err := f.Close(); err != nil {
		return err
	}
	if err := os.Rename(f.Name(), target); err != nil {
		return err
	}
	renamed = true
	dir, _ := filepath.Split(target)
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

// createTemp differs from os.CreateTemp in that the umask applies.
func createTemp(dir string, perm fs.FileMode) (*os.File, error) {
	for {
		name := fmt.Sprintf("%s.aoso-%016x.tmp", dir, rand.Uint64())
		f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, perm)
		if !errors.Is(err, fs.ErrExist) {
			return f, withoutPath(err, name)
		}
	}
}

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
