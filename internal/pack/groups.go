package pack

import (
	"encoding/binary"
	"slices"
)

// groups divides groups of elements into kinds, such as the values of small leaves and of large leaves. Each kind has its own table of
// frequencies. The numbers are preceded by
//
//	the number of elements of a group, uint64
//	the number of kinds, uint8
//	if there are several kinds: the length of their code, uint64, and the kind of each
//	group as a packed array of type u8, with form 0 and an origin less than 3
//
// There is a table for each kind, one for the numbers that precede groups and, in form 4, one for the last numbers of groups.
type groups struct {
	group int    // elements of a group
	kinds []byte // by group; nil: there is one kind
	count int    // number of kinds
	last  bool   // the last numbers of groups have their own table
}

// There are at most mostKinds kinds, one for every numbersPerKind numbers: with fewer numbers, a table takes more than it saves.
const numbersPerKind, mostKinds = 1 << 15, 16

// tables returns the number of tables.
func (g *groups) tables() int {
	if g.last {
		return g.count + 2
	}
	return g.count + 1
}

// appendGroups appends the code of numbers in groups. In w, each group follows the number that precedes it.
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
		tables := w.tables[i*(group+1):][:group+1]
		for j := range tables {
			tables[j] = kind
		}
		tables[0] = byte(g.count)
		if last {
			tables[group] = byte(g.count + 1)
		}
	}
	return w.appendTo(code, g.tables())
}

// findKinds divides groups into kinds with similar tokens, by Lloyd's algorithm (S. Lloyd, Least squares quantization in PCM, 1982) with
// code lengths instead of squared distances.
func (g *groups) findKinds(tokens []byte) {
	const rounds = 3
	n := len(tokens) / (g.group + 1)
	g.kinds = make([]byte, n)
	if g.count == 1 {
		return
	}
	counts, order := make([][]tokenCount, n), make([]int64, n) // by group; the groups, ordered by the sum of their tokens
	for i := range n {
		counts[i] = countTokens(tokens[i*(g.group+1)+1:][:g.group])
		for _, c := range counts[i] {
			order[i] += int64(c.token) * int64(c.count) << 32
		}
		order[i] += int64(i)
	}
	slices.Sort(order)
	for rank, i := range order {
		g.kinds[uint32(i)] = byte(rank * g.count / n)
	}
	for range rounds {
		costs := g.costs(counts)
		for i := range g.kinds {
			g.kinds[i] = cheapest(costs, counts[i])
		}
	}
}

// tokenCount is the number of times that a token occurs in a group.
type tokenCount struct {
	count int
	token byte
}

func countTokens(tokens []byte) []tokenCount {
	var counts [256]int
	distinct := make([]byte, 0, 64)
	for _, token := range tokens {
		if counts[token]++; counts[token] == 1 {
			distinct = append(distinct, token)
		}
	}
	all := make([]tokenCount, len(distinct))
	for i, token := range distinct {
		all[i] = tokenCount{counts[token], token}
	}
	return all
}

// costs returns about 2^16 times the bits of each token in each kind, given the token counts of the groups.
func (g *groups) costs(groups [][]tokenCount) *[256][mostKinds]int {
	var counts [mostKinds][256]int
	var totals [mostKinds]int
	for i, kind := range g.kinds {
		for _, c := range groups[i] {
			counts[kind][c.token] += c.count
		}
		totals[kind] += g.group
	}
	costs := new([256][mostKinds]int)
	for token := range costs {
		for kind := range costs[token] {
			costs[token][kind] = 32 << 16 // an unused kind: more than any other
			if kind < g.count {
				costs[token][kind] = log2(totals[kind]+len(counts[kind])) - log2(counts[kind][token]+1)
			}
		}
	}
	return costs
}

// cheapest returns the kind in which the tokens of a group take the fewest bits.
func cheapest(costs *[256][mostKinds]int, tokens []tokenCount) (kind byte) {
	var sums [mostKinds]int
	for _, c := range tokens {
		for i, cost := range &costs[c.token] {
			sums[i] += c.count * cost
		}
	}
	for i, sum := range sums {
		if sum < sums[kind] {
			kind = byte(i)
		}
	}
	return kind
}

// readGroups reads what precedes the numbers of this many elements in groups. It returns the rest of code.
func readGroups(code []byte, count int) (g groups, rest []byte, ok bool) {
	group, code, ok := readUint64(code)
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
	length, code, ok := readUint64(code)
	if !ok || length < 1 || length > uint64(len(code)) || code[0]&15 != formInteger || code[0]>>4 >= originGroup { // kinds have no groups themselves
		return g, nil, false
	}
	kinds, ok := unpack(code[:length], "u8", count/g.group)
	if !ok || int(slices.Max(kinds.data)) >= g.count {
		return g, nil, false
	}
	g.kinds = kinds.data
	return g, code[length:], true
}
