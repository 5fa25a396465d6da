package modelio

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"math"
	"reflect"
	"strings"
	"testing"
	"unsafe"

	"github.com/libaoso/aoso/internal/pack"
)

type meta struct {
	Classes []string `json:"classes"`
	Seed    uint64   `json:"seed"`
}

type feature int32

var f64s = []float64{0, math.Copysign(0, -1), math.Inf(1), math.Inf(-1), math.Float64frombits(0x7ff8dead0000beef),
	math.Float64frombits(0xfff0000000000001), math.SmallestNonzeroFloat64, math.MaxFloat64}
var f32s = []float32{1.5, float32(math.Inf(-1)), math.Float32frombits(0x7fc0dead), math.Float32frombits(0xff800001)}

func sample() *Writer {
	w := NewWriter(Model, meta{[]string{"<a&b>", "é\u2028\n", ""}, math.MaxUint64})
	Add(w, "i8", []int8{-128, 0, 127})
	Add(w, "u8", []uint8{0, 255})
	Add(w, "u16", []uint16{0x0102, 0xffff})
	Add(w, "i32", []feature{math.MinInt32, 0x01020304})
	Add(w, "u32", []uint32{math.MaxUint32})
	Add(w, "i64", []int64{math.MinInt64, 0x0102030405060708})
	Add(w, "u64", []uint64{math.MaxUint64})
	Add(w, "f32", f32s)
	Add(w, "f64", f64s)
	Add(w, "none", []float64{})
	Add(w, "nil", []uint8(nil))
	return w
}

func encoded(t testing.TB, w *Writer) []byte {
	t.Helper()
	var b bytes.Buffer
	n, err := w.WriteTo(&b)
	if err != nil {
		t.Fatal(err)
	}
	if n != int64(b.Len()) || n%alignment != 0 {
		t.Fatalf("WriteTo says %d bytes and wrote %d", n, b.Len())
	}
	return aligned(b.Bytes())
}

func aligned(b []byte) []byte {
	a := alignedBytes(len(b))
	copy(a, b)
	return a
}

func check[T Element](t *testing.T, f *File, name string, want []T) []T {
	t.Helper()
	got, err := Array[T](f, name)
	if err != nil {
		t.Fatal(err)
	}
	// By bytes, for NaN and its payload.
	if got == nil || len(got) != len(want) || !bytes.Equal(memory(got), memory(want)) {
		t.Fatalf("array %s: %v, want %v", name, got, want)
	}
	return got
}

func checkSample(t *testing.T, data []byte) {
	t.Helper()
	f, err := Open(Model, data)
	if err != nil {
		t.Fatal(err)
	}
	var m meta
	if err := f.Meta(&m); err != nil || !reflect.DeepEqual(m, meta{[]string{"<a&b>", "é\u2028\n", ""}, math.MaxUint64}) {
		t.Fatal(m, err)
	}
	check(t, f, "i8", []int8{-128, 0, 127})
	check(t, f, "u8", []uint8{0, 255})
	check(t, f, "u16", []uint16{0x0102, 0xffff})
	check(t, f, "i32", []feature{math.MinInt32, 0x01020304})
	check(t, f, "u32", []uint32{math.MaxUint32})
	check(t, f, "i64", []int64{math.MinInt64, 0x0102030405060708})
	check(t, f, "u64", []uint64{math.MaxUint64})
	check(t, f, "f32", f32s)
	check(t, f, "f64", f64s)
	check(t, f, "none", []float64{})
	check(t, f, "nil", []uint8{})
}

func TestRoundTrip(t *testing.T) {
	data := encoded(t, sample())
	checkSample(t, data)

	// In place where it can be, at an address fit for any vector load.
	f, _ := Open(Model, data)
	if got := check(t, f, "f64", f64s); !bigEndian {
		p := uintptr(unsafe.Pointer(&got[0]))
		first := uintptr(unsafe.Pointer(&data[0]))
		if p%alignment != 0 || p < first || p >= first+uintptr(len(data)) || cap(got) != len(got) {
			t.Fatal("the array is not in place")
		}
	}
	// At odd addresses the arrays are copies.
	for shift := 1; shift < 8; shift++ {
		checkSample(t, append(make([]byte, shift, len(data)+8), data...)[shift:])
	}
	// The smallest files.
	for _, w := range []*Writer{NewWriter(Model, nil), NewWriter(Model, map[string]any{})} {
		if _, err := Open(Model, encoded(t, w)); err != nil {
			t.Fatal(err)
		}
	}
}

// Every length of header near the points where offsets gain a digit.
func TestHeaderLengths(t *testing.T) {
	for n := range 1200 {
		w := NewWriter(Model, strings.Repeat("x", n*9))
		for i := range 5 {
			Add(w, fmt.Sprint(i), make([]int32, i*n))
		}
		f, err := Open(Model, encoded(t, w))
		if err != nil {
			t.Fatal(n, err)
		}
		check(t, f, "4", make([]int32, 4*n))
	}
}

func TestDeterminismAndHash(t *testing.T) {
	m := map[string]any{}
	for i := range 20 {
		m[fmt.Sprint(i)] = i
	}
	if !bytes.Equal(encoded(t, NewWriter(Model, m)), encoded(t, NewWriter(Model, m))) {
		t.Fatal("equal content, different bytes")
	}
	w := sample()
	data := encoded(t, w)
	if !bytes.Equal(data, encoded(t, w)) || !bytes.Equal(data, encoded(t, sample())) {
		t.Fatal("equal content, different bytes")
	}
	if w.Hash() != sample().Hash() {
		t.Fatal("equal content, different hash")
	}
	// Fingerprints outlive releases: this may change only together with a
	// decision that it should.
	golden := NewWriter(Model, meta{[]string{"a", "b"}, 7})
	Add(golden, "x", []int32{1, -2})
	sum := golden.Hash()
	if got := hex.EncodeToString(sum[:]); got != goldenHash {
		t.Error("hash", got)
	}
	seen := map[[32]byte]int{}
	add := func(m any, adds ...func(*Writer)) {
		w := NewWriter(Model, m)
		for _, a := range adds {
			a(w)
		}
		if i, ok := seen[w.Hash()]; ok {
			t.Errorf("contents %d and %d have one hash", i, len(seen))
		}
		seen[w.Hash()] = len(seen)
	}
	array := func(name string, v ...int32) func(*Writer) { return func(w *Writer) { Add(w, name, v) } }
	add(1)
	add(2)
	add(1, array("a"))
	add(1, array("a"), array("b"))
	add(1, array("b"), array("a"))
	add(1, array("ab"))
	add(1, array("a", 1))
	add(1, array("a", 2))
	add(1, array("a", 1), array("b"))
	add(1, array("a"), array("b", 1))
	add(1, func(w *Writer) { Add(w, "a", []uint32{1}) })
}

const goldenHash = "d657b85ed610b1a8b2df4fcbf79c67b816ae02ae834c4d7255d31227c9f8ed8b"

// The layout, read without code of the package.
func TestLayout(t *testing.T) {
	w := NewWriter(Model, map[string]string{"note": "<&>"})
	Add(w, "x", []int32{1, -2})
	Add(w, "y", []float64{0.5})
	data := encoded(t, w)
	size := binary.LittleEndian.Uint64(data[16:])
	want := `{
  "format": "aoso-model",
  "version": 1,
  "meta": {
    "note": "<&>"
  },
  "arrays": [
    {"name":"x","type":"i32","count":2,"offset":320,"crc32c":"` + checksum([]byte{1, 0, 0, 0, 254, 255, 255, 255}) + `"},
    {"name":"y","type":"f64","count":1,"offset":384,"crc32c":"` + checksum([]byte{0, 0, 0, 0, 0, 0, 0xe0, 0x3f}) + `"}
  ]
}`
	header := string(data[32 : 32+size])
	if strings.TrimRight(header, " \n") != want || !strings.HasSuffix(header, "\n") {
		t.Fatalf("header\n%s\nwant\n%s", header, want)
	}
	if string(data[:8]) != "AOSO\r\n\x1a\n" || data[8] != 1 || size != 320-32 ||
		binary.LittleEndian.Uint64(data[24:]) != 448 || len(data) != 448 {
		t.Fatalf("prefix %q", data[:32])
	}
	if !bytes.Equal(data[320:328], []byte{1, 0, 0, 0, 254, 255, 255, 255}) || data[391] != 0x3f {
		t.Fatal("arrays are not where they should be")
	}
}

func TestByteOrder(t *testing.T) {
	in := []uint32{0x01020304, 0xfffefdfc}
	if got := encode(in, !bigEndian); !bytes.Equal(got, []byte{1, 2, 3, 4, 255, 254, 253, 252}) {
		t.Fatal(got)
	}
	if in[0] != 0x01020304 {
		t.Fatal("the caller's array was changed")
	}
	big := []byte{0xc0, 0x09, 0x21, 0xfb, 0x54, 0x44, 0x2d, 0x18}
	if got := decode[float64](big, !bigEndian); got[0] != -math.Pi || big[0] != 0xc0 {
		t.Fatal(got, big)
	}
	if got := decode[int8](encode([]int8{1, -2}, true), true); got[0] != 1 || got[1] != -2 {
		t.Fatal(got)
	}
	if got := decode[uint16](encode([]uint16{}, true), true); got == nil || len(got) != 0 {
		t.Fatal(got)
	}

	// The whole way, as a host of the other order would go it.
	data := encoded(t, sample())
	defer func(old bool) { bigEndian = old }(bigEndian)
	bigEndian = !bigEndian
	swapped := encoded(t, sample())
	if len(swapped) != len(data) || bytes.Equal(swapped, data) {
		t.Fatal("nothing was swapped")
	}
	checkSample(t, swapped)
}

// Open detects any flipped bit and any truncation.
func TestDamage(t *testing.T) {
	data := encoded(t, sample())
	for i := range data {
		for bit := range 8 {
			data[i] ^= 1 << bit
			_, err := Open(Model, data)
			if err == nil {
				t.Fatalf("bit %d of byte %d flipped, unnoticed", bit, i)
			}
			if !errors.Is(err, ErrForeign) && !errors.Is(err, ErrNewer) && !errors.Is(err, ErrTruncated) && !errors.Is(err, ErrCorrupt) {
				t.Fatal(err)
			}
			data[i] ^= 1 << bit
		}
	}
	for n := range data {
		_, err := Open(Model, data[:n])
		if !errors.Is(err, ErrTruncated) || !strings.Contains(err.Error(), fmt.Sprint(n, " bytes")) {
			t.Fatalf("%d of %d bytes: %v", n, len(data), err)
		}
		if n >= prefixSize && !strings.Contains(err.Error(), fmt.Sprint("should have ", len(data))) {
			t.Fatal(err)
		}
	}
	for _, more := range []int{1, 63, 64, 1000} {
		if _, err := Open(Model, append(bytes.Clone(data), make([]byte, more)...)); !errors.Is(err, ErrCorrupt) {
			t.Fatalf("%d bytes appended: %v", more, err)
		}
	}
}

func TestErrorTexts(t *testing.T) {
	data := encoded(t, sample())
	binary.LittleEndian.PutUint32(data[8:], 2)
	later := forge(`{"format":"aoso-dataset","version":2,"meta":{},"arrays":[]}`, nil)
	binary.LittleEndian.PutUint32(later[8:], 2)
	binary.LittleEndian.PutUint32(later[12:], headCRC(later))
	if _, err := Open(Dataset, later); !errors.Is(err, ErrNewer) || !strings.Contains(err.Error(), "version 2 and this build of aoso reads up to version 1") {
		t.Error(err)
	}
	for _, c := range []struct {
		data  []byte
		is    error
		words []string
	}{
		{nil, ErrTruncated, []string{"empty"}},
		{[]byte("f1,f2\n1,2"), ErrForeign, []string{`"f1,f2\n1,"`}},
		{[]byte("AOSO\n\x1a\n"), ErrForeign, []string{"text mode"}},
		{data[:100], ErrNewer, []string{"version 2", "up to version 1", "update"}},
	} {
		_, err := Open(Model, c.data)
		if !errors.Is(err, c.is) {
			t.Fatalf("%q: %v", c.data, err)
		}
		for _, word := range c.words {
			if !strings.Contains(err.Error(), word) {
				t.Errorf("%q lacks %q", err, word)
			}
		}
	}
	f, err := Open(Model, encoded(t, sample()))
	if err != nil {
		t.Fatal(err)
	}
	_, err = Array[float32](f, "f64")
	if want := `file is corrupt: array "f64" has type f64 instead of f32`; err == nil || err.Error() != want {
		t.Error(err)
	}
	_, err = Array[float32](f, "absent")
	if want := `file is corrupt: there is no array "absent" of type f32`; err == nil || err.Error() != want {
		t.Error(err)
	}
	if err := f.Meta(&[]int{}); !errors.Is(err, ErrCorrupt) {
		t.Error(err)
	}
	var less struct{ Seed uint64 }
	if err := f.Meta(&less); !errors.Is(err, ErrNewer) || !strings.Contains(err.Error(), `has "classes", which`) {
		t.Error(err)
	}
}

func TestWriterRefuses(t *testing.T) {
	w := NewWriter(Model, math.NaN())
	if w.Err() == nil {
		t.Error("a NaN in the meta")
	}
	for _, names := range [][]string{{""}, {"a", "a"}, {"\xff"}} {
		w := NewWriter(Model, nil)
		for _, name := range names {
			Add(w, name, []int8{1})
		}
		if n, err := w.WriteTo(&bytes.Buffer{}); n != 0 || err == nil || err != w.Err() {
			t.Errorf("names %q: %v", names, err)
		}
	}
	w = NewWriter(Model, strings.Repeat("x", maxHeader))
	if _, err := w.WriteTo(&bytes.Buffer{}); err == nil {
		t.Error("a header above the limit")
	}
	want := encoded(t, sample())
	for limit := 0; limit < len(want); limit += 7 {
		out := &full{left: limit}
		if n, err := sample().WriteTo(out); err != errFull || int(n) != limit {
			t.Fatalf("room for %d: %d, %v", limit, n, err)
		}
	}
}

// full is a disk with little space.
type full struct{ left int }

var errFull = errors.New("no space left")

func (f *full) Write(b []byte) (int, error) {
	n := min(len(b), f.left)
	f.left -= n
	if n < len(b) {
		return n, errFull
	}
	return n, nil
}

// forge returns a file with any header and body, and correct sizes and checksum.
func forge(header string, body []byte) []byte {
	b := []byte(magic + "\x01\x00\x00\x00" + strings.Repeat("\x00", 20) + header)
	for len(b)%alignment != 0 {
		b = append(b, ' ')
	}
	binary.LittleEndian.PutUint64(b[16:], uint64(len(b)-prefixSize))
	binary.LittleEndian.PutUint64(b[24:], uint64(len(b)+len(body)))
	binary.LittleEndian.PutUint32(b[12:], headCRC(b))
	return append(b, body...)
}

func forgeArrays(arrays string, body []byte) []byte {
	// Spaces hold the start of the arrays at 512.
	return forge(fmt.Sprintf(`{"format":"aoso-model","version":1,"meta":{},"arrays":%-400s}`, arrays), body)
}

// Headers with a correct checksum and invalid content.
func TestHostileHeaders(t *testing.T) {
	body := make([]byte, 128)
	entry := func(name, typ string, count, offset any, n int) string {
		return fmt.Sprintf(`{"name":%q,"type":%q,"count":%v,"offset":%v,"crc32c":%q}`, name, typ, count, offset, checksum(body[:n]))
	}
	good := entry("a", "u8", 64, 512, 64) + "," + entry("b", "i64", 8, 576, 64)
	if _, err := Open(Model, forgeArrays("["+good+"]", body)); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ name, arrays string }{
		{"nothing", ``},
		{"null", `null`},
		{"object", `{}`},
		{"string", `"["`},
		{"numbers", `[1,2]`},
		{"empty object", `[{}]`},
		{"null entry", `[null]`},
		{"unclaimed", `[` + entry("a", "u8", 64, 512, 64) + `]`},
		{"no arrays, body", `[]`},
		{"twice", `[` + entry("a", "u8", 64, 512, 64) + "," + entry("a", "u8", 64, 576, 64) + `]`},
		{"no name", `[` + entry("", "u8", 128, 512, 128) + `]`},
		{"type", `[` + entry("a", "u128", 128, 512, 128) + `]`},
		{"overlap", `[` + entry("a", "u8", 128, 512, 128) + "," + entry("b", "u8", 64, 576, 64) + `]`},
		{"gap", `[` + entry("a", "u8", 64, 576, 64) + `]`},
		{"unaligned", `[` + entry("a", "u8", 64, 513, 64) + `]`},
		{"order", `[` + entry("a", "u8", 64, 576, 64) + "," + entry("b", "u8", 64, 512, 64) + `]`},
		{"into header", `[` + entry("a", "u8", 64, 448, 64) + `]`},
		{"one too many", `[` + entry("a", "u8", 129, 512, 128) + `]`},
		{"huge", `[` + entry("a", "u8", uint64(math.MaxUint64), 512, 128) + `]`},
		{"huge padded", `[` + entry("a", "u8", uint64(math.MaxUint64-511), 512, 128) + `]`},
		{"product wraps", `[` + entry("a", "f64", uint64(1<<61)+16, 512, 128) + `]`},
		{"product wraps to 0", `[` + entry("a", "f64", uint64(1<<61), 512, 0) + `]`},
		{"sum wraps", `[` + entry("a", "u8", 128, uint64(math.MaxUint64-63), 128) + `]`},
		{"negative count", `[` + entry("a", "u8", -1, 512, 128) + `]`},
		{"above 64 bits", `[` + entry("a", "u8", "18446744073709551744", 512, 128) + `]`},
		{"fraction", `[` + entry("a", "u8", 127.5, 512, 128) + `]`},
		{"checksum", `[` + entry("a", "u8", 128, 512, 127) + `]`},
		{"checksum in capitals", `[` + strings.Replace(entry("a", "u8", 128, 512, 128), checksum(body), strings.ToUpper(checksum(body)), 1) + `]`},
	} {
		if strings.Contains(c.name, "capitals") && strings.ToUpper(checksum(body)) == checksum(body) {
			t.Fatal("choose another body")
		}
		if _, err := Open(Model, forgeArrays(c.arrays, body)); !errors.Is(err, ErrCorrupt) {
			t.Errorf("%s: %v", c.name, err)
		}
	}
	for _, header := range []string{
		``, `{}`, `null`, `[]`, `{"format":"aoso-model","version":1,"arrays":[]}`,
		`{"format":"other","version":1,"meta":{},"arrays":[]}`,
		`{"format":"aoso-model","version":4,"meta":{},"arrays":[]}`,
		`{"format":"aoso-model","version":1,"meta":{},"arrays":[]} {}`,
		`{"format":"aoso-model","version":1,"meta":` + strings.Repeat("[", 20000) + strings.Repeat("]", 20000) + `,"arrays":[]}`,
	} {
		if _, err := Open(Model, forge(header, nil)); !errors.Is(err, ErrCorrupt) {
			t.Errorf("%.60s: %v", header, err)
		}
	}
	// Sizes in the prefix that no file has.
	for _, size := range []uint64{0, 1, 31, 33, maxHeader + 32, 1 << 62, math.MaxUint64 - 31, math.MaxUint64} {
		data := forgeArrays(`[`+good+`]`, body)
		binary.LittleEndian.PutUint64(data[16:], size)
		if _, err := Open(Model, data); !errors.Is(err, ErrCorrupt) {
			t.Errorf("header of %d: %v", size, err)
		}
	}
}

// A large header with empty entries must not claim many times its size.
func TestHostileHeaderMemory(t *testing.T) {
	data := forge(`{"format":"aoso-model","version":1,"meta":{},"arrays":[`+strings.Repeat("{},", 4<<20)+`{}]}`, nil)
	result := testing.Benchmark(func(b *testing.B) {
		for b.Loop() {
			if _, err := Open(Model, data); !errors.Is(err, ErrCorrupt) {
				b.Fatal(err)
			}
		}
	})
	if got := result.AllocedBytesPerOp(); got > int64(4*len(data)) {
		t.Errorf("%d bytes of memory for a file of %d", got, len(data))
	}
}

func FuzzOpen(f *testing.F) {
	f.Add(encoded(f, sample()), false)
	f.Add(encoded(f, NewWriter(Model, nil)), true)
	f.Add([]byte(magic), false)
	f.Add(forgeArrays(`[{"name":"a","type":"f64","count":8,"offset":512,"crc32c":"`+checksum(make([]byte, 64))+`"}]`, make([]byte, 64)), true)
	f.Fuzz(func(t *testing.T, data []byte, mend bool) {
		// Past the checksum, or nothing behind it would ever be tried.
		if mend && len(data) >= prefixSize {
			binary.LittleEndian.PutUint64(data[24:], uint64(len(data)))
			end := prefixSize + binary.LittleEndian.Uint64(data[16:])
			if end >= prefixSize && end <= uint64(len(data)) {
				binary.LittleEndian.PutUint32(data[12:], headCRC(data[:end]))
			}
		}
		file, err := Open(Model, data)
		if err != nil {
			return
		}
		var v any
		if err := file.Meta(&v); err != nil {
			t.Fatal(err)
		}
		for name, a := range file.arrays {
			if a.Packed == 0 && uint64(len(a.data))%typeSize(a.Type) != 0 || len(a.data) > len(data) {
				t.Fatalf("array %q of %s has %d bytes", name, a.Type, len(a.data))
			}
			v, err := Array[float64](file, name)
			if a.Packed > 0 && uint64(len(v)) > pack.MostPerByte*(a.Packed+1) || a.Packed == 0 && ((err == nil) != (a.Type == "f64") || len(v) > len(data)/8) {
				t.Fatal(name, a.Type, len(v), err)
			}
		}
	})
}

func BenchmarkOpen40MB(b *testing.B) {
	w := NewWriter(Model, meta{Classes: []string{"a", "b", "c"}})
	thresholds := make([]float64, 2<<20)
	for i := range thresholds {
		thresholds[i] = float64(i) * 1.1
	}
	nodes := make([]int32, 2<<20)
	Add(w, "threshold", thresholds)
	for _, name := range []string{"feature", "left", "right"} {
		Add(w, name, nodes)
	}
	data := encoded(b, w)
	b.SetBytes(int64(len(data)))
	for b.Loop() {
		if _, err := Open(Model, data); err != nil {
			b.Fatal(err)
		}
	}
}
