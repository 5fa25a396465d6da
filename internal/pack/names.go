package pack

import (
	"encoding/binary"
	"slices"
	"unicode/utf8"
)

// Names returns the code of a list with at least one name. A name is coded as the number of bytes that it shares with the beginning of the
// name before, and its own bytes after these. The code is
//
//	the total length of the names in bytes, uint64
//	the number of shared bytes of each name, as a packed array of type u32, after the length of its code, uint64
//	the number of own bytes of each name, likewise
//	the own bytes of all names, each a token (see [numberWriter])
//
// It has at least a byte for every 64 bytes of names. If it would be shorter, zeros follow.
func Names(names []string) []byte {
	shared, own := newElements("u32", len(names)), newElements("u32", len(names))
	var text numberWriter
	before, total := "", 0
	for i, name := range names {
		n := 0
		for n < min(len(name), len(before)) && name[n] == before[n] {
			n++
		}
		shared.set(i, []int64{int64(n)})
		own.set(i, []int64{int64(len(name) - n)})
		text.tokens = append(text.tokens, name[n:]...)
		before, total = name, total+len(name)
	}
	code := binary.LittleEndian.AppendUint64(nil, uint64(total))
	for _, e := range []elements{shared, own} {
		lengths := lengthened(packed(e, 1, false), len(names))
		code = append(binary.LittleEndian.AppendUint64(code, uint64(len(lengths))), lengths...)
	}
	if len(text.tokens) > 0 {
		code = text.appendTo(code, 1)
	}
	return lengthened(code, total)
}

// UnpackNames is the inverse of [Names]. ok is false if code is not the code of this many names.
func UnpackNames(code []byte, count int) (names []string, ok bool) {
	most := uint64(len(code)) * MostPerByte
	total, code, ok := readUint64(code)
	if !ok || total > most || uint64(count) > most {
		return nil, false
	}
	var lengths [2][]int64
	for i := range lengths {
		if lengths[i], code, ok = readLengths(code, count, total); !ok {
			return nil, false
		}
	}
	shared, own := lengths[0], lengths[1]
	size, sum := uint64(0), uint64(0)
	for i := range own {
		size, sum = size+uint64(own[i]), sum+uint64(shared[i]+own[i])
	}
	if sum != total {
		return nil, false
	}
	ownBytes := make([]byte, size)
	if size > 0 {
		if r, ok := readNumbers(code, 1); !ok || !r.readTokens(ownBytes, 0) {
			return nil, false
		}
	}
	return joinNames(shared, own, ownBytes, int(total))
}

// joinNames returns the names with the given numbers of shared and own bytes. total is the length of all names.
func joinNames(shared, own []int64, ownBytes []byte, total int) (names []string, ok bool) {
	text, ends := make([]byte, 0, total), make([]int, len(own))
	before := 0 // the offset of the name before
	for i, n := range own {
		first := len(text)
		if shared[i] > int64(first-before) {
			return nil, false
		}
		text = append(append(text, text[before:][:shared[i]]...), ownBytes[:n]...)
		ownBytes, before, ends[i] = ownBytes[n:], first, len(text)
	}
	all, first := string(text), 0
	names = make([]string, len(ends))
	for i, end := range ends {
		if names[i], first = all[first:end], end; !utf8.ValidString(names[i]) {
			return nil, false
		}
	}
	return names, true
}

// readLengths reads this many lengths, each at most total, from the beginning of code.
func readLengths(code []byte, count int, total uint64) (lengths []int64, rest []byte, ok bool) {
	size, code, ok := readUint64(code)
	if !ok || size > uint64(len(code)) {
		return nil, nil, false
	}
	e, ok := unpack(code[:size], "u32", count)
	if !ok {
		return nil, nil, false
	}
	lengths = make([]int64, count)
	e.get(0, lengths)
	return lengths, code[size:], count == 0 || uint64(slices.Max(lengths)) <= total
}

func readUint64(code []byte) (n uint64, rest []byte, ok bool) {
	if len(code) < 8 {
		return 0, nil, false
	}
	return binary.LittleEndian.Uint64(code), code[8:], true
}

// NamesSize returns the total length of names in bytes, as their code says.
func NamesSize(code []byte) uint64 {
	total, _, _ := readUint64(code)
	return min(total, MostPerByte*uint64(len(code)))
}
