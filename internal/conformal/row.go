package conformal

import (
	"cmp"
	"math"
	"slices"

	"github.com/libaoso/aoso/internal/hash"
)

// row is the probabilities that a model gives a row, by class.
type row struct {
	p    []float64
	best int     // the most likely class, the lowest where some tie
	part float64 // of a class's own probability that counts in its APS score
}

func newRow(p []float64) row {
	r := row{p: p}
	mixed := uint64(0)
	for k, v := range p {
		if v > p[r.best] {
			r.best = k
		}
		mixed = hash.Mix(mixed ^ math.Float64bits(v))
	}
	// A random number would do. One that follows from the probabilities gives the
	// same row the same set wherever it stands, and keeps the guarantee: scores may
	// be any function of a row and its class.
	r.part = float64(mixed>>11) * 0x1p-53
	return r
}

// lac is 1 − p of a class (M. Sadinle, J. Lei and L. Wasserman, 2019). That of the
// most likely is summed up, so that it differs from zero where p is almost one.
func (r row) lac(class int) float32 {
	if class != r.best {
		return float32(1 - r.p[class])
	}
	sum := 0.0
	for k, p := range r.p {
		if k != class {
			sum += p
		}
	}
	return float32(min(sum, 1))
}

// mass returns a probability as a whole number, whose sums do not depend on their order.
func mass(p float64) uint64 { return uint64(p * 0x1p53) }

// ahead returns the mass and the number of the classes that are likelier than a class; of
// equal ones, the lower come first.
func (r row) ahead(class int) (above uint64, rank int) {
	for k, p := range r.p {
		if p > r.p[class] || p == r.p[class] && k < class {
			above += mass(p)
			rank++
		}
	}
	return above, rank
}

// aps returns the probability of the classes ahead of a class and a part of its own, p (Y.
// Romano, M. Sesia and E. Candès, 2020).
func (r row) aps(p float64, above uint64) float32 {
	return float32(min(float64(float64(above)*0x1p-53)+float64(r.part*p), 1))
}

// ranked calls f with the classes, the most likely first, and the mass of those ahead. order is room for the classes.
func (r row) ranked(order []int, f func(class, rank int, above uint64)) {
	for k := range order {
		order[k] = k
	}
	slices.SortFunc(order, func(a, b int) int {
		if c := cmp.Compare(r.p[b], r.p[a]); c != 0 {
			return c
		}
		return a - b
	})
	above := uint64(0)
	for rank, k := range order {
		f(k, rank, above)
		above += mass(r.p[k])
	}
}
