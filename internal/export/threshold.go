package export

import (
	"math"
	"strconv"
	"strings"

	"github.com/libaoso/aoso/internal/model"
)

// placing returns a number that values which go left are below.
type placing func(m *model.Model, s model.Split) float64

// threshold returns a number that values which go left are below, for a program that may
// take features in float32.
//
// The threshold of a split is the midpoint of two values of the training set. If float32 tells
// these apart, it moves neither to the other side. But another row may have the midpoint itself,
// as 0.35 between 0.3 and 0.4. In float64, the decimal and the threshold differ by rounding
// alone, and float32 is too coarse to say which of them is less. So if the threshold is a
// decimal of few digits up to that rounding, it is put on the other side of the decimal in
// float32, unless it is there already.
func threshold(m *model.Model, s model.Split) float64 {
	t := exactThreshold(m, s)
	if int(s.Feature) >= len(m.Features) || m.Sides(s) != nil { // programs compute target encodings and crosses exactly
		return t
	}
	decimal, ok := shortDecimal(t)
	if !ok {
		return t
	}
	switch single := float64(float32(decimal)); {
	case decimal < t && single >= t:
		return math.Nextafter(single, math.Inf(1))
	case decimal >= t && single < t:
		return single
	}
	return t
}

// exactThreshold returns a number that values which go left are below, whether they are infinite
// or not. Splits take infinite values for the largest finite ones.
func exactThreshold(_ *model.Model, s model.Split) float64 {
	if t := s.Threshold(); t != -math.MaxFloat64 {
		return t
	}
	return math.Inf(-1)
}

// shortDecimal returns the decimal that x is up to rounding, if it has so few digits that
// float32 tells all decimals of as many digits apart. The midpoint of decimals has lost digits if
// it is much smaller than they.
func shortDecimal(x float64) (decimal float64, ok bool) {
	const mostDigits, certain = 6, 12
	text := strconv.FormatFloat(x, 'e', certain-1, 64)
	digits, _, _ := strings.Cut(strings.TrimPrefix(text, "-"), "e")
	if len(strings.TrimRight(digits, "0")) > mostDigits+len(".") {
		return 0, false
	}
	decimal, err := strconv.ParseFloat(text, 64)
	const leastNormal = 0x1p-126
	return decimal, err == nil && math.Abs(decimal) >= leastNormal && math.Abs(decimal) <= math.MaxFloat32
}
