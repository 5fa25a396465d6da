package kerneltest

import "github.com/libaoso/aoso/kernel"

// linearShapes returns numbers of rows, terms and lanes around what registers hold, and
// more terms than are taken at once.
func linearShapes() (shapes []shape) {
	for _, rows := range []int{0, 1, 2, 3, 5, 64, 65} {
		for _, terms := range []int{0, 1, 2, 7, 50} {
			for _, classes := range []int{8, 16, 24, 40, 304, 1000} {
				shapes = append(shapes, shape{rows: rows, classes: classes, terms: terms})
			}
		}
	}
	for _, rows := range []int{1, 3, 18} {
		for _, terms := range []int{255, 256, 257, 1000} {
			for _, classes := range []int{8, 24, 32, 40} {
				shapes = append(shapes, shape{rows: rows, classes: classes, terms: terms})
			}
		}
	}
	return shapes
}

func linear(d dice, s shape) call {
	stride := (s.classes + kernel.Lanes - 1) / kernel.Lanes * kernel.Lanes
	kind := d.IntN(4)
	number := func() float32 {
		switch kind {
		case 0: // of all magnitudes
			return d.step()
		case 1: // often in the middle of two multiples of the unit
			return 0x1p-12 * float32(d.IntN(8)) * float32(pick(d, 0.5, 1, -1))
		case 2: // mostly zeros
			return float32(pick(d, 0, 0, 0, d.NormFloat64()))
		}
		return float32(d.NormFloat64())
	}
	numbers := func(n int) []float32 {
		v := make([]float32, n)
		for i := range v {
			v[i] = number()
		}
		return v
	}
	places, weights, bias := numbers(s.rows*s.terms), numbers(s.terms*stride), numbers(stride)
	return func(f *kernel.Funcs, m *memory) {
		f.Linear(&kernel.LinearJob{
			Places:  input(m, "Places", places),
			Terms:   s.terms,
			Weights: input(m, "Weights", weights),
			Bias:    input(m, "Bias", bias),
			Stride:  stride,
			Rows:    s.rows,
			Scores:  output[float64](m, "Scores", s.rows*stride),
		})
	}
}

func linearRefusals() []refusal {
	type linear = kernel.LinearJob
	return refusals("LinearJob", func(f *kernel.Funcs, j *linear) { f.Linear(j) },
		func() linear {
			return linear{
				Places: make([]float32, 6), Terms: 3, Weights: make([]float32, 24), Bias: make([]float32, 8), Stride: 8,
				Rows: 2, Scores: make([]float64, 16),
			}
		},
		fault[linear]{"Terms is -1, must be 0 or more", func(j *linear) { j.Terms = -1 }},
		fault[linear]{"Stride is 0, must be a multiple of 8", func(j *linear) { j.Stride = 0 }},
		fault[linear]{"Stride is 12, must be a multiple of 8", func(j *linear) { j.Stride = 12 }},
		fault[linear]{"Stride is -8, must be a multiple of 8", func(j *linear) { j.Stride = -8 }},
		fault[linear]{"Rows is -1, must be 0 or more", func(j *linear) { j.Rows = -1 }},
		fault[linear]{"len(Places) is 5, must be 6 or more", func(j *linear) { j.Places = j.Places[:5] }},
		fault[linear]{"len(Weights) is 23, must be 24 or more", func(j *linear) { j.Weights = j.Weights[:23] }},
		fault[linear]{"len(Bias) is 7, must be 8 or more", func(j *linear) { j.Bias = j.Bias[:7] }},
		fault[linear]{"len(Scores) is 15, must be 16 or more", func(j *linear) { j.Scores = j.Scores[:15] }},
	)
}
