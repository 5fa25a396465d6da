package category

import (
	"fmt"
	"math"

	"github.com/libaoso/aoso/internal/bin"
)

// Op is an operation on the encoded values of two features.
type Op uint8

// The operations of crosses.
const (
	Difference Op = iota // of two numbers
	Ratio                // of two numbers
	Pair                 // of two categories: each pair is a category of its own
	ops
)

// Cross is a column that is computed from two features, both numeric or both categorical. A target-encoded feature has no crosses.
type Cross struct {
	First, Second int
	Op            Op
}

// Name returns the name of the cross, given the names of the features.
func (c Cross) Name(features []string) string {
	return fmt.Sprintf("%s %s %s", features[c.First], [...]string{"-", "/", "&"}[c.Op], features[c.Second])
}

// value returns the value of the cross of two encoded values. codes is the number of codes of the second feature. Numbers that float64
// holds with fewer bits count as 0, so that the result does not depend on how a CPU treats them. Infinite numbers count as the largest
// finite ones. 0/0 is missing, and so is the cross of a missing value.
func (c Cross) value(a, b float64, codes int) float64 {
	a, b = normal(a), normal(b)
	switch c.Op {
	case Difference:
		return normal(a - b)
	case Ratio:
		return normal(a / b)
	}
	return float64((a-1)*float64(codes)) + b
}

func normal(x float64) float64 {
	const least = 0x1p-1022
	if x > -least && x < least {
		return 0
	}
	return min(max(x, -math.MaxFloat64), math.MaxFloat64)
}

// codes returns the number of codes of a cross; 0 if it has numbers.
func (e *Encoder) codes(c Cross) int {
	if c.Op != Pair {
		return 0
	}
	return e.Features[c.First].Codes() * e.Features[c.Second].Codes()
}

// Crossable reports whether a cross is possible: of two features of the kind that the operation needs, with no more codes than a column
// has bins.
func (e *Encoder) Crossable(c Cross) bool {
	for _, j := range []int{c.First, c.Second} {
		if j < 0 || j >= len(e.Features) || e.Features[j].Rated || (e.Features[j].Categories != nil) != (c.Op == Pair) {
			return false
		}
	}
	return c.First != c.Second && c.Op < ops && (c.Op != Pair || e.codes(c) > 0 && e.codes(c) <= bin.MaxValueBins)
}

// Cross returns the cross that an encoded column is; ok is false if it is none.
func (e *Encoder) Cross(column int) (c Cross, ok bool) {
	if e == nil || len(e.Crosses) == 0 || column < e.uncrossed() {
		return Cross{}, false
	}
	return e.Crosses[column-e.uncrossed()], true
}

// uncrossed returns the number of encoded columns that are not crosses. They come first.
func (e *Encoder) uncrossed() int {
	n := len(e.Features)
	for j := range e.Features {
		n += len(e.Features[j].Rates)
	}
	return n
}

// WithCrosses returns the encoder of this many features with crosses as further columns.
func (e *Encoder) WithCrosses(features int, crosses []Cross) *Encoder {
	if len(crosses) == 0 {
		return e
	}
	with := Encoder{Features: make([]Feature, features)}
	if e != nil {
		with = *e
	}
	with.Crosses = crosses
	return &with
}

// CrossColumns returns the columns of the crosses alone, given those of the features.
func (e *Encoder) CrossColumns(x bin.Source) bin.Source { return crossesOnly{crossed{x, e}} }

type crossesOnly struct{ crossed }

func (s crossesOnly) Cols() int { return len(s.encoder.Crosses) }

func (s crossesOnly) Column(j, first int, dst []float64) {
	s.crossed.Column(s.Source.Cols()+j, first, dst)
}

// crossed has the columns of a source, the first of which encode the features, and then crosses.
type crossed struct {
	bin.Source
	encoder *Encoder
}

// cross returns the columns of a source with the encoder's crosses.
func (e *Encoder) cross(x bin.Source) bin.Source {
	if e == nil || len(e.Crosses) == 0 {
		return x
	}
	return &crossed{x, e}
}

func (s *crossed) Cols() int { return s.Source.Cols() + len(s.encoder.Crosses) }

func (s *crossed) Column(j, first int, dst []float64) {
	if j < s.Source.Cols() {
		s.Source.Column(j, first, dst)
		return
	}
	c := s.encoder.Crosses[j-s.Source.Cols()]
	second := make([]float64, len(dst))
	s.Source.Column(c.First, first, dst)
	s.Source.Column(c.Second, first, second)
	codes := s.encoder.Features[c.Second].Codes()
	for i, a := range dst {
		dst[i] = c.value(a, second[i], codes)
	}
}
