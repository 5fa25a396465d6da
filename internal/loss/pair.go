package loss

import (
	"fmt"
	"math"
	"slices"

	"github.com/libaoso/aoso/kernel"
)

// Selection is the way a node chooses its class pairs.
type Selection int

const (
	SecondOrder Selection = iota // s maximizes the second-order gain with r (Algorithm 1)
	FirstOrder                   // s has the least gradient
	Root                         // SecondOrder at the root, kept by the whole tree
)

var selectionNames = [...]string{"second_order", "first_order", "root"}

func (s Selection) String() string { return selectionNames[s] }

// Totals are a node's sums by class, of Stride lanes: the negative gradient
// m_k and the Hessian diagonal h_kk.
type Totals struct{ Gradient, Hessian []float64 }

// Sub sets t to parent − sibling; t may be the parent. A class whose curvature
// the subtraction cancels to rounding noise is zeroed: it has next to no
// probability on these rows, and noise over noise would be a random step.
func (t *Totals) Sub(parent, sibling *Totals) {
	for k, whole := range parent.Hessian {
		gradient, hessian := parent.Gradient[k]-sibling.Gradient[k], whole-sibling.Hessian[k]
		if hessian <= whole*(1.0/(1<<36)) {
			gradient, hessian = 0, 0
		}
		t.Gradient[k], t.Hessian[k] = gradient, hessian
	}
}

// FirstClasses is r_1 … r_m, the classes of greatest gradient, the lower
// class first where they tie. It appends to dst.
func FirstClasses(dst []int32, gradient []float64, classes, m int) []int32 {
	dst = dst[:0]
	for k, g := range gradient[:classes] {
		i := len(dst)
		for i > 0 && g > gradient[dst[i-1]] {
			i--
		}
		if i < m {
			dst = slices.Insert(dst[:min(len(dst), m-1)], i, int32(k))
		}
	}
	return dst
}

// SecondClasses completes the classes first to disjoint pairs, each partner
// chosen among the classes not yet used. cross is Σ p_r·p_k, a row of stride
// values for each first class; FirstOrder does without it.
func SecondClasses(pairs []kernel.Pair, first []int32, t *Totals, cross []float64, classes, stride int, by Selection) []kernel.Pair {
	pairs = pairs[:0]
	left := make([]int32, 0, 64) // classes not yet used
	for k := range int32(classes) {
		if !slices.Contains(first, k) {
			left = append(left, k)
		}
	}
	for i, r := range first {
		g, h := t.Gradient[r], t.Hessian[r]
		var products []float64
		if by != FirstOrder {
			products = cross[i*stride:]
		}
		best, bestScore := 0, math.Inf(-1)
		for c, k := range left {
			score := -t.Gradient[k]
			if by != FirstOrder {
				d, h := g-t.Gradient[k], h+t.Hessian[k]+2*products[k]
				if h == 0 {
					h = 1
				}
				score = float64(d*d) / h
			}
			if score > bestScore {
				best, bestScore = c, score
			}
		}
		pairs = append(pairs, kernel.Pair{R: r, S: left[best]})
		left = slices.Delete(left, best, best+1)
	}
	return pairs
}

// ParseSelection reads a Selection's name.
func ParseSelection(name string) (Selection, error) {
	for i, n := range selectionNames {
		if n == name {
			return Selection(i), nil
		}
	}
	return 0, fmt.Errorf("%q (second_order, first_order or root)", name)
}
