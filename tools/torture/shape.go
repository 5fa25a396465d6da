package main

import (
	"math"
	"slices"
)

// size limits the size of a training.
type size struct {
	name       string
	rows, cols int
	classes    int
	work       float64 // about how many nanoseconds all iterations may take
}

var (
	small  = size{"small", 200, 12, 12, 4e6}
	medium = size{"medium", 3000, 60, 40, 3e7}
	large  = size{"large", 100_000, 400, 1000, 2e8}
)

// shape is a kind of data set on which training has failed in the past or might
// fail.
type shape struct {
	name string
	draw func(d dice, s size) *table
}

var shapes = []shape{
	{"mixed", func(d dice, s size) *table { return someRows(d, s).fill(d, columnKinds...) }},
	{"blobs", func(d dice, s size) *table { return someRows(d, s).fill(d, "gaussian") }},
	{"separable", func(d dice, s size) *table { return someRows(d, s).fill(d, "label", "gaussian") }},
	{"constant features", func(d dice, s size) *table { return someRows(d, s).fill(d, "constant") }},
	{"one row per class", func(d dice, s size) *table {
		return oneEach(d.between(2, s.classes)).withCols(d, s).fill(d, columnKinds...)
	}},
	{"one class", func(d dice, s size) *table {
		return labelled(d.skewed(1, s.rows), one).withCols(d, s).fill(d, columnKinds...)
	}},
	{"one row", func(d dice, s size) *table { return labelled(1, one).withCols(d, s).fill(d, columnKinds...) }},
	{"two rows", func(d dice, s size) *table { return oneEach(2).withCols(d, s).fill(d, columnKinds...) }},
	{"many classes", manyClasses},
	{"missing", func(d dice, s size) *table { return someRows(d, s).fill(d, "missing", "missing", "all missing") }},
	{"ties", func(d dice, s size) *table { return someRows(d, s).fill(d, "binary", "ternary", "copy") }},
	{"sparse", func(d dice, s size) *table { return someRows(d, s).fill(d, "sparse") }},
	{"duplicate rows", duplicateRows},
	{"wide", wide},
	{"tall", tall},
	{"imbalanced", imbalanced},
	{"label noise", labelNoise},
	{"extreme values", func(d dice, s size) *table {
		return someRows(d, s).fill(d, "range", "extremes", "adjacent", "gaussian")
	}},
	{"infinite values", func(d dice, s size) *table { return someRows(d, s).fill(d, "infinite", "gaussian") }},
	{"sorted", sorted},
	{"real", realRows},
}

func one(int) int { return 0 }

// labelled returns a table with labels but without features.
func labelled(rows int, class func(i int) int) *table {
	t := &table{y: make([]int, rows)}
	for i := range t.y {
		t.y[i] = class(i)
	}
	return t
}

func oneEach(classes int) *table { return labelled(classes, func(i int) int { return i }) }

// someRows returns a table with random labels and with features that are not yet
// filled.
func someRows(d dice, s size) *table {
	classes := d.skewed(2, s.classes)
	share := make([]float64, classes)
	for k := range share {
		share[k] = d.Float64()
	}
	t := labelled(d.skewed(2, s.rows), func(int) int {
		k := d.IntN(classes)
		for d.Float64() > share[k]+0.1 {
			k = d.IntN(classes)
		}
		return k
	})
	return t.withCols(d, s)
}

// withCols adds features, which fill draws later.
func (t *table) withCols(d dice, s size) *table {
	t.x = make([][]float64, d.skewed(1, s.cols))
	return t
}

// fill draws the values of the features. Each has one of the given kinds.
func (t *table) fill(d dice, kinds ...string) *table {
	for j := range t.x {
		t.x[j] = t.column(d, pick(d, kinds...), j)
	}
	return t
}

func manyClasses(d dice, s size) *table {
	most := max(140, s.classes) // from 101 on, rows held out say what training begins with
	classes := d.between(min(100, most/2), most)
	t := labelled(classes*d.between(1, 3), func(i int) int { return i % classes }).withCols(d, s)
	return t.fill(d, "gaussian", "integer", "label")
}

// duplicateRows repeats each row several times, with the same label or not.
func duplicateRows(d dice, s size) *table {
	t := someRows(d, s).fill(d, columnKinds...)
	distinct, same := d.between(1, max(1, t.rows()/4)), d.chance(0.5)
	for i := range t.y {
		from := i % distinct
		for j := range t.x {
			t.x[j][i] = t.x[j][from]
		}
		if same {
			t.y[i] = t.y[from]
		}
	}
	return t
}

func wide(d dice, s size) *table {
	t := someRows(d, size{rows: s.rows / 8, cols: 1, classes: s.classes})
	t.x = make([][]float64, d.between(t.rows()+1, 3*t.rows()+s.cols))
	return t.fill(d, "gaussian", "sparse", "binary", "constant")
}

// tall returns about as many rows as the size allows, with few features.
func tall(d dice, s size) *table {
	classes := d.skewed(2, min(s.classes, 8))
	t := labelled(d.between(s.rows/2, s.rows), func(int) int { return d.IntN(classes) })
	return t.withCols(d, size{cols: 3}).fill(d, columnKinds...)
}

func imbalanced(d dice, s size) *table {
	t := someRows(d, s)
	rare := d.between(1, max(1, t.rows()/50))
	for i := range t.y {
		if i >= rare {
			t.y[i] = 0
		} else {
			t.y[i]++
		}
	}
	return t.fill(d, columnKinds...)
}

// labelNoise replaces some or all of the labels by random ones.
func labelNoise(d dice, s size) *table {
	t := someRows(d, s).fill(d, "gaussian", "integer", "label")
	classes, share := slices.Max(t.y)+1, pick(d, 0.1, 0.5, 1)
	for i := range t.y {
		if d.chance(share) {
			t.y[i] = d.IntN(classes)
		}
	}
	return t
}

// sorted returns rows that are sorted by their labels and by a feature.
func sorted(d dice, s size) *table {
	t := someRows(d, s)
	slices.Sort(t.y)
	t.fill(d, columnKinds...)
	slices.Sort(t.x[0])
	return t
}

var columnKinds = []string{"gaussian", "gaussian", "integer", "label", "constant", "binary", "adjacent", "range",
	"missing", "all missing", "sparse", "copy", "extremes", "uniform"}

// column draws the values of feature j.
func (t *table) column(d dice, kind string, j int) []float64 {
	value := func(int) float64 { return 0 }
	centre, spread := newDice(d.Uint64(), "centres"), pick(d, 0.1, 0.5, 1, 3)
	centres := make([]float64, slices.Max(t.y)+1)
	for k := range centres {
		centres[k] = centre.NormFloat64()
	}
	gaussian := func(i int) float64 { return centres[t.y[i]] + spread*d.NormFloat64() }
	share := pick(d, 0.05, 0.3, 0.9, 0.99)
	switch kind {
	case "gaussian":
		value = gaussian
	case "integer":
		value = func(i int) float64 { return math.Round(3 * gaussian(i)) }
	case "label":
		value = func(i int) float64 { return float64(t.y[i]) }
	case "constant":
		c := pick(d, 0, 1, -1e300, math.NaN())
		value = func(int) float64 { return c }
	case "binary":
		value = func(i int) float64 { return math.Round(1 / (1 + math.Exp(-gaussian(i)))) }
	case "ternary":
		value = func(int) float64 { return float64(d.IntN(3)) }
	case "adjacent": // adjacent floating-point numbers
		bits := math.Float64bits(pick(d, 1, 1e-310, 1e300, 16777216))
		value = func(i int) float64 { return math.Float64frombits(bits + uint64(t.y[i]+d.IntN(3))) }
	case "range":
		value = func(int) float64 { return math.Copysign(math.Exp(1400*d.Float64()-700), d.NormFloat64()) }
	case "missing":
		value = func(i int) float64 {
			if d.chance(share) {
				return math.NaN()
			}
			return gaussian(i)
		}
	case "all missing":
		value = func(int) float64 { return math.NaN() }
	case "sparse":
		value = func(i int) float64 {
			if d.chance(max(share, 0.7)) {
				return 0
			}
			return gaussian(i)
		}
	case "copy":
		if j > 0 {
			return slices.Clone(t.x[d.IntN(j)])
		}
	case "extremes":
		value = func(int) float64 {
			return pick(d, 0, math.Copysign(0, -1), 5e-324, -5e-324, math.MaxFloat64, -math.MaxFloat64, 1, math.NaN())
		}
	case "uniform":
		value = func(int) float64 { return d.Float64() }
	case "infinite":
		value = func(i int) float64 {
			if d.chance(share) {
				return pick(d, math.Inf(1), math.Inf(-1), math.NaN(), math.MaxFloat64)
			}
			return gaussian(i)
		}
	default:
		panic("unknown kind of column: " + kind)
	}
	column := make([]float64, t.rows())
	for i := range column {
		column[i] = value(i)
	}
	return column
}

// drawWeights draws weights for the rows, or leaves the table without weights.
func (t *table) drawWeights(d dice) {
	kind := pick(d, "none", "none", "none", "uniform", "integers", "some zero", "tiny", "huge", "wide range")
	if kind == "none" {
		return
	}
	t.weights = make([]float64, t.rows())
	for i := range t.weights {
		switch kind {
		case "uniform":
			t.weights[i] = 0.01 + d.Float64()
		case "integers":
			t.weights[i] = float64(d.between(1, 4))
		case "some zero":
			t.weights[i] = float64(d.IntN(3))
		case "tiny":
			t.weights[i] = 1e-15 * float64(d.between(1, 9))
		case "huge":
			t.weights[i] = 1e15 / float64(d.between(1, 9))
		case "wide range":
			t.weights[i] = d.logUniform(1e-15, 1e15)
		}
	}
	t.weights[d.IntN(t.rows())] = 1 // weights must not all be zero
}
