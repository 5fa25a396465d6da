package modelio

import (
	"encoding/binary"
	"math/bits"
)

// A sequence of numbers is coded as tokens, by asymmetric numeral systems (J. Duda,
// Asymmetric numeral systems, 2013; the variant with ranges), and as further bits,
// which are stored as they are. Numbers below 16 are tokens themselves. The token of a
// larger number says how many bits it has and what the two after the highest are.

const (
	scaleBits = 12 // the frequencies of all tokens add up to 1 << scaleBits
	lowState  = 1 << 23
)

// tokenOf is the token of a number and how many of its low bits are further bits.
func tokenOf(n uint64) (token byte, further int) {
	if n < 16 {
		return byte(n), 0
	}
	length := bits.Len64(n)
	return byte(16 + 4*(length-5) + int(n>>(length-3)&3)), length - 3
}

// numberOf is the way back: the number without its further bits, and how many these are.
func numberOf(token byte) (n uint64, further int) {
	if token < 16 {
		return uint64(token), 0
	}
	further = int(token-16)/4 + 2
	return (4 | uint64(token)&3) << further, further
}

// frequencies scales the counts of tokens so that they add up to 1 << scaleBits and
// none that occurs becomes zero.
func frequencies(counts *[256]int) (scaled [256]uint16) {
	total, rest, most := 0, 1<<scaleBits, 0
	for _, n := range counts {
		total += n
	}
	for token, n := range counts {
		if n > 0 {
			f := max(1, int(uint64(n)<<scaleBits/uint64(total)))
			scaled[token] = uint16(f)
			rest -= f
		}
	}
	for rest != 0 { // what rounding leaves is the most frequent token's, or taken from those that have most
		for token, f := range scaled {
			if f > scaled[most] {
				most = token
			}
		}
		change := max(rest, 1-int(scaled[most]))
		scaled[most] = uint16(int(scaled[most]) + change)
		rest -= change
	}
	return scaled
}

// appendNumbers appends the code of numbers: how many tokens occur less one, each with
// its frequency, the length of the tokens' code, that code, and the further bits.
func appendNumbers(code []byte, numbers []uint64) []byte {
	var counts [256]int
	for _, n := range numbers {
		token, _ := tokenOf(n)
		counts[token]++
	}
	frequency, used := frequencies(&counts), 0
	for _, f := range frequency {
		if f > 0 {
			used++
		}
	}
	code = append(code, byte(used-1))
	var start [256]uint32
	sum := uint32(0)
	for token, f := range frequency {
		start[token] = sum
		if sum += uint32(f); f > 0 {
			code = binary.LittleEndian.AppendUint16(append(code, byte(token)), f)
		}
	}
	// The decoder takes last what the encoder gives first, so the bytes come out backwards.
	var reversed []byte
	state := uint32(lowState)
	for i := len(numbers) - 1; i >= 0; i-- {
		token, _ := tokenOf(numbers[i])
		f := uint32(frequency[token])
		for uint64(state) >= uint64(f)<<(31-scaleBits) {
			reversed = append(reversed, byte(state))
			state >>= 8
		}
		state = state/f<<scaleBits + state%f + start[token]
	}
	code = binary.LittleEndian.AppendUint64(code, uint64(len(reversed)+4))
	code = binary.LittleEndian.AppendUint32(code, state)
	for i := len(reversed) - 1; i >= 0; i-- {
		code = append(code, reversed[i])
	}
	return appendFurther(code, numbers)
}

// appendFurther appends the further bits of numbers, the lowest first.
func appendFurther(code []byte, numbers []uint64) []byte {
	pending, have := uint64(0), 0
	put := func(n uint64, bits int) { // at most 32
		pending |= n << have
		for have += bits; have >= 8; have -= 8 {
			code = append(code, byte(pending))
			pending >>= 8
		}
	}
	for _, n := range numbers {
		_, further := tokenOf(n)
		n &= 1<<further - 1
		if further > 32 {
			put(n&(1<<32-1), 32)
			n, further = n>>32, further-32
		}
		put(n, further)
	}
	if have > 0 {
		code = append(code, byte(pending))
	}
	return code
}

// numbers reads what appendNumbers wrote.
type numbers struct {
	slots   [1 << scaleBits]byte // the token of each
	ranges  [256]struct{ start, frequency uint32 }
	state   uint32
	tokens  []byte // not read yet
	further []byte
	at      uint64 // bit of further
}

// readNumbers begins with the first of the numbers.
func readNumbers(code []byte) (*numbers, bool) {
	r := &numbers{}
	if len(code) == 0 || len(code) < 1+3*(int(code[0])+1)+12 {
		return nil, false
	}
	used, sum := int(code[0])+1, 0
	for i := range used {
		token, f := code[1+3*i], int(binary.LittleEndian.Uint16(code[2+3*i:]))
		if sum+f > 1<<scaleBits {
			return nil, false
		}
		r.ranges[token].start, r.ranges[token].frequency = uint32(sum), uint32(f)
		for ; f > 0; f-- {
			r.slots[sum] = token
			sum++
		}
	}
	code = code[1+3*used:]
	length := binary.LittleEndian.Uint64(code)
	if code = code[8:]; sum != 1<<scaleBits || length < 4 || length > uint64(len(code)) {
		return nil, false
	}
	r.state, r.tokens, r.further = binary.LittleEndian.Uint32(code), code[4:length], code[length:]
	return r, true
}

// next is the next number; ok is false if the code has ended before it.
func (r *numbers) next() (n uint64, ok bool) {
	slot := r.state & (1<<scaleBits - 1)
	token := r.slots[slot]
	of := &r.ranges[token]
	r.state = of.frequency*(r.state>>scaleBits) + slot - of.start
	for r.state < lowState {
		if len(r.tokens) == 0 {
			return 0, false
		}
		r.state = r.state<<8 | uint32(r.tokens[0])
		r.tokens = r.tokens[1:]
	}
	if token < 16 {
		return uint64(token), true
	}
	n, further := numberOf(token)
	if i := r.at / 8; further <= 56 && i+8 <= uint64(len(r.further)) {
		n |= binary.LittleEndian.Uint64(r.further[i:]) >> (r.at % 8) & (1<<further - 1)
		r.at += uint64(further)
		return n, true
	}
	for have := 0; have < further; {
		i, skip := r.at/8, int(r.at%8)
		if i >= uint64(len(r.further)) {
			return 0, false
		}
		take := min(8-skip, further-have)
		n |= uint64(r.further[i]>>skip) & (1<<take - 1) << have
		r.at, have = r.at+uint64(take), have+take
	}
	return n, true
}
