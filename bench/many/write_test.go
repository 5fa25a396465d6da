package main

import (
	"encoding/binary"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The files have the rows that measure draws, in the format of numpy.save.
func TestWrite(t *testing.T) {
	m, folder := &mixture{classes: 20, features: 3}, t.TempDir()
	if err := m.write(folder, 100, 30); err != nil {
		t.Fatal(err)
	}
	for part, seed := range map[string]uint64{"train": 1, "test": 2} {
		x, y := m.draw(map[string]int{"train": 100, "test": 30}[part], seed)
		head, values := array(t, filepath.Join(folder, part+".x.npy"))
		if want := map[string]string{"train": "'shape': (100, 3)", "test": "'shape': (30, 3)"}[part]; !strings.Contains(head, want) || !strings.Contains(head, "'<f4'") {
			t.Errorf("%s: header %q", part, head)
		}
		for i, v := range x {
			if got := math.Float32frombits(values[i]); got != v {
				t.Fatalf("%s: value %d is %v, not %v", part, i, got, v)
			}
		}
		head, labels := array(t, filepath.Join(folder, part+".y.npy"))
		if !strings.Contains(head, "'<i4'") || len(labels) != len(y) {
			t.Errorf("%s: header %q, %d labels", part, head, len(labels))
		}
		for i, k := range y {
			if int(labels[i]) != k {
				t.Fatalf("%s: label %d is %d, not %d", part, i, labels[i], k)
			}
		}
	}
}

// array returns the header of a file of NumPy, and its numbers of four bytes.
func array(t *testing.T, path string) (head string, values []uint32) {
	t.Helper()
	all, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if string(all[:8]) != "\x93NUMPY\x01\x00" {
		t.Fatalf("%s begins with %q", path, all[:8])
	}
	end := 10 + int(binary.LittleEndian.Uint16(all[8:]))
	if end%64 != 0 || all[end-1] != '\n' {
		t.Errorf("%s: the header ends at %d with %q", path, end, all[end-1])
	}
	for at := end; at < len(all); at += 4 {
		values = append(values, binary.LittleEndian.Uint32(all[at:]))
	}
	return string(all[10:end]), values
}
