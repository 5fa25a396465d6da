package pack

import (
	"encoding/binary"
	"math/bits"
	"slices"
)

// A number is coded as a token and further bits. The tokens are compressed with asymmetric numeral systems (J. Duda, Asymmetric numeral
// systems, 2013; the variant with ranges), the further bits are stored as they are. Numbers below 16 are their own tokens. The token of a
// larger number says how many bits the number has, and the two bits after the highest; the further bits are the rest.

const (
	scaleBits = 12 // the frequencies of all tokens add up to 1 << scaleBits
	lowState  = 1 << 23
)

// tokenOf returns the token of a number and the number of its further bits, which are its lowest.
func tokenOf(n uint64) (token byte, further int) {
	if n < 16 {
		return byte(n), 0
	}
	length := bits.Len64(n)
	return byte(16 + 4*(length-5) + int(n>>(length-3)&3)), length - 3
}

// numberOf is the inverse of tokenOf. It returns the number with zeros for its further bits.
func numberOf(token byte) (n uint64, further int) {
	if token < 16 {
		return uint64(token), 0
	}
	further = int(token-16)/4 + 2
	return (4 | uint64(token)&3) << further, further
}

// frequencies scales the counts of tokens so that they add up to 1 << scaleBits, and no count but 0 becomes 0. If no token occurs, token 0
// has the frequency 1 << scaleBits.
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
	for rest != 0 { // add what rounding left to the most frequent token, or take it from the most frequent tokens
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

// numberWriter codes numbers. Their code is the tables of frequencies, the length of the tokens' code, uint64, that code, and the further
// bits, the lowest first. A table has the number of tokens that occur, minus 1, uint8, and each such token, uint8, with its frequency, uint16.
type numberWriter struct {
	tokens      []byte // of all numbers
	tables      []byte // by position in tokens: the table that codes the token; nil: there is one table
	further     []byte // further bits, in whole words of 32 bits
	pending     uint64 // further bits that do not fill a word yet
	pendingBits int    // number of pending bits
}

func (w *numberWriter) add(numbers []uint64) {
	for _, n := range numbers {
		token, further := tokenOf(n)
		w.tokens = append(w.tokens, token)
		if further > 32 {
			w.addBits(n&(1<<32-1), 32)
			n, further = n>>32, further-32
		}
		w.addBits(n&(1<<further-1), further)
	}
}

// addBits adds at most 32 further bits.
func (w *numberWriter) addBits(n uint64, bits int) {
	w.pending |= n << w.pendingBits
	if w.pendingBits += bits; w.pendingBits >= 32 {
		w.further = binary.LittleEndian.AppendUint32(w.further, uint32(w.pending))
		w.pending >>= 32
		w.pendingBits -= 32
	}
}

// appendTo appends the code of the numbers, with this many tables.
func (w *numberWriter) appendTo(code []byte, tables int) []byte {
	counts, ranges := make([][256]int, tables), make([]ranges, tables)
	for i, token := range w.tokens {
		counts[w.table(i)][token]++
	}
	for i := range ranges {
		code = ranges[i].write(code, frequencies(&counts[i]))
	}
	tokens := w.codeTokens(ranges)
	code = binary.LittleEndian.AppendUint64(code, uint64(len(tokens)))
	code = append(append(code, tokens...), w.further...)
	for ; w.pendingBits > 0; w.pendingBits -= 8 {
		code = append(code, byte(w.pending))
		w.pending >>= 8
	}
	return code
}

// table returns the table that codes the i-th token.
func (w *numberWriter) table(i int) byte {
	if w.tables == nil {
		return 0
	}
	return w.tables[i]
}

// codeTokens returns the code of the tokens. It codes the last token first, as the decoder decodes tokens in the reverse order. It also
// writes the bytes in reverse, and turns them round at the end.
func (w *numberWriter) codeTokens(tables []ranges) []byte {
	code := make([]byte, 0, len(w.tokens)/2+4)
	state := uint32(lowState)
	for i := len(w.tokens) - 1; i >= 0; i-- {
		r := &tables[w.table(i)][w.tokens[i]]
		for uint64(state) >= uint64(r.frequency)<<(31-scaleBits) {
			code = append(code, byte(state))
			state >>= 8
		}
		state = state/r.frequency<<scaleBits + state%r.frequency + r.start
	}
	code = binary.BigEndian.AppendUint32(code, state)
	slices.Reverse(code)
	return code
}

// ranges has the range of slots of each token: frequency slots from start on, of the 1 << scaleBits slots.
type ranges [256]struct{ start, frequency uint32 }

// write sets the ranges from frequencies and appends the code of the table.
func (r *ranges) write(code []byte, frequency [256]uint16) []byte {
	at, sum := len(code), uint32(0)
	code = append(code, 0)
	for token, f := range frequency {
		if f > 0 {
			code = binary.LittleEndian.AppendUint16(append(code, byte(token)), f)
		}
		r[token].start, r[token].frequency = sum, uint32(f)
		sum += uint32(f)
	}
	code[at] = byte((len(code)-at-1)/3 - 1)
	return code
}

// table decodes tokens.
type table struct {
	slots  [1 << scaleBits]byte // by slot: its token
	ranges ranges
}

// read reads the table from the beginning of code.
func (t *table) read(code []byte) (rest []byte, ok bool) {
	if len(code) == 0 || len(code) < 1+3*(int(code[0])+1) {
		return nil, false
	}
	used, sum := int(code[0])+1, 0
	for i := range used {
		token, f := code[1+3*i], int(binary.LittleEndian.Uint16(code[2+3*i:]))
		if sum+f > 1<<scaleBits {
			return nil, false
		}
		t.ranges[token].start, t.ranges[token].frequency = uint32(sum), uint32(f)
		for ; f > 0; f-- {
			t.slots[sum] = token
			sum++
		}
	}
	return code[1+3*used:], sum == 1<<scaleBits
}

// numbers reads the code of a numberWriter.
type numbers struct {
	tables  []table
	state   uint32
	tokens  []byte // the code of tokens that are not read yet
	further []byte
	at      uint64        // the next bit of further
	scratch [1 << 12]byte // tokens
}

// readNumbers returns a reader of numbers with this many tables.
func readNumbers(code []byte, tables int) (*numbers, bool) {
	r, ok := &numbers{tables: make([]table, tables)}, true
	for i := range r.tables {
		if code, ok = r.tables[i].read(code); !ok {
			return nil, false
		}
	}
	length, code, ok := readUint64(code)
	if !ok || length < 4 || length > uint64(len(code)) {
		return nil, false
	}
	r.state, r.tokens, r.further = binary.LittleEndian.Uint32(code), code[4:length], code[length:]
	return r, true
}

// read reads len(out) numbers with a table. It returns false if the code ends before.
func (r *numbers) read(out []uint64, table int) bool {
	for len(out) > 0 {
		tokens := r.scratch[:min(len(out), len(r.scratch))]
		if !r.readTokens(tokens, table) {
			return false
		}
		further, at := r.further, r.at
		for i, token := range tokens {
			n, bits := numberOf(token)
			if bits > 0 {
				more, ok := bitsAt(further, at, bits)
				if !ok {
					return false
				}
				n |= more
				at += uint64(bits)
			}
			out[i] = n
		}
		r.at, out = at, out[len(tokens):]
	}
	return true
}

// readTokens reads len(out) tokens with a table. It returns false if the code ends before.
func (r *numbers) readTokens(out []byte, table int) bool {
	state, tokens, t := r.state, r.tokens, &r.tables[table]
	for i := range out {
		slot := state % (1 << scaleBits)
		token := t.slots[slot]
		r := &t.ranges[token]
		state = r.frequency*(state>>scaleBits) + slot - r.start
		for state < lowState {
			if len(tokens) == 0 {
				return false
			}
			state = state<<8 | uint32(tokens[0])
			tokens = tokens[1:]
		}
		out[i] = token
	}
	r.state, r.tokens = state, tokens
	return true
}

// bitsAt returns this many bits of code, at most 61, from bit `at` on. ok is false if code has fewer.
func bitsAt(code []byte, at uint64, bits int) (n uint64, ok bool) {
	i, skip := at/8, int(at%8)
	if bits <= 56 && i+8 <= uint64(len(code)) {
		return binary.LittleEndian.Uint64(code[i:]) >> skip & (1<<bits - 1), true
	}
	if at+uint64(bits) > 8*uint64(len(code)) {
		return 0, false
	}
	for read := 0; read < bits; i++ {
		n |= uint64(code[i]>>skip) << read
		read, skip = read+8-skip, 0
	}
	return n & (1<<bits - 1), true
}
