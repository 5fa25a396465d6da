package export

import (
	"bufio"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/libaoso/aoso/internal/model"
)

// source writes a model as a program: tables, and functions that read them. Languages differ
// only in how they declare a table.
type source struct {
	*bufio.Writer
	m     *model.Model
	exact bool // scores have the bits of the library

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
	s.list("firstNode", "index", len(nodes), func(i int) string { return strconv.Itoa(nodes[i]) })
	s.list("firstLeaf", "index", len(leaves), func(i int) string { return strconv.Itoa(leaves[i]) })

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
	s.list("nodes", "node", max(1, len(all)), orPlaceholder(all, "{0,0,0,0,0,0,0}"))
	if s.m.Encoder != nil {
		words := make([]string, 0, 8*len(sets))
		for _, set := range sets {
			for _, word := range set {
				words = append(words, fmt.Sprintf("%#x", uint32(word)), fmt.Sprintf("%#x", word>>32))
			}
		}
		s.list("sets", "word", max(8, len(words)), orPlaceholder(words, "0"))
	}
}

// Where a node sends all values that are not missing.
const (
	allLeft  = 1
	allRight = 2
)

// orPlaceholder returns the elements of a table, or a placeholder if there are none: C has no
// empty tables.
func orPlaceholder(elements []string, none string) func(i int) string {
	return func(i int) string {
		if len(elements) == 0 {
			return none
		}
		return elements[i]
	}
}

// leaves writes what leaves add to scores.
func (s *source) leaves() {
	f := s.m.Forest
	values, pairs := f.LeafValues(0, f.Trees())
	if f.Full() {
		s.list("values", "value", max(1, len(values)), func(i int) string {
			if len(values) == 0 {
				return "0"
			}
			return hexadecimal(float64(values[i]), 32)
		})
		return
	}
	s.list("values", "pair", max(1, len(values)), func(i int) string {
		if len(values) == 0 {
			return "{0,0,0}"
		}
		return fmt.Sprintf("{%s,%d,%d}", hexadecimal(float64(values[i]), 32), pairs[2*i], pairs[2*i+1])
	})
}

// encoder writes how categories become numbers.
func (s *source) encoder() {
	e := s.m.Encoder
	if e == nil {
		return
	}
	var features, rates, columns []string
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
			for _, r := range rate {
				rates = append(rates, hexadecimal(float64(r), 32))
			}
		}
	}
	s.list("features", "feature", len(features), orPlaceholder(features, ""))
	s.list("rateColumns", "rateColumn", max(1, len(columns)), orPlaceholder(columns, "{0,0}"))
	s.list("rates", "value", max(1, len(rates)), orPlaceholder(rates, "0"))
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

// write writes a model as a program, with the tables at the mark. Linear scores become trees.
func (s *source) write(m *model.Model, format, program, mark string) (err error) {
	if s.m, err = treesOnly(m, format); err != nil {
		return err
	}
	s.exact = m.Forest.Linear() == nil
	types, functions, _ := strings.Cut(program, mark)
	s.program(types)
	s.names("ClassNames", s.m.Classes)
	s.names("FeatureNames", s.m.Features)
	s.encoder()
	s.trees()
	s.leaves()
	s.program(functions)
	return s.Flush()
}

// program writes the lines of a template that apply: lines that start with a tag are for models
// with that property only. Names in @ stand for numbers of the model.
func (s *source) program(text string) {
	temperature := s.m.Temperature
	if temperature == 0 {
		temperature = 1
	}
	has := map[string]bool{"exact": s.exact, "rounded": !s.exact, "full": s.m.Forest.Full(), "pair": !s.m.Forest.Full(), "categories": s.m.Encoder != nil, "numbers": s.m.Encoder == nil}
	numbers := strings.NewReplacer(
		"@classes@", strconv.Itoa(len(s.m.Classes)), "@features@", strconv.Itoa(len(s.m.Features)),
		"@trees@", strconv.Itoa(s.m.Forest.Trees()), "@values@", strconv.Itoa(s.m.Forest.ValuesPerLeaf()),
		"@temperature@", hexadecimal(temperature, 64))
	for line := range strings.Lines(text) {
		if tag, rest, tagged := strings.Cut(line, "|:"); tagged {
			if !has[tag] {
				continue
			}
			line = rest
		}
		numbers.WriteString(s, line)
	}
}
