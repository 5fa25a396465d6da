package tune

import (
	"math"
	"math/rand/v2"

	"github.com/libaoso/aoso/internal/boost"
	"github.com/libaoso/aoso/kernel"
)

// Axis is a parameter that a search varies.
type Axis struct {
	Name      string
	low, high float64
	span      float64 // natural logarithm of the largest factor of a move
	zero      bool    // 0, below low, is allowed too
	get       func(*boost.Params) float64
	set       func(*boost.Params, float64)
}

func real(name string, low, high, span float64, field func(*boost.Params) *float64) Axis {
	return Axis{
		Name: name, low: low, high: high, span: span,
		get: func(p *boost.Params) float64 { return *field(p) },
		set: func(p *boost.Params, v float64) { *field(p) = v },
	}
}

func whole(name string, low, high int, span float64, field func(*boost.Params) *int) Axis {
	return Axis{
		Name: name, low: float64(low), high: float64(high), span: span,
		get: func(p *boost.Params) float64 { return float64(*field(p)) },
		set: func(p *boost.Params, v float64) { *field(p) = int(math.Round(v)) },
	}
}

// Value returns the parameter's value.
func (a *Axis) Value(p *boost.Params) float64 { return a.get(p) }

// orZero returns an axis that may also have the value 0.
func (a Axis) orZero() Axis {
	a.zero = true
	return a
}

// Axes returns the parameters that a search varies where they are unset, for data of that many
// rows. The search starts from settings with the given number of leaves.
func Axes(rows, leaves, mostPairs int) []Axis {
	return []Axis{
		whole("max_leaves", 4, min(1024, max(4*leaves, 8), max(rows/4, 4)), 1.4, func(p *boost.Params) *int { return &p.MaxLeaves }),
		real("learning_rate", 0.03, 0.4, 1, func(p *boost.Params) *float64 { return &p.LearningRate }),
		whole("min_samples_leaf", 1, 50, 1.6, func(p *boost.Params) *int { return &p.MinSamplesLeaf }),
		real("min_child_weight", 0.01, 10, 1.6, func(p *boost.Params) *float64 { return &p.MinChildWeight }).orZero(),
		real("reg_lambda", 0.03, 30, 1.6, func(p *boost.Params) *float64 { return &p.RegLambda }).orZero(),
		real("max_delta_step", 0.5, 10, 1, func(p *boost.Params) *float64 { return &p.MaxDeltaStep }),
		real("subsample", 0.3, 1, 0.7, func(p *boost.Params) *float64 { return &p.Subsample }),
		real("colsample_bynode", 0.05, 1, 1.2, func(p *boost.Params) *float64 { return &p.ColsampleByNode }),
		{
			Name: "pairs", low: 1, high: float64(mostPairs), span: 1.4,
			get: func(p *boost.Params) float64 { return float64(p.Pairs) },
			set: func(p *boost.Params, v float64) {
				p.Pairs = 1
				for p.Pairs < mostPairs && float64(p.Pairs)*1.5 <= v {
					p.Pairs *= 2
				}
			},
		},
	}
}

// move draws a value near the parameters' own: a move of radius 1 is by a factor of at most
// exp(span).
func (a *Axis) move(p *boost.Params, radius float64, r *rand.Rand) {
	u, empty := 2*r.Float64()-1, r.Float64()
	v := a.get(p)
	switch {
	case a.zero && empty < 0.3:
		a.set(p, 0)
		return
	case a.zero && v == 0:
		const few = 2.3 // a factor of 10
		v = a.low * kernel.Exp(few*(1+u))
	default:
		v *= kernel.Exp(u * radius * a.span)
	}
	a.set(p, rounded(min(max(v, a.low), a.high)))
}

// rounded rounds a positive number to two digits.
func rounded(v float64) float64 {
	unit := 1.0
	for v < 10*unit {
		unit /= 10
	}
	for v >= 100*unit {
		unit *= 10
	}
	if unit < 1 { // by a whole number, for the shortest decimal
		over := math.Round(1 / unit)
		return math.Round(v*over) / over
	}
	return math.Round(v/unit) * unit
}
