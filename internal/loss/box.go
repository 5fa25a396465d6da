package loss

import "math"

// Box bounds the leaf values of the classes, before shrinkage. It does not change
// once made.
type Box struct{ Low, High []float64 }

// NewBox is without bounds.
func NewBox(classes int) *Box {
	b := &Box{make([]float64, classes), make([]float64, classes)}
	for k := range classes {
		b.Low[k], b.High[k] = math.Inf(-1), math.Inf(1)
	}
	return b
}

// Clone returns a box to be narrowed.
func (b *Box) Clone() *Box {
	return &Box{append([]float64(nil), b.Low...), append([]float64(nil), b.High...)}
}

func (b *Box) clip(k int, v float64) float64 { return min(max(v, b.Low[k]), b.High[k]) }

// holds reports whether values are within the box.
func (b *Box) holds(values []float64, shift float64) bool {
	for k, v := range values {
		if v -= shift; v < b.Low[k] || v > b.High[k] {
			return false
		}
	}
	return true
}

// center subtracts a common number from values and clips them to the box, so that
// they sum to zero.
func (b *Box) center(values []float64, mean, most float64) {
	shift := mean
	if !b.holds(values, mean) {
		low, high := -4*most, 4*most // with them all values are clipped, or on one side of zero
		for {
			shift = low + (high-low)/2
			if shift <= low || shift >= high {
				break
			}
			sum := 0.0
			for k, v := range values {
				sum += b.clip(k, v-shift)
			}
			if sum > 0 {
				low = shift
			} else {
				high = shift
			}
		}
	}
	for k, v := range values {
		values[k] = b.clip(k, v-shift)
	}
}

// pair returns the bounds of the leaf value of a class pair: +t for class r and −t for s.
// A class that does not exist has none.
func (b *Box) pair(r, s int32) (low, high float64) {
	low, high = math.Inf(-1), math.Inf(1)
	if int(r) < len(b.Low) {
		low, high = b.Low[r], b.High[r]
	}
	if int(s) < len(b.Low) {
		low, high = max(low, -b.High[s]), min(high, -b.Low[s])
	}
	return low, high
}
