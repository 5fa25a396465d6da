package pack

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// asElements returns numbers as elements.
func asElements[T int8 | uint8 | uint16 | int32 | uint32 | int64 | uint64 | float32 | float64](data []T) elements {
	names := map[string]string{
		"int8": "i8", "uint8": "u8", "uint16": "u16", "int32": "i32", "uint32": "u32", "int64": "i64", "uint64": "u64", "float32": "f32", "float64": "f64",
	}
	bytes, err := binary.Append(nil, binary.LittleEndian, data)
	if err != nil {
		panic(err)
	}
	return elementsOf(names[fmt.Sprintf("%T", *new(T))], bytes)
}

func packOf(e elements, group int) []byte { return Pack(e.typ, e.data, group) }

// roundTrip packs data and compares what comes back bit by bit.
func roundTrip[T int8 | uint8 | uint16 | int32 | uint32 | int64 | uint64 | float32 | float64](t *testing.T, name string, data []T, group int) int {
	t.Helper()
	e := asElements(data)
	code := packOf(e, group)
	if code == nil {
		return len(e.data)
	}
	back, ok := unpack(code, e.typ, len(data))
	if !ok || !bytes.Equal(back.data, e.data) {
		t.Errorf("%s: %d elements of %d bytes did not come back (%v)", name, len(data), len(code), ok)
	}
	return len(code)
}

func TestPack(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, n := range []int{0, 1, 2, 63, 64, 65, 1000} {
		u8, u16, i32, u64 := make([]uint8, n), make([]uint16, n), make([]int32, n), make([]uint64, n)
		f32, f64, halves := make([]float32, n), make([]float64, n), make([]float64, n)
		for i := range n {
			u8[i], u16[i], i32[i] = uint8(r.IntN(3)), uint16(r.IntN(1<<16)), int32(r.Uint32())>>r.IntN(32)
			u64[i] = r.Uint64() >> r.IntN(64)
			f32[i], f64[i] = math.Float32frombits(r.Uint32()), math.Float64frombits(r.Uint64()) // also NaN and infinite
			halves[i] = float64(r.IntN(100)) / 2
		}
		roundTrip(t, "u8", u8, 1)
		roundTrip(t, "u16", u16, 2)
		roundTrip(t, "i32", i32, 1)
		roundTrip(t, "u64", u64, 5)
		roundTrip(t, "f32", f32, 1)
		roundTrip(t, "f64", f64, 1)
		roundTrip(t, "negative zeros", append([]float32{float32(math.Copysign(0, -1))}, f32...), 1)
		if size := roundTrip(t, "halves", halves, 1); n == 1000 && size > 1000 {
			t.Errorf("1000 numbers of 100 take %d bytes", size)
		}
		if size := roundTrip(t, "constant", make([]float32, 64*n), 64); n == 1000 && size > 1010 {
			t.Errorf("64,000 zeros take %d bytes", size)
		}
	}
	leaves := make([]float32, 300*200) // more than a sample
	for i := range leaves {
		leaves[i] = float32(1+i/300%7) + float32(r.IntN(9))/1024
	}
	if size := roundTrip(t, "leaves", leaves, 300); size > len(leaves)/2+2000 {
		t.Errorf("%d numbers, of 9 in a group, take %d bytes", len(leaves), size)
	}
	roundTrip(t, "extremes", []int64{math.MinInt64, math.MaxInt64, 0, -1, 1, math.MinInt64, math.MaxInt64, 7, 7, 7, 7, 7}, 3)
	roundTrip(t, "extremes", []uint64{math.MaxUint64, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}, 1)
	roundTrip(t, "extremes", []float64{math.MaxFloat64, math.SmallestNonzeroFloat64, -math.MaxFloat64, 1, 1, 1, 1, 1, 1, 1}, 1)
}

// centred returns groups of numbers that add up to about zero. Most numbers of a group are similar, some are far from them. Every second
// group has numbers with few digits.
func centred(r *rand.Rand, groups, group int) []float32 {
	all := make([]float32, 0, groups*group)
	for g := range groups {
		sum := 0.0
		for range group - 1 {
			x := -0.1 + r.NormFloat64()/1e5
			if g%2 == 0 {
				x = math.Round(x*1e6) / 1e6
			}
			if r.IntN(4) == 0 {
				x = math.Exp(r.NormFloat64()) * float64(2*r.IntN(2)-1)
			}
			all = append(all, float32(x))
			sum += x
		}
		all = append(all, float32(-sum))
	}
	return all
}

// TestGroups: groups come back, with one to mostKinds kinds, and the last number of each takes few bits.
func TestGroups(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for _, test := range []struct{ groups, group, kinds int }{{100, 5, 1}, {20, 500, 1}, {8000, 9, 2}, {400, 5000, 16}} {
		steps := centred(r, test.groups, test.group)
		e := asElements(steps)
		code := packed(e, test.group, true)
		if code[0] != originGroup<<4|formFloat || int(code[10]) != test.kinds {
			t.Errorf("%+v: form and origin %#x, %d kinds", test, code[0], code[10])
		}
		size := roundTrip(t, fmt.Sprintf("%+v", test), steps, test.group)
		for i := test.group - 1; i < len(steps); i += test.group {
			steps[i] = r.Float32() // so that the sum is not zero
		}
		if worse := roundTrip(t, "not centred", steps, test.group); test.groups > 1 && worse < size+test.groups*2 {
			t.Errorf("%+v: %d bytes, and %d if the sum is not zero", test, size, worse)
		}
		for _, special := range []uint32{0, 1 << 31, 1, 0x7f7fffff, 0xff7fffff, 0x7f800000, 0xff800000, 0x7fc00000, 0xffc00001} {
			steps[r.IntN(len(steps))] = math.Float32frombits(special)
		}
		roundTrip(t, "with special numbers", steps, test.group)
	}
}

// TestForgedGroups: code with invalid groups is refused.
func TestForgedGroups(t *testing.T) {
	steps := centred(rand.New(rand.NewPCG(5, 6)), 8000, 9)
	good := packed(asElements(steps), 9, true)
	const greatest, group, kinds, length, inner = 1, 2, 10, 11, 19 // where these are
	if _, ok := unpack(good, "f32", len(steps)); !ok || good[kinds] != 2 {
		t.Fatal("this is sound")
	}
	for what, change := range map[string]func(code []byte) []byte{
		"exponents below zero":   func(code []byte) []byte { code[greatest] = 3; return code },
		"groups of none":         func(code []byte) []byte { code[group] = 0; return code },
		"groups of seven":        func(code []byte) []byte { code[group] = 7; return code },
		"groups of too many":     func(code []byte) []byte { code[group+7] = 0x80; return code },
		"no kinds":               func(code []byte) []byte { code[kinds] = 0; return code },
		"17 kinds":               func(code []byte) []byte { code[kinds] = 17; return code },
		"one kind":               func(code []byte) []byte { code[kinds] = 1; return code },
		"kinds past the end":     func(code []byte) []byte { code[length+7] = 1; return code },
		"no code of kinds":       func(code []byte) []byte { code[length], code[length+1] = 0, 0; return code },
		"groups of kinds":        func(code []byte) []byte { code[inner] = originGroup << 4; return code },
		"positions of kinds":     func(code []byte) []byte { code[inner] = formPosition; return code },
		"another origin":         func(code []byte) []byte { code[0] = originZero<<4 | formFloat; return code },
		"groups of another kind": func(code []byte) []byte { code[0] = (originGroup+1)<<4 | formFloat; return code },
		"the end is missing":     func(code []byte) []byte { return code[:len(code)-20] },
		"all but the kinds":      func(code []byte) []byte { return code[:length] },
	} {
		if _, ok := unpack(change(slices.Clone(good)), "f32", len(steps)); ok {
			t.Error(what)
		}
	}
	if _, ok := unpack(good, "u32", len(steps)); ok {
		t.Error("integers in the form of floating-point numbers")
	}
	if _, ok := unpack(good, "f32", 8999); ok {
		t.Error("groups that are not whole")
	}
}

// FuzzUnpack: any code gives as many elements as asked for, or none.
func FuzzUnpack(f *testing.F) {
	thresholds, steps := make([]float64, 300), make([]float32, 300)
	for i := range steps {
		thresholds[i], steps[i] = float64(i%7)*1.1, float32(i%5)/8
	}
	for _, code := range [][]byte{packOf(asElements(thresholds), 1), packOf(asElements(steps), 5), packOf(asElements(centred(rand.New(rand.NewPCG(7, 8)), 60, 5)), 5), packOf(asElements(make([]uint16, 300)), 1), nil} {
		f.Add(code, 300)
		f.Add(code, 301)
	}
	f.Fuzz(func(t *testing.T, code []byte, count int) {
		if count < 0 || count > 1<<16 {
			return
		}
		for _, typ := range []string{"f64", "f32", "u16"} {
			e, ok := unpack(code, typ, count)
			if ok && (e.len() != count || count/MostPerByte > len(code)) {
				t.Fatalf("%d elements in place of %d from %d bytes", e.len(), count, len(code))
			}
		}
	})
}

func BenchmarkPack4MB(b *testing.B) {
	r, leaves := rand.New(rand.NewPCG(1, 2)), make([]float32, 100*10_000)
	for i := range leaves {
		leaves[i] = float32(i/100%7) + r.Float32()/64
	}
	e := asElements(leaves)
	code := packOf(e, 100)
	for name, work := range map[string]func(){
		"pack":   func() { packOf(e, 100) },
		"unpack": func() { unpack(code, e.typ, e.len()) },
	} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(e.data)))
			for b.Loop() {
				work()
			}
		})
	}
}
