package pack

import (
	"encoding/binary"
	"slices"
)

// Groups of elements are of kinds, such as the values of small leaves and of large ones,
// whose numbers have tables of their own. Before the numbers stand
//
//	how many elements a group has, uint64
//	how many kinds there are, uint8
//	if there are several: the length of the kinds' code, uint64, and the kind of each
//	group as a packed array of type u8, of form 0 and an origin less than 3
//
// The tables are those of the kinds, that of the numbers before groups and, in form 4, that
// of the last numbers of groups.
type groups struct {
	group int
	kinds []byte // by group; nil: there is one kind
	count int    // of kinds
	last  bool   // of a group has a table of its own
}

// A kind needs this many numbers to be worth its table.
const numbersPerKind, mostKinds = 1 << 15, 16

func (g *groups) tables() int {
	if g.last {
		return g.count + 2
	}
	return g.count + 1
}

// appendGroups appends the code of numbers in groups, each after the number before it.
func (w *numberWriter) appendGroups(code []byte, group int, last bool) []byte {
	g := groups{group: group, count: max(1, min(len(w.tokens)/numbersPerKind, mostKinds)), last: last}
	g.findKinds(w.tokens)
	code = append(binary.LittleEndian.AppendUint64(code, uint64(group)), byte(g.count))
	if g.count > 1 {
		kinds := lengthened(packed(elementsOf("u8", g.kinds), 1, false), len(g.kinds))
		code = append(binary.LittleEndian.AppendUint64(code, uint64(len(kinds))), kinds...)
	}
	w.tables = make([]byte, len(w.tokens))
	for i, kind := range g.kinds {
		of := w.tables[i*(group+1):][:group+1]
		for j := range of {
			of[j] = kind
		}
		of[0] = byte(g.count)
		if last {
			of[group] = byte(g.count + 1)
		}
	}
	return w.appendTo(code, g.tables())
}

// findKinds puts groups whose tokens are alike into the same kind (S. Lloyd, Least squares
// quantization in PCM, 1982, with lengths of code in place of squares).
func (g *groups) findKinds(tokens []byte) {
	const rounds = 3
	n := len(tokens) / (g.group + 1)
	g.kinds = make([]byte, n)
	if g.count == 1 {
		return
	}
	of, order := make([][]repeated, n), make([]int64, n) // in the order of the sums of their tokens
	for i := range n {
		of[i] = repeatedTokens(tokens[i*(g.group+1)+1:][:g.group])
		for _, r := range of[i] {
			order[i] += int64(r.token) * int64(r.times) << 32
		}
		order[i] += int64(i)
	}
	slices.Sort(order)
	for rank, i := range order {
		g.kinds[uint32(i)] = byte(rank * g.count / n)
	}
	for range rounds {
		costs := g.costs(of)
		for i := range g.kinds {
			g.kinds[i] = cheapest(costs, of[i])
		}
	}
}

// repeated is a token and how often a group has it.
type repeated struct {
	times int
	token byte
}

func repeatedTokens(tokens []byte) []repeated {
	var times [256]int
	first := make([]byte, 0, 64) // of each token
	for _, token := range tokens {
		if times[token]++; times[token] == 1 {
			first = append(first, token)
		}
	}
	all := make([]repeated, len(first))
	for i, token := range first {
		all[i] = repeated{times[token], token}
	}
	return all
}

// costs returns nearly 2^16 times the bits that each token takes in each kind.
func (g *groups) costs(of [][]repeated) *[256][mostKinds]int {
	var counts [mostKinds][256]int
	var totals [mostKinds]int
	for i, kind := range g.kinds {
		for _, r := range of[i] {
			counts[kind][r.token] += r.times
		}
		totals[kind] += g.group
	}
	costs := new([256][mostKinds]int)
	for token := range costs {
		for kind := range costs[token] {
			costs[token][kind] = 32 << 16 // more than any kind that there is
			if kind < g.count {
				costs[token][kind] = log2(totals[kind]+len(counts[kind])) - log2(counts[kind][token]+1)
			}
		}
	}
	return costs
}

// cheapest returns the kind in which tokens take the fewest bits.
func cheapest(costs *[256][mostKinds]int, tokens []repeated) (kind byte) {
	var sums [mostKinds]int
	for _, r := range tokens {
		of := &costs[r.token]
		for i := range sums {
			sums[i] += r.times * of[i]
		}
	}
	for i, sum := range sums {
		if sum < sums[kind] {
			kind = byte(i)
		}
	}
	return kind
}

// takeGroups takes what stands before the numbers of this many elements from the front of
// code.
func takeGroups(code []byte, count int) (g groups, rest []byte, ok bool) {
	group, code, ok := takeUint64(code)
	if !ok || group < 1 || group > uint64(count) || count%int(group) != 0 {
		return g, nil, false
	}
	g.group, g.count = int(group), 1
	if len(code) == 0 || code[0] < 1 || code[0] > mostKinds {
		return g, nil, false
	}
	g.count, code = int(code[0]), code[1:]
	if g.count == 1 {
		return g, code, true
	}
	length, code, ok := takeUint64(code)
	if !ok || length < 1 || length > uint64(len(code)) || code[0]&15 != formInteger || code[0]>>4 >= originGroup { // no groups in groups
		return g, nil, false
	}
	kinds, ok := unpack(code[:length], "u8", count/g.group)
	if !ok || int(slices.Max(kinds.data)) >= g.count {
		return g, nil, false
	}
	g.kinds = kinds.data
	return g, code[length:], true
}
