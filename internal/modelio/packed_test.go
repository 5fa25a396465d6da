package modelio

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/libaoso/aoso/internal/pack"
)

// TestNamesFile: names come back, also with packed arrays. A list of names cannot be read as an array.
func TestNamesFile(t *testing.T) {
	names := make([]string, 1000)
	for i := range names {
		names[i] = fmt.Sprintf("Quercus robur %d", i)
	}
	w := NewWriter(Model, struct{}{})
	Add(w, "steps", make([]float32, 1000))
	AddNames(w, "classes", names)
	for _, packed := range []bool{false, true} {
		var b bytes.Buffer
		write := w.WriteTo
		if packed {
			write = w.WritePacked
		}
		if _, err := write(&b); err != nil {
			t.Fatal(err)
		}
		f, err := Open(Model, b.Bytes())
		if err != nil {
			t.Fatal(err)
		}
		if have, err := f.Names("classes"); err != nil || !slices.Equal(have, names) {
			t.Errorf("%d names: %v", len(have), err)
		}
		if _, err := f.Names("steps"); !errors.Is(err, ErrCorrupt) || !strings.Contains(err.Error(), `no array "steps" of type str`) {
			t.Error(err)
		}
		var steps []uint8
		if err := Read(f, "classes", &steps); !errors.Is(err, ErrCorrupt) || !strings.Contains(err.Error(), "type str instead of u8") {
			t.Error(err)
		}
	}
}

// TestPackedFile: a file with packed arrays has the same content, and errors say what is wrong with an array.
func TestPackedFile(t *testing.T) {
	w, steps, pairs := NewWriter(Model, map[string]int{"a": 1}), make([]float32, 1000), []uint16{1, 2, 3}
	for i := range steps {
		steps[i] = float32(i%5) / 8
	}
	AddGroups(w, "steps", steps, 5)
	Add(w, "pairs", pairs)
	var plain, short bytes.Buffer
	if _, err := w.WriteTo(&plain); err != nil {
		t.Fatal(err)
	}
	if _, err := w.WritePacked(&short); err != nil {
		t.Fatal(err)
	}
	if short.Len() > plain.Len()-3000 {
		t.Errorf("%d bytes, and packed %d", plain.Len(), short.Len())
	}
	for _, data := range [][]byte{plain.Bytes(), short.Bytes()} {
		file, err := Open(Model, data)
		if err != nil {
			t.Fatal(err)
		}
		got, err := Array[float32](file, "steps")
		if err != nil || !slices.Equal(got, steps) {
			t.Error("steps:", err)
		}
		if got, err := Array[uint16](file, "pairs"); err != nil || !slices.Equal(got, pairs) {
			t.Error("pairs:", err)
		}
	}
	code := pack.Pack("f32", encode(steps, bigEndian), 5)
	code[0] = 0xff
	body := append(code, make([]byte, align(uint64(len(code)))-uint64(len(code)))...)
	for count, want := range map[uint64]error{1000: nil, uint64(len(code))*pack.MostPerByte + 64: ErrCorrupt, math.MaxUint64: ErrCorrupt} {
		file, err := Open(Model, forgeArrays(fmt.Sprintf(`[{"name":"a","type":"f32","count":%d,"packed":%d,"offset":512,"crc32c":"%s"}]`, count, len(code), checksum(code)), body))
		if !errors.Is(err, want) {
			t.Errorf("%d elements: %v", count, err)
		}
		if err == nil {
			if _, err := Array[float32](file, "a"); !errors.Is(err, ErrCorrupt) || !strings.Contains(err.Error(), `"a"`) {
				t.Error(err)
			}
		}
	}
}
