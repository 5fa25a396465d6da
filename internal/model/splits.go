package model

import (
	"cmp"
	"fmt"
	"math"

	"github.com/libaoso/aoso/internal/modelio"
)

// splits is the tests of nodes, in arrays as files hold them.
type splits struct {
	feature     []int32
	threshold   []float64
	missingLeft []uint8
}

func (s *splits) len() int { return len(s.feature) }

// at is the split of a node.
func (s *splits) at(node int) Split {
	return Split{s.feature[node], s.missingLeft[node] != 0, s.threshold[node]}
}

// goesLeft reports whether a node's split sends a row left. NaN is missing, and
// infinite values count as the largest finite ones.
func (s *splits) goesLeft(node int, row []float64) bool {
	x := row[s.feature[node]]
	if x != x {
		return s.missingLeft[node] != 0
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
}

// addAll adds the splits of other nodes.
func (s *splits) addAll(o *splits) {
	s.feature = append(s.feature, o.feature...)
	s.threshold = append(s.threshold, o.threshold...)
	s.missingLeft = append(s.missingLeft, o.missingLeft...)
}

// first is the splits of the first nodes; what is added to them goes elsewhere.
func (s *splits) first(nodes int) splits {
	return splits{first(s.feature, nodes), first(s.threshold, nodes), first(s.missingLeft, nodes)}
}

func (s *splits) write(w *modelio.Writer) {
	modelio.Add(w, "feature", s.feature)
	modelio.Add(w, "threshold", s.threshold)
	modelio.Add(w, "missing_left", s.missingLeft)
}

func (s *splits) read(file *modelio.File) error {
	return cmp.Or(
		modelio.Read(file, "feature", &s.feature),
		modelio.Read(file, "threshold", &s.threshold),
		modelio.Read(file, "missing_left", &s.missingLeft),
	)
}

// sizes is how many numbers the arrays have and should have.
func (s *splits) sizes() []size {
	return []size{{"threshold", len(s.threshold), s.len()}, {"missing_left", len(s.missingLeft), s.len()}}
}

// check returns what is wrong with the split of a node, if anything.
func (s *splits) check(node, features int) error {
	switch {
	case s.feature[node] < 0 || int(s.feature[node]) >= features:
		return fmt.Errorf("node %d has feature %d of %d", node, s.feature[node], features)
	case !(s.threshold[node] >= -math.MaxFloat64):
		return fmt.Errorf("node %d has threshold %v", node, s.threshold[node])
	case s.missingLeft[node] > 1:
		return fmt.Errorf("node %d has missing_left %d", node, s.missingLeft[node])
	}
	return nil
}
