package predict

import (
	"math"
	"math/bits"

	"github.com/libaoso/aoso/kernel"
)

// shortValues has the values of full leaves as multiples of one power of two, the unit. Sums of such values are exact in integers and in
// float64, so both give the same scores, bit for bit. Training with many classes rounds leaf values to such multiples (loss.Newton).
type shortValues struct {
	pieces  [][]int16 // by pieceClasses classes: in units, by leaf and class
	unit    float64
	classes int // numbers of a leaf in all pieces: the classes, padded to whole vectors
	group   int // number of trees whose sums fit in 16 bits
}

// pieceClasses is the number of classes of a piece, as many as registers hold. The cache then holds the values of a group of trees for them,
// while they are added to the sums of one row after the other.
const pieceClasses = 128

// shortBits is the largest number of bits of a short value, without its sign. It is so small that 16 bits hold the sums of several trees.
const shortBits = 12

// newShortValues returns the values of trees as multiples of a unit; nil if some value is not a short multiple.
func newShortValues(values []float32, classes, trees int) *shortValues {
	const mostTrees = math.MaxInt32 >> shortBits
	most := float32(0)
	for _, v := range values {
		most = max(most, v, -v)
	}
	if !(most > 0 && most <= math.MaxFloat32) || classes < kernel.ShortLanes || trees > mostTrees {
		return nil
	}
	_, exponent := math.Frexp(float64(most))
	unit := math.Ldexp(1, exponent-shortBits)
	var set int16 // bits that are set in any value
	for _, v := range values {
		units := float64(v) / unit
		if units != float64(int16(units)) {
			return nil
		}
		set |= int16(units)
	}
	unit = math.Ldexp(unit, bits.TrailingZeros16(uint16(set)))
	s := &shortValues{unit: unit, classes: (classes + kernel.ShortLanes - 1) &^ (kernel.ShortLanes - 1)}
	leaves := len(values) / classes
	for first := 0; first < classes; first += pieceClasses {
		width := min(pieceClasses, s.classes-first)
		steps := make([]int16, leaves*width)
		for leaf := range leaves {
			for k, v := range values[leaf*classes+first : leaf*classes+min(first+width, classes)] {
				steps[leaf*width+k] = int16(float64(v) / unit)
			}
		}
		s.pieces = append(s.pieces, steps)
	}
	s.group = math.MaxInt16 / int(float64(most)/unit)
	return s
}

// addShort adds the short values of the trees from first up to last to the sums of rows. leaves has the leaf of each row in each tree; trees
// are leafStride apart.
func (a *adder) addShort(sums []int32, rows, first, last int, leaves []uint16, leafStride int) {
	j := &a.shortJob
	j.Rows, j.Stride, j.LeafStride = rows, a.short.classes, leafStride
	for i, steps := range a.short.pieces {
		at := i * pieceClasses
		j.Steps, j.Classes, j.Sums = steps, min(pieceClasses, j.Stride-at), sums[at:]
		for t := first; t < last; t += a.short.group {
			j.FirstLeaf, j.Leaves = a.firstLeaf[t:min(t+a.short.group, last)], leaves[(t-first)*leafStride:]
			a.kernels.AddShort(j)
		}
	}
}

// addScores adds sums of short values to scores.
func (s *shortValues) addScores(scores []float64, sums []int32) {
	for k := range scores {
		scores[k] += float64(float64(sums[k]) * s.unit)
	}
}
