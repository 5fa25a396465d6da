package predict

import (
	"math"
	"math/bits"

	"github.com/libaoso/aoso/kernel"
)

// shortValues has the values of full leaves as multiples of one power of two, the unit. Sums of such values are exact in integers and in
// float64, so both give the same scores, bit for bit. Training with many classes rounds leaf values to such multiples (loss.Newton).
type shortValues struct {
	pieces  [][]int16 // by width() classes: in units, by leaf and class
	cached  bool      // a cache holds the values of a piece
	unit    float64
	classes int // numbers of a leaf in all pieces: the classes, padded to whole vectors
	group   int // number of trees whose sums fit in 16 bits and, unless all values are cached, whose values of a piece a cache holds
}

// width returns the number of classes of a piece: as many as registers hold sums. Of values that the cache does not hold, half as many take
// less time: the cache then holds those of more trees, and the sums are read and written less often.
func (s *shortValues) width() int {
	if s.cached {
		return pieceClasses
	}
	return pieceClasses / 2
}

const pieceClasses = 128

// shortCaches is the size of values that are cached, in caches: adding sums to memory takes longer than reading values that are no longer in the
// cache.
const shortCaches = 4

// shortBits is the largest number of bits of a short value, without its sign. It is so small that 16 bits hold the sums of several trees.
const shortBits = 12

// newShortValues returns the values of trees as multiples of a unit; nil if some value is not a short multiple.
func newShortValues(values []float32, classes, trees, cacheBytes int) *shortValues {
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
	leaves, cache := len(values)/classes, shortCaches*cacheBytes
	s.cached = 2*leaves*min(pieceClasses, s.classes) <= cache
	for first := 0; first < classes; first += s.width() {
		width := min(s.width(), s.classes-first)
		steps := make([]int16, leaves*width)
		for leaf := range leaves {
			for k, v := range values[leaf*classes+first : leaf*classes+min(first+width, classes)] {
				steps[leaf*width+k] = int16(float64(v) / unit)
			}
		}
		s.pieces = append(s.pieces, steps)
	}
	s.group = math.MaxInt16 / int(float64(most)/unit)
	if !s.cached {
		caches := 1 + 2*leaves*s.width()/cache // that the values of a piece fill
		s.group = min(s.group, 1+trees/caches)
	}
	return s
}

// addShort adds up the short values of the trees from first up to last, and writes the sums of rows. leaves has the leaf of each row in each tree; trees
// are leafStride apart. With fetch, it first reads the values of a group of trees in order, which takes less time than to wait for the memory
// leaf by leaf.
func (a *adder) addShort(sums []int32, rows, first, last int, leaves []uint16, leafStride int, fetch bool) {
	j := &a.shortJob
	j.Rows, j.Stride, j.LeafStride = rows, a.short.classes, leafStride
	for i, steps := range a.short.pieces {
		at := i * a.short.width()
		j.Steps, j.Classes, j.Sums = steps, min(a.short.width(), j.Stride-at), sums[at:]
		for row := range rows {
			clear(j.Sums[row*j.Stride:][:j.Classes])
		}
		for t := first; t < last; t += a.short.group {
			end := min(t+a.short.group, last)
			if fetch {
				a.fetched += sumLines(steps[int(a.firstLeaf[t])*j.Classes : int(a.firstLeaf[end])*j.Classes])
			}
			j.FirstLeaf, j.Leaves = a.firstLeaf[t:end], leaves[(t-first)*leafStride:]
			a.kernels.AddShort(j)
		}
	}
}

// sumLines returns the sum of one value of each cache line.
func sumLines(values []int16) (sum int16) {
	for i := 0; i < len(values); i += 32 {
		sum += values[i]
	}
	return sum
}

// addScores adds sums of short values to scores.
func (s *shortValues) addScores(scores []float64, sums []int32) {
	for k := range scores {
		scores[k] += float64(float64(sums[k]) * s.unit)
	}
}
