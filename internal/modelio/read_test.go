package modelio

import (
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/libaoso/aoso/internal/mem"
)

// claims returns a file whose prefix claims another length, with a correct checksum.
func claims(t *testing.T, length uint64) []byte {
	t.Helper()
	data := encoded(t, sample())
	binary.LittleEndian.PutUint64(data[24:], length)
	head := prefixSize + binary.LittleEndian.Uint64(data[16:])
	binary.LittleEndian.PutUint32(data[12:], headCRC(data[:head]))
	return data
}

// TestClaims: reading a file allocates no more memory than the file has bytes, whatever length it claims, and no more than the machine has.
func TestClaims(t *testing.T) {
	const huge = 8 << 40
	dir := t.TempDir()
	short, sparse, plain := filepath.Join(dir, "short"), filepath.Join(dir, "sparse"), filepath.Join(dir, "plain")
	for path, data := range map[string][]byte{short: claims(t, huge), sparse: claims(t, huge), plain: encoded(t, sample())} {
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, path := range []string{sparse, plain} { // long, but for the disk
		if err := os.Truncate(path, huge); err != nil {
			t.Skipf("no file of 8 TB here: %v", err)
		}
	}
	readers := map[string]func(path string) error{
		"ReadFile":  func(path string) error { _, err := ReadFile(Model, path); return err },
		"ReadBlock": func(path string) error { _, err := ReadBlock(Model, path); return err },
	}
	for name, read := range readers {
		for path, want := range map[string]string{
			short:  "bytes and should have 8796093022208",
			plain:  "bytes follow its end at byte",
			sparse: "it has 8.8e+03 GB; this machine has ",
		} {
			wantFrugal(t, name, path, want, read)
		}
	}
	wantFrugal(t, "MapFile", short, "should have 8796093022208", func(path string) error {
		_, err := MapFile(Model, path)
		return err
	})
}

// wantFrugal reads a file, which must fail and allocate little memory.
func wantFrugal(t *testing.T, name, path, want string, read func(path string) error) {
	t.Helper()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	err := read(path)
	runtime.ReadMemStats(&after)
	if err == nil || !strings.Contains(err.Error(), "cannot read "+path) || !strings.Contains(err.Error(), want) {
		t.Errorf("%s: %v, want %q", name, err, want)
	}
	if took := after.TotalAlloc - before.TotalAlloc; took > 1<<20 {
		t.Errorf("%s of %s took %d bytes", name, path, took)
	}
}

// TestClaimingStream: a stream is shorter or longer than it claims.
func TestClaimingStream(t *testing.T) {
	if _, err := os.Stat("/dev/fd"); err != nil {
		t.Skip(err)
	}
	length := uint64(len(encoded(t, sample())))
	for _, test := range []struct {
		data  []byte
		claim uint64
		want  error
		text  string
	}{
		{claims(t, 8<<40), 8 << 40, nil, "this machine has"},
		{claims(t, 1<<30), 1 << 30, ErrTruncated, "should have 1073741824"},
		{append(encoded(t, sample()), make([]byte, 1<<20)...), length, ErrCorrupt, "1 bytes follow its end"},
		{encoded(t, sample())[:100], length, ErrTruncated, "it has 100 bytes"},
	} {
		r, w, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		go func() { w.Write(test.data); w.Close() }()
		wantFrugal(t, "a stream", fmt.Sprintf("/dev/fd/%d", r.Fd()), test.text, func(path string) error {
			data, err := ReadFile(Model, path)
			if err == nil { // the content is looked at next
				if _, err = Open(Model, data); err != nil {
					err = fmt.Errorf("cannot read %s: %w", path, err)
				}
			}
			if test.want != nil && !errors.Is(err, test.want) {
				t.Errorf("%v, want %v", err, test.want)
			}
			return err
		})
		r.Close()
	}
}

// TestReadBlock: the block has the bytes of the file and can be written to.
func TestReadBlock(t *testing.T) {
	path := filepath.Join(t.TempDir(), "set")
	data := encoded(t, sample())
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
	var block *mem.Block
	block, err := ReadBlock(Model, path)
	if err != nil {
		t.Fatal(err)
	}
	defer block.Free()
	if err := os.Truncate(path, 0); err != nil { // what is mapped would be gone
		t.Fatal(err)
	}
	checkSample(t, block.Bytes())
	block.Bytes()[0]++
}
