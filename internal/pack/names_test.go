package pack

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// nameLists returns lists of n names.
func nameLists(n int) map[string][]string {
	r := rand.New(rand.NewPCG(7, 7))
	species, numbers, random := make([]string, n), make([]string, n), make([]string, n)
	for i := range n {
		species[i], numbers[i] = fmt.Sprintf("Quercus robur %d", i), fmt.Sprint(i)
		const letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
		for range 12 {
			random[i] += string(letters[r.IntN(len(letters))])
		}
	}
	slices.Sort(species)
	slices.Sort(random)
	return map[string][]string{"species": species, "numbers": numbers, "random": random}
}

// TestPackNames: names come back, and their code is shorter than the names.
func TestPackNames(t *testing.T) {
	const n = 20_000
	lists := nameLists(n)
	for name, most := range map[string]int{"species": n, "numbers": n, "random": 9 * n} {
		if code := Names(lists[name]); len(code) > most {
			t.Errorf("%d names, %s, take %d bytes", n, name, len(code))
		}
	}
	lists["one"] = []string{"a"}
	lists["empty"] = []string{"", "", ""}
	lists["some empty"] = []string{"", "ab", "", "abc", "b"}
	lists["runes"] = []string{"Eiche", "Ärger", "Äther", "Ö", "é", "è", "木", "本\x00"}
	lists["alike"] = slices.Repeat([]string{strings.Repeat("x", 300)}, 1000)
	lists["bytes"] = nil
	for c := range 128 {
		lists["bytes"] = append(lists["bytes"], string(rune(c)), string(rune(c*200)))
	}
	for name, names := range lists {
		code := Names(names)
		if have, ok := UnpackNames(code, len(names)); !ok || !slices.Equal(have, names) {
			t.Errorf("%s: %d names did not come back", name, len(names))
		}
		for _, count := range []int{0, len(names) - 1, len(names) + 1, 1 << 40} {
			if _, ok := UnpackNames(code, count); ok && name != "empty" {
				t.Errorf("%s: the code of %d names is taken for that of %d", name, len(names), count)
			}
		}
	}
}

// FuzzUnpackNames: any code gives as many names as asked for, or none, and takes no more memory than its length allows.
func FuzzUnNames(f *testing.F) {
	for _, names := range nameLists(300) {
		f.Add(Names(names), 300)
		f.Add(Names(names), 299)
	}
	f.Fuzz(func(t *testing.T, code []byte, count int) {
		if count < 1 || count > 1<<16 {
			return
		}
		names, ok := UnpackNames(code, count)
		if !ok {
			return
		}
		if total := len(strings.Join(names, "")); len(names) != count || max(total, count) > MostPerByte*len(code) {
			t.Fatalf("%d names of %d bytes in place of %d from %d bytes", len(names), total, count, len(code))
		}
		if again, ok := UnpackNames(Names(names), count); !ok || !slices.Equal(again, names) {
			t.Fatal("the names do not come back")
		}
	})
}

// TestForgedNames: code with wrong lengths is refused.
func TestForgedNames(t *testing.T) {
	list := func(total uint64, shared, own []uint32, text string) []byte {
		code := binary.LittleEndian.AppendUint64(nil, total)
		for _, lengths := range [][]uint32{shared, own} {
			packed := packed(asElements(lengths), 1, false)
			code = append(binary.LittleEndian.AppendUint64(code, uint64(len(packed))), packed...)
		}
		w := numberWriter{tokens: []byte(text)}
		return w.appendTo(code, 1)
	}
	if names, ok := UnpackNames(list(5, []uint32{0, 1}, []uint32{2, 2}, "abcd"), 2); !ok || names[0] != "ab" || names[1] != "acd" {
		t.Fatal("this is sound")
	}
	for what, code := range map[string][]byte{
		"the first shares":           list(5, []uint32{1, 0}, []uint32{2, 2}, "abcd"),
		"more than the name before":  list(7, []uint32{0, 3}, []uint32{2, 2}, "abcd"),
		"fewer bytes than all":       list(4, []uint32{0, 1}, []uint32{2, 2}, "abcd"),
		"more bytes than all":        list(6, []uint32{0, 1}, []uint32{2, 2}, "abcd"),
		"too little text":            list(9, []uint32{0, 1}, []uint32{2, 6}, "abcd")[:60],
		"half a rune":                list(3, []uint32{0, 1}, []uint32{2, 0}, "\xc3\xa4"),
		"a length past all":          list(5, []uint32{0, 1}, []uint32{2, 1 << 31}, "abcd"),
		"more than the code can say": list(1<<40, []uint32{0, 1}, []uint32{2, 2}, "abcd"),
		"nothing":                    nil,
		"no lengths":                 binary.LittleEndian.AppendUint64(nil, 5),
		"lengths past the end":       binary.LittleEndian.AppendUint64(binary.LittleEndian.AppendUint64(nil, 5), 1<<63),
	} {
		if names, ok := UnpackNames(code, 2); ok {
			t.Errorf("%s: %q", what, names)
		}
	}
}
