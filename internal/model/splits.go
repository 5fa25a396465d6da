package model

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/libaoso/aoso/internal/modelio"
)

// splits holds the tests of nodes, in arrays as in files.
type splits struct {
	feature     []int32
	threshold   []float64
	missingLeft []uint8
	set         []uint32 // number of a categorical split's set, from 1; 0: numeric
	sets        []Set
}

func (s *splits) len() int { return len(s.feature) }

// at returns the split of a node.
func (s *splits) at(node int) Split {
	return Split{s.feature[node], s.missingLeft[node] != 0, s.threshold[node], s.setOf(node)}
}

// setOf returns the set of a node's split; nil: it is numeric.
func (s *splits) setOf(node int) *Set {
	if s.set[node] == 0 {
		return nil
	}
	return &s.sets[s.set[node]-1]
}

// goesLeft reports whether a node's split sends a row left. NaN is missing, and
// infinite values count as the largest finite ones.
func (s *splits) goesLeft(node int, row []float64) bool {
	x := row[s.feature[node]]
	if x != x {
		return s.missingLeft[node] != 0
	}
	if set := s.setOf(node); set != nil {
		return set.Has(int(x))
	}
	return max(-math.MaxFloat64, min(x, math.MaxFloat64)) < s.threshold[node]
}

// add adds the split of another node.
func (s *splits) add(split Split) {
	missingLeft := uint8(0)
	if split.MissingLeft {
		missingLeft = 1
	}
	s.feature = append(s.feature, split.Feature)
	s.threshold = append(s.threshold, split.threshold)
	s.missingLeft = append(s.missingLeft, missingLeft)
	number := uint32(0)
	if split.set != nil {
		s.sets = append(s.sets, *split.set)
		number = uint32(len(s.sets))
	}
	s.set = append(s.set, number)
}

// reserve makes room for the splits of this many nodes.
func (s *splits) reserve(nodes int) {
	s.feature, s.threshold = slices.Grow(s.feature, nodes), slices.Grow(s.threshold, nodes)
	s.missingLeft, s.set = slices.Grow(s.missingLeft, nodes), slices.Grow(s.set, nodes)
}

// addAll adds the splits of other nodes.
func (s *splits) addAll(o *splits) {
	s.feature = append(s.feature, o.feature...)
	s.threshold = append(s.threshold, o.threshold...)
	s.missingLeft = append(s.missingLeft, o.missingLeft...)
	before := uint32(len(s.sets))
	for _, number := range o.set {
		if number > 0 {
			number += before
		}
		s.set = append(s.set, number)
	}
	s.sets = append(s.sets, o.sets...)
}

// first returns the splits of the first nodes; appending to them leaves s unchanged.
func (s *splits) first(nodes int) splits {
	sets := len(s.sets)
	for _, number := range s.set[nodes:] {
		if number > 0 {
			sets = int(number) - 1
			break
		}
	}
	return splits{
		first(s.feature, nodes), first(s.threshold, nodes), first(s.missingLeft, nodes),
		first(s.set, nodes), first(s.sets, sets),
	}
}

func (s *splits) write(w *modelio.Writer) {
	modelio.Add(w, "feature", s.feature)
	modelio.Add(w, "threshold", s.threshold)
	modelio.Add(w, "missing_left", s.missingLeft)
	if len(s.sets) > 0 {
		modelio.Add(w, "set", s.set)
		modelio.Add(w, "sets", words(s.sets))
	}
}

// words returns sets as the words that they consist of.
func words(sets []Set) []uint64 {
	all := make([]uint64, 0, 4*len(sets))
	for _, set := range sets {
		all = append(all, set[:]...)
	}
	return all
}

func (s *splits) read(file *modelio.File) error {
	if err := cmp.Or(
		modelio.Read(file, "feature", &s.feature),
		modelio.Read(file, "threshold", &s.threshold),
		modelio.Read(file, "missing_left", &s.missingLeft),
	); err != nil || !file.Has("sets") {
		s.set = make([]uint32, len(s.feature))
		return err
	}
	var words []uint64
	if err := cmp.Or(modelio.Read(file, "set", &s.set), modelio.Read(file, "sets", &words)); err != nil {
		return err
	}
	for ; len(words) >= len(Set{}); words = words[len(Set{}):] {
		s.sets = append(s.sets, Set(words))
	}
	if len(words) > 0 {
		return fmt.Errorf("%w: the last of its sets has %d words", modelio.ErrCorrupt, len(words))
	}
	return nil
}

// sizes returns the actual and the expected lengths of the arrays.
func (s *splits) sizes() []size {
	return []size{
		{"threshold", len(s.threshold), s.len()}, {"missing_left", len(s.missingLeft), s.len()},
		{"set", len(s.set), s.len()},
	}
}

// check returns an error if the splits are invalid. Each set belongs to one node, in the order
// of nodes. codes is the number of codes of each column, 0 if the column is numeric.
func (s *splits) check(codes []int) error {
	sets := 0
	for node := range s.len() {
		if s.set[node] != 0 {
			if sets++; int(s.set[node]) != sets || sets > len(s.sets) {
				return fmt.Errorf("node %d has set %d of %d in place of %d", node, s.set[node], len(s.sets), sets)
			}
		}
		if err := s.checkSplit(node, codes); err != nil {
			return err
		}
	}
	if sets < len(s.sets) {
		return fmt.Errorf("%d sets have no node", len(s.sets)-sets)
	}
	return nil
}

func (s *splits) checkSplit(node int, codes []int) error {
	feature, set := int(s.feature[node]), s.setOf(node)
	switch {
	case feature < 0 || feature >= len(codes):
		return fmt.Errorf("node %d has feature %d of %d", node, feature, len(codes))
	case !(s.threshold[node] >= -math.MaxFloat64):
		return fmt.Errorf("node %d has threshold %v", node, s.threshold[node])
	case s.missingLeft[node] > 1:
		return fmt.Errorf("node %d has missing_left %d", node, s.missingLeft[node])
	case set == nil && codes[feature] > 0:
		return fmt.Errorf("node %d has no set for feature %d, which is categorical", node, feature)
	case set != nil && codes[feature] == 0:
		return fmt.Errorf("node %d has a set for feature %d, which has numbers", node, feature)
	case set != nil && (s.threshold[node] != 0 || set.Has(0) != (s.missingLeft[node] != 0)):
		return fmt.Errorf("node %d has a set and a threshold, or other sides for missing values", node)
	}
	return nil
}
