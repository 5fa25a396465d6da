package kerneltest

import (
	"math"

	"github.com/libaoso/aoso/kernel"
)

// softmaxShapes returns few rows of every small number of classes, and more of some.
func softmaxShapes() (shapes []shape) {
	for classes := 1; classes <= 70; classes++ {
		for _, rows := range []int{0, 1, 2, 3, 7, 40} {
			shapes = append(shapes, shape{rows: rows, classes: classes})
		}
	}
	for _, classes := range []int{2, 3, 7, 10, 26, 99, 100, 300, 5000} {
		for _, rows := range []int{1, 5, 100, 257} {
			if rows*classes <= 1<<17 {
				shapes = append(shapes, shape{rows: rows, classes: classes})
			}
		}
	}
	return shapes
}

func softmax(d dice, s shape) call {
	scores := make([]float64, s.rows*s.classes)
	for i := range s.rows {
		d.scoreRow(scores[i*s.classes:][:s.classes])
	}
	temperature := pick(d, 0, 0, 1, 1.5, 1.0/64, 64, 0.3)
	return func(f *kernel.Funcs, m *memory) {
		f.Softmax(&kernel.SoftmaxJob{
			Scores:      inout(m, "Scores", scores),
			Classes:     s.classes,
			Temperature: temperature,
		})
	}
}

// scoreRow returns the scores of a row: mostly as trees have them, else with numbers
// at the bounds, or no numbers, among them or alone.
func (d dice) scoreRow(row []float64) {
	spread := pick(d, 1, 10, 300, 1e-17)
	for k := range row {
		row[k] = spread * d.NormFloat64()
	}
	inf := math.Inf(1)
	odd := func() float64 {
		return pick(d, 0, math.Copysign(0, -1), inf, -inf, -inf, -inf, math.NaN(), math.Float64frombits(0xfff8000000000abc),
			math.MaxFloat64, -math.MaxFloat64, 1e308, -1e308, 5e-324, 1e-310, 690, -690, -708, -745)
	}
	top := row[d.IntN(len(row))]
	switch d.IntN(8) {
	case 0:
		row[d.IntN(len(row))] = odd()
	case 1:
		v := odd()
		for k := range row {
			row[k] = v
		}
	case 2:
		for k := range row {
			if d.yes() {
				row[k] = odd()
			}
		}
	case 3: // about where probabilities end
		for k := range row {
			row[k] = top + kernel.SoftmaxLeast + 0x1p-40*float64(d.IntN(5)-2)
		}
		row[d.IntN(len(row))] = top
	case 4: // about where the power of two changes
		for k := range row {
			row[k] = top - math.Ln2*(float64(d.IntN(1000))+0.5)*(1+0x1p-52*float64(d.IntN(5)-2))
		}
		row[d.IntN(len(row))] = top
	}
}
