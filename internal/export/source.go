package export

import (
	"bufio"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/libaoso/aoso/internal/category"
	"github.com/libaoso/aoso/internal/model"
	"github.com/libaoso/aoso/kernel"
)

// source writes a model as a program: tables, and functions that read them. Languages differ
// only in how they declare a table.
type source struct {
	*bufio.Writer
	m *model.Model

	table  func(name, kind string, n int) string // returns the start of a table
	end    string                                // of a table
	quoted func(text string) string
}

// list writes a table of n elements.
func (s *source) list(name, kind string, n int, element func(i int) string) {
	s.WriteString(s.table(name, kind, n))
	for i := range n {
		s.WriteString(element(i))
		s.WriteByte(',')
		if i%16 == 15 {
			s.WriteByte('\n')
		}
	}
	s.WriteString(s.end)
}

// names writes a table of strings.
func (s *source) names(name string, texts []string) {
	s.list(name, "text", len(texts), func(i int) string { return s.quoted(texts[i]) })
}

// trees writes the tables of trees, nodes and sets.
func (s *source) trees() {
	f := s.m.Forest
	nodes, leaves := []int{0}, []int{0}
	for t, tree := range f.All() {
		nodes, leaves = append(nodes, nodes[t]+tree.NumNodes()), append(leaves, leaves[t]+tree.NumLeaves())
	}
	numbers(s, "firstNode", "index", nodes)
	numbers(s, "firstLeaf", "index", leaves)

	var all []string
	var sets []*model.Set
	for n := range f.AllNodes() {
		split, set, side, threshold := n.Split(), 0, 0, n.Split().Threshold()
		switch {
		case split.Set() != nil:
			sets = append(sets, split.Set())
			set = len(sets)
		case math.IsInf(threshold, 1):
			side, threshold = allLeft, 0
		case threshold == -math.MaxFloat64: // infinite values count as the largest finite ones
			side, threshold = allRight, 0
		}
		missingRight := 1
		if split.MissingLeft {
			missingRight = 0
		}
		all = append(all, fmt.Sprintf("{%s,%d,%d,%d,%d,%d,%d}", hexadecimal(threshold, 64), split.Feature, n.Left(), n.Right(), set, missingRight, side))
	}
	s.filled("nodes", "node", all, "{0,0,0,0,0,0,0}")
	if s.m.Encoder != nil {
		words := make([]string, 0, 8*len(sets))
		for _, set := range sets {
			for _, word := range set {
				words = append(words, fmt.Sprintf("%#x", uint32(word)), fmt.Sprintf("%#x", word>>32))
			}
		}
		s.filled("sets", "word", words, "0")
	}
}

// Where a node sends all values that are not missing.
const (
	allLeft  = 1
	allRight = 2
)

// filled writes a table of elements, or of a placeholder if there are none: C has no empty tables.
func (s *source) filled(name, kind string, elements []string, placeholder string) {
	if len(elements) == 0 {
		elements = []string{placeholder}
	}
	s.list(name, kind, len(elements), func(i int) string { return elements[i] })
}

// numbers writes a table of numbers.
func numbers[T float32 | float64 | int](s *source, name, kind string, all []T) {
	bits := 64
	if _, single := any(T(0)).(float32); single {
		bits = 32
	}
	s.list(name, kind, max(1, len(all)), func(i int) string {
		if len(all) == 0 {
			return "0"
		}
		return hexadecimal(float64(all[i]), bits)
	})
}

// leaves writes what leaves add to scores.
func (s *source) leaves() {
	f := s.m.Forest
	values, pairs := f.LeafValues(0, f.Trees())
	if f.Full() {
		numbers(s, "values", "value", values)
		return
	}
	steps := make([]string, len(values))
	for i, v := range values {
		steps[i] = fmt.Sprintf("{%s,%d,%d}", hexadecimal(float64(v), 32), pairs[2*i], pairs[2*i+1])
	}
	s.filled("values", "pair", steps, "{0,0,0}")
}

// encoder writes how categories become numbers.
func (s *source) encoder() {
	e := s.m.Encoder
	if e == nil {
		return
	}
	var features, columns []string
	var rates []float32
	for j := range e.Features {
		f, count, rated := &e.Features[j], -1, 0
		if f.Categories != nil {
			count = len(f.Categories)
		}
		if f.Rated {
			rated = 1
		}
		features = append(features, fmt.Sprintf("{%d,%d}", count, rated))
	}
	for j := range e.Features {
		for _, rate := range e.Features[j].Rates {
			columns = append(columns, fmt.Sprintf("{%d,%d}", j, len(rates)))
			rates = append(rates, rate...)
		}
	}
	s.filled("features", "feature", features, "")
	s.filled("rateColumns", "rateColumn", columns, "{0,0}")
	numbers(s, "rates", "value", rates)
	var crosses []string
	for _, c := range e.Crosses {
		kind := map[category.Op]int{category.Difference: 0, category.Ratio: -1, category.Pair: e.Features[c.Second].Codes()}[c.Op]
		crosses = append(crosses, fmt.Sprintf("{%d,%d,%d}", c.First, c.Second, kind))
	}
	if crosses != nil {
		s.filled("crosses", "cross", crosses, "")
	}
	for j := range e.Features {
		if names := e.Features[j].Categories; len(names) > 0 {
			s.names(fmt.Sprintf("Categories%d", j), names)
		}
	}
}

// hexadecimal returns a number of a type of 32 or 64 bits, exactly.
func hexadecimal(x float64, bits int) string {
	if x == math.Trunc(x) && math.Abs(x) < 1000 && !math.Signbit(x) {
		return strconv.Itoa(int(x))
	}
	return strconv.FormatFloat(x, 'x', -1, bits)
}

// linear writes the tables of linear scores.
func (s *source) linear() {
	l := s.m.Forest.Linear()
	if l == nil {
		return
	}
	columns, first := []int{}, []int{0}
	edges, places, weights := []float64{}, []float32{}, []float32{}
	for t := range l.Terms() {
		skipped := 0
		if all := l.Edges(t); len(all) > 0 && all[0] == -math.MaxFloat64 { // infinite values count as the largest finite ones
			skipped = 1
		}
		edges, places = append(edges, l.Edges(t)[skipped:]...), append(places, l.Places(t)[skipped:]...)
		columns, first = append(columns, l.Column(t)), append(first, len(edges))
		weights = append(weights, l.Weights(t)...)
	}
	numbers(s, "linearColumns", "index", columns)
	numbers(s, "firstEdge", "index", first)
	numbers(s, "edges", "number", edges)
	numbers(s, "places", "value", places)
	numbers(s, "weights", "value", weights)
	numbers(s, "bias", "value", l.Bias())
}

// write writes a model as a program, with the tables at the mark.
func (s *source) write(m *model.Model, program, mark string) error {
	s.m = m
	types, functions, _ := strings.Cut(program, mark)
	s.program(types)
	s.names("ClassNames", s.m.Classes)
	s.names("FeatureNames", s.m.Features)
	s.encoder()
	s.linear()
	s.trees()
	s.leaves()
	s.program(functions)
	return s.Flush()
}

// program writes the lines of a template that apply: lines that start with tags are for models
// with these properties only. Names in @ stand for numbers of the model.
func (s *source) program(text string) {
	temperature := s.m.Temperature
	if temperature == 0 {
		temperature = 1
	}
	linear, terms := s.m.Forest.Linear(), 0
	if linear != nil {
		terms = linear.Terms()
	}
	has := map[string]bool{
		"linear": linear != nil, "zero": linear == nil, "full": s.m.Forest.Full(), "pair": !s.m.Forest.Full(),
		"categories": s.m.Encoder != nil, "numbers": s.m.Encoder == nil, "crossed": s.m.Crossed(),
	}
	uncrossed := s.m.Encoder.Columns(len(s.m.Features))
	if s.m.Crossed() {
		uncrossed -= len(s.m.Encoder.Crosses)
	}
	values := strings.NewReplacer(
		"@classes@", strconv.Itoa(len(s.m.Classes)), "@features@", strconv.Itoa(len(s.m.Features)), "@terms@", strconv.Itoa(terms),
		"@uncrossed@", strconv.Itoa(uncrossed),
		"@trees@", strconv.Itoa(s.m.Forest.Trees()), "@values@", strconv.Itoa(s.m.Forest.ValuesPerLeaf()),
		"@shift@", hexadecimal(kernel.Shift(kernel.LinearUnit), 64), "@temperature@", hexadecimal(temperature, 64))
	for line := range strings.Lines(text) {
		applies := true
		for tag, rest, tagged := strings.Cut(line, "|:"); tagged; tag, rest, tagged = strings.Cut(line, "|:") {
			applies, line = applies && has[tag], rest
		}
		if applies {
			values.WriteString(s, line)
		}
	}
}
