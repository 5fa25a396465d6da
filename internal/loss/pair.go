package loss

import (
	"fmt"
	"math"
	"slices"

	"github.com/libaoso/aoso/kernel"
)

// Selection is the rule by which a node chooses its class pairs.
type Selection int

const (
	SecondOrder Selection = iota // s maximizes the second-order gain of (r, s); paper, equation (25)
	FirstOrder                   // s has the smallest gradient; paper, equation (24)
	Root                         // SecondOrder at the root; all nodes use the root's pairs
)

var selectionNames = [...]string{"second_order", "first_order", "root"}

func (s Selection) String() string { return selectionNames[s] }

// FirstClasses returns r_1 … r_m, the m classes with the largest gradients, in
// decreasing order. The lower class comes first in a tie. The result overwrites
// dst.
func FirstClasses(dst []int32, gradient []int64, classes, m int) []int32 {
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

// SecondClasses finds a partner s for each of the classes first and returns the
// pairs, which are disjoint: no class is in two of them. cross holds Σ p_r·p_k
// over the node's rows in units of Units.Cross, a row of stride values for each first
// class r; it is not used with FirstOrder. The result overwrites pairs.
func SecondClasses(pairs []kernel.Pair, first []int32, t *Totals, cross []int64, u Units, classes, stride int, by Selection) []kernel.Pair {
	pairs = pairs[:0]
	unused := slices.Grow(make([]int32, 0, 64), classes) // on the stack if they are few
	for k := range int32(classes) {
		if !slices.Contains(first, k) {
			unused = append(unused, k)
		}
	}
	for i, r := range first {
		var products []int64
		if by != FirstOrder {
			products = cross[i*stride:]
		}
		best, bestScore := 0, math.Inf(-1)
		for c, k := range unused {
			score := -float64(t.Gradient[k])
			if by != FirstOrder {
				d := u.Sums * float64(t.Gradient[r]-t.Gradient[k])
				h := u.Sums*float64(t.Hessian[r]+t.Hessian[k]) + float64(u.Cross)*float64(2*products[k])
				if h == 0 {
					h = 1
				}
				score = float64(d*d) / h
			}
			if score > bestScore {
				best, bestScore = c, score
			}
		}
		pairs = append(pairs, kernel.Pair{R: r, S: unused[best]})
		unused = slices.Delete(unused, best, best+1)
	}
	return pairs
}

// ParseSelection returns the Selection with the given name. Its error quotes an
// unknown name and lists the valid ones.
func ParseSelection(name string) (Selection, error) {
	for i, n := range selectionNames {
		if n == name {
			return Selection(i), nil
		}
	}
	return 0, fmt.Errorf("%q (second_order, first_order or root)", name)
}
