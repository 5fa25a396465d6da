//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package modelio

import (
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
)

// replace replaces the file at path by WriteFile.
func replace(path string) error {
	return WriteFile(path, func(w io.Writer) error {
		_, err := io.WriteString(w, "new")
		return err
	})
}

// TestOwnerKept: if root replaces the file of a service, the service still owns it.
func TestOwnerKept(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only root can give files away")
	}
	const service, serviceGroup = 12345, 12346
	dir := t.TempDir()
	for _, mode := range []os.FileMode{0o600, 0o640, 0o664} {
		path := filepath.Join(dir, "m")
		if err := os.WriteFile(path, []byte("old"), mode); err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(path, mode); err != nil {
			t.Fatal(err)
		}
		if err := os.Chown(path, service, serviceGroup); err != nil {
			t.Skip(err)
		}
		if err := replace(path); err != nil {
			t.Fatal(err)
		}
		info, err := os.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		if s := info.Sys().(*syscall.Stat_t); s.Uid != service || s.Gid != serviceGroup || info.Mode().Perm() != mode || info.Size() != 3 {
			t.Errorf("owner %d, group %d, mode %o; want %d, %d, %o", s.Uid, s.Gid, info.Mode().Perm(), service, serviceGroup, mode)
		}
	}
}

// TestGroupLost: if the file cannot keep its group, its new group gets no permissions that other users do not have.
func TestGroupLost(t *testing.T) {
	if path := os.Getenv("MODELIO_TEST_REPLACE"); path != "" {
		if err := replace(path); err != nil {
			t.Fatal(err)
		}
		return
	}
	if os.Geteuid() != 0 {
		t.Skip("only root can be another user")
	}
	dir, err := os.MkdirTemp("/tmp", "modelio")
	if err != nil {
		t.Skip(err)
	}
	defer os.RemoveAll(dir)
	program := filepath.Join(dir, "test") // where the other user may execute it
	content, err := os.ReadFile(os.Args[0])
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(program, content, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(dir, 0o777); err != nil {
		t.Fatal(err)
	}
	for mode, want := range map[os.FileMode]os.FileMode{0o660: 0o600, 0o664: 0o644, 0o600: 0o600, 0o666: 0o666} {
		path := filepath.Join(dir, "m")
		os.Remove(path)
		if err := os.WriteFile(path, []byte("old"), mode); err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(path, mode); err != nil {
			t.Fatal(err)
		}
		c := exec.Command(program, "-test.run", "^TestGroupLost$")
		c.Env = append(os.Environ(), "MODELIO_TEST_REPLACE="+path)
		c.Dir, c.SysProcAttr = dir, &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 12345, Gid: 12346}}
		if out, err := c.CombinedOutput(); err != nil {
			t.Fatalf("%v, %s", err, out)
		}
		info, err := os.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		if s := info.Sys().(*syscall.Stat_t); s.Uid != 12345 || s.Gid != 12346 || info.Mode().Perm() != want {
			t.Errorf("mode %o: owner %d, group %d, mode %o; want mode %o", mode, s.Uid, s.Gid, info.Mode().Perm(), want)
		}
	}
}
