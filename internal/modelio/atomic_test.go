package modelio

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"unsafe"
)

func text(s string) func(io.Writer) error {
	return func(w io.Writer) error {
		_, err := io.WriteString(w, s)
		return err
	}
}

func content(t *testing.T, path, want string) {
	t.Helper()
	if got, err := os.ReadFile(path); err != nil || string(got) != want {
		t.Fatalf("%s holds %q (%v), want %q", path, got, err, want)
	}
}

func entries(t *testing.T, dir string, want ...string) {
	t.Helper()
	list, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, e := range list {
		got = append(got, e.Name())
	}
	if strings.Join(got, " ") != strings.Join(want, " ") {
		t.Fatalf("%s holds %q, want %q", dir, got, want)
	}
}

func perm(t *testing.T, path string, want fs.FileMode) {
	t.Helper()
	if info, err := os.Stat(path); err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != want {
		t.Fatalf("%s: %v, want %v (%v)", path, info.Mode(), want, err)
	}
}

func TestWriteFile(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "model.aoso")
	if err := WriteFile(path, text("old")); err != nil {
		t.Fatal(err)
	}
	content(t, path, "old")
	fresh := filepath.Join(dir, "fresh") // what the umask makes of 0644
	os.WriteFile(fresh, nil, 0o644)
	info, _ := os.Stat(fresh)
	perm(t, path, info.Mode().Perm())
	os.Remove(fresh)

	for _, mode := range []fs.FileMode{0o600, 0o664, 0o777} {
		os.Chmod(path, mode)
		if err := WriteFile(path, text("new")); err != nil {
			t.Fatal(err)
		}
		content(t, path, "new")
		perm(t, path, mode)
	}
	entries(t, dir, "model.aoso")

	t.Chdir(dir)
	if err := WriteFile("model.aoso", text("relative")); err != nil {
		t.Fatal(err)
	}
	content(t, path, "relative")
	entries(t, dir, "model.aoso")
}

func TestWriteFileFails(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "model.aoso")
	os.WriteFile(path, []byte("old"), 0o644)
	ours := errors.New("ours")
	fails := map[string]func(io.Writer) error{
		"at once": func(io.Writer) error { return ours },
		"late": func(w io.Writer) error {
			w.Write(make([]byte, 1<<20))
			return ours
		},
		// As on a full disk.
		"writing": func(w io.Writer) error {
			_, err := sample().WriteTo(io.MultiWriter(w, &full{left: 1000}))
			return errors.Join(ours, err)
		},
	}
	for name, fail := range fails {
		err := WriteFile(path, fail)
		if !errors.Is(err, ours) || !strings.Contains(err.Error(), path) {
			t.Errorf("%s: %v", name, err)
		}
		content(t, path, "old")
		entries(t, dir, "model.aoso")
	}
	func() {
		defer func() {
			if recover() == nil {
				t.Error("the panic was swallowed")
			}
		}()
		WriteFile(path, func(io.Writer) error { panic("ours") })
	}()
	content(t, path, "old")
	entries(t, dir, "model.aoso")

	for _, bad := range []string{dir, filepath.Join(dir, "absent", "x"), filepath.Join(path, "x"), ""} {
		err := WriteFile(bad, text("new"))
		if err == nil || !strings.Contains(err.Error(), "cannot write "+bad) || strings.Contains(err.Error(), ".tmp:") {
			t.Errorf("%q: %v", bad, err)
		}
	}
	entries(t, dir, "model.aoso")
	if runtime.GOOS == "linux" { // a rename would replace the device
		if err := WriteFile("/dev/full", text("new")); err == nil {
			t.Error("a device was replaced")
		}
	}
	if err := WriteFile(filepath.Join(dir, "absent", "x"), text("")); !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
}

func TestWriteFileLinks(t *testing.T) {
	dir := t.TempDir()
	real := filepath.Join(dir, "real")
	links := filepath.Join(dir, "links")
	os.Mkdir(real, 0o755)
	os.Mkdir(links, 0o755)
	link := func(to, name string) string {
		path := filepath.Join(links, name)
		if err := os.Symlink(to, path); err != nil {
			t.Skip(err)
		}
		return path
	}
	target := filepath.Join(real, "model")
	a := link(filepath.Join("..", "real", "model"), "a")
	b := link(a, "b")
	// The target may not exist yet.
	for _, path := range []string{a, b, a} {
		if err := WriteFile(path, text(path)); err != nil {
			t.Fatal(err)
		}
		content(t, target, path)
	}
	// Through a directory's link, ".." is the parent of the directory that the link leads to.
	os.MkdirAll(filepath.Join(real, "deep"), 0o755)
	os.Symlink(filepath.Join("..", "model"), filepath.Join(real, "deep", "up"))
	d := link(filepath.Join("..", "real", "deep"), "d")
	if err := WriteFile(filepath.Join(d, "up"), text("deep")); err != nil {
		t.Fatal(err)
	}
	content(t, target, "deep")

	loop := link("loop", "loop")
	if err := WriteFile(loop, text("x")); err == nil || !strings.Contains(err.Error(), "links") {
		t.Error(err)
	}
	entries(t, links, "a", "b", "d", "loop")
	entries(t, real, "deep", "model")
	if info, _ := os.Lstat(a); info.Mode()&fs.ModeSymlink == 0 {
		t.Error("the link was replaced")
	}
}

func TestReadFile(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "model.aoso")
	want := encoded(t, sample())
	if err := WriteFile(path, func(w io.Writer) error { _, err := sample().WriteTo(w); return err }); err != nil {
		t.Fatal(err)
	}
	got, err := ReadFile(Model, path)
	if err != nil || !bytes.Equal(got, want) || cap(got) != len(got) {
		t.Fatal(len(got), cap(got), err)
	}
	if uintptr(unsafe.Pointer(&got[0]))%alignment != 0 {
		t.Error("not aligned")
	}
	checkSample(t, got)

	// A pipe has no length.
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if _, err := os.Stat("/dev/fd"); err == nil {
		go func() { w.Write(want); w.Close() }()
		if got, err := ReadFile(Model, "/dev/fd/"+fmt.Sprint(r.Fd())); err != nil || !bytes.Equal(got, want) {
			t.Error(len(got), err)
		}
	}

	os.WriteFile(filepath.Join(dir, "empty"), nil, 0o644)
	os.WriteFile(filepath.Join(dir, "short"), want[:10], 0o644)
	os.WriteFile(filepath.Join(dir, "table.csv"), bytes.Repeat([]byte("1,2\n"), 1000), 0o644)
	for name, is := range map[string]error{"empty": ErrTruncated, "short": ErrTruncated, "table.csv": ErrForeign, "absent": fs.ErrNotExist, ".": nil} {
		path := filepath.Join(dir, name)
		_, err := ReadFile(Model, path)
		if err == nil || is != nil && !errors.Is(err, is) || strings.Count(err.Error(), path) != 1 {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestMapFile: a mapped file has the bytes that reading gives.
func TestMapFile(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "set.aoso")
	write := func(w *Writer) {
		t.Helper()
		if err := WriteFile(path, func(out io.Writer) error { _, err := w.WriteTo(out); return err }); err != nil {
			t.Fatal(err)
		}
	}
	write(sample())
	want := encoded(t, sample())
	memory, err := MapFile(Model, path)
	if err != nil || !bytes.Equal(memory.Bytes(), want) {
		t.Fatal(len(memory.Bytes()), err)
	}
	if runtime.GOOS == "linux" {
		if maps, err := os.ReadFile("/proc/self/maps"); err != nil || !bytes.Contains(maps, []byte(path)) {
			t.Error("the file is not mapped:", err)
		}
	}
	write(NewWriter(Model, nil))
	checkSample(t, memory.Bytes())
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	checkSample(t, memory.Bytes())
	memory.Free()

	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if _, err := os.Stat("/dev/fd"); err == nil {
		go func() { w.Write(want); w.Close() }()
		if memory, err := MapFile(Model, "/dev/fd/"+fmt.Sprint(r.Fd())); err != nil || !bytes.Equal(memory.Bytes(), want) {
			t.Error("a pipe:", err)
		}
	}
	os.WriteFile(filepath.Join(dir, "empty"), nil, 0o644)
	for name, is := range map[string]error{"empty": ErrTruncated, "absent": fs.ErrNotExist, ".": nil} {
		path := filepath.Join(dir, name)
		memory, err := MapFile(Model, path)
		if err == nil || is != nil && !errors.Is(err, is) || strings.Count(err.Error(), path) != 1 || memory != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestKinds: a file of one kind cannot be read as another.
func TestKinds(t *testing.T) {
	kinds := []Kind{Model, Dataset}
	for i, kind := range kinds {
		data, other := encoded(t, NewWriter(kind, nil)), kinds[1-i]
		if _, err := Open(kind, data); err != nil {
			t.Error(err)
		}
		want := fmt.Sprintf("not an aoso %s file: it is a %s", other, kind)
		if _, err := Open(other, data); !errors.Is(err, ErrForeign) || errors.Is(err, ErrCorrupt) || err.Error() != want {
			t.Errorf("%v, want %s", err, want)
		}
	}
}

func TestWritable(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "model.aoso")
	if err := Writable(path); err != nil {
		t.Error(err)
	}
	entries(t, dir)
	os.WriteFile(path, []byte("old"), 0o644)
	if err := Writable(path); err != nil {
		t.Error(err)
	}
	content(t, path, "old")
	for bad, want := range map[string]string{
		"":                                    "the name is empty",
		dir:                                   "not a regular file",
		dir + "/":                             "not a regular file",
		filepath.Join(dir, "no", "model"):     "no such file or directory",
		filepath.Join(dir, "no") + "/":        "no such file or directory",
		filepath.Join(path, "model"):          "not a directory",
		dir + "/" + strings.Repeat("m", 1000): "name too long",
	} {
		if err := Writable(bad); err == nil || !strings.HasPrefix(err.Error(), "cannot write "+cmp.Or(bad, `""`)+": ") || !strings.HasSuffix(err.Error(), want) {
			t.Errorf("%s: %v, want %q", bad, err, want)
		}
	}
	entries(t, dir, "model.aoso")
}

// TestLongestName: the name of the temporary file is valid for every valid name of a file.
func TestLongestName(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{strings.Repeat("m", 255), strings.Repeat("é", 127)} {
		if err := WriteFile(filepath.Join(dir, name), text("x")); err != nil {
			t.Error(err)
		}
	}
	entries(t, dir, strings.Repeat("m", 255), strings.Repeat("é", 127))
}

// TestDeadTemporaries: saving a file removes the temporary files of processes that were killed while saving it, and nothing else.
func TestDeadTemporaries(t *testing.T) {
	if runtime.GOOS != "linux" && runtime.GOOS != "darwin" {
		t.Skip("no file locks")
	}
	dir := t.TempDir()
	path := filepath.Join(dir, "model.aoso")
	for _, name := range []string{
		".model.aoso-0123456789abcdef.tmp", // dead
		".model.aoso-00000000deadbeef.tmp", // dead, and cannot be written to
		".model.aoso-0123456789abcdeg.tmp", // no number
		".model.aoso-123.tmp",
		".other.aoso-0123456789abcdef.tmp", // of another file
		".model.aoso-0123456789abcdef.txt",
	} {
		os.WriteFile(filepath.Join(dir, name), []byte("part"), 0o644)
	}
	os.Chmod(filepath.Join(dir, ".model.aoso-00000000deadbeef.tmp"), 0o444)
	os.Mkdir(filepath.Join(dir, ".model.aoso-1111111111111111.tmp"), 0o755)
	os.Symlink("model.aoso", filepath.Join(dir, ".model.aoso-2222222222222222.tmp"))
	live, err := newTemporary(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := WriteFile(path, text("new")); err != nil {
		t.Fatal(err)
	}
	content(t, path, "new")
	rest := []string{".model.aoso-0123456789abcdef.txt", ".model.aoso-0123456789abcdeg.tmp", ".model.aoso-1111111111111111.tmp",
		".model.aoso-123.tmp", ".model.aoso-2222222222222222.tmp", ".other.aoso-0123456789abcdef.tmp", "model.aoso"}
	with := append(slices.Clone(rest), filepath.Base(live.Name()))
	slices.Sort(with)
	entries(t, dir, with...)
	// The one that lives is not hindered.
	if _, err := live.WriteString("newest"); err != nil {
		t.Fatal(err)
	}
	if err := live.finish(); err != nil {
		t.Fatal(err)
	}
	content(t, path, "newest")
	entries(t, dir, rest...)
}

// TestSavesAtOnce: many processes can save one file at once; none fails, and the file always has the content of one of them.
func TestSavesAtOnce(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "model.aoso")
	whole := func(i int) string { return strings.Repeat(string(rune('a'+i)), 10000) }
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			for range 15 {
				if err := WriteFile(path, text(whole(i))); err != nil {
					t.Error(err)
				}
				if err := Writable(path); err != nil {
					t.Error(err)
				}
				if got, err := os.ReadFile(path); err != nil || len(got) != 10000 || strings.Trim(string(got), string(got[:1])) != "" {
					t.Errorf("%d bytes, %v", len(got), err)
				}
			}
		})
	}
	wg.Wait()
	entries(t, dir, "model.aoso")
}
