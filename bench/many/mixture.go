package main

import (
	"math"
	"math/rand/v2"
)

// mixture is Gaussian classes whose centres make a tree of three levels: classes of one
// branch are near one another.
type mixture struct {
	classes, features int
	centres           []float64 // classes × features
}

// spread is the standard deviation of a coordinate about that of the level above; that of
// rows about their centre is 1.
var spread = [3]float64{1, 0.8, 0.6}

// place draws the centres.
func (m *mixture) place() {
	rng := rand.New(rand.NewPCG(0, uint64(m.classes)))
	branches := int(math.Ceil(math.Cbrt(float64(m.classes))))
	m.centres = make([]float64, m.classes*m.features)
	offsets := make([][]float64, len(spread))
	for k := range m.classes {
		for level, size := range [...]int{branches * branches, branches, 1} {
			if k%size == 0 {
				offsets[level] = make([]float64, m.features)
				for j := range offsets[level] {
					offsets[level][j] = spread[level] * rng.NormFloat64()
				}
			}
			for j, x := range offsets[level] {
				m.centres[k*m.features+j] += x
			}
		}
	}
}

// draw draws rows with their classes. Of at least as many rows as classes, every class has
// about as many.
func (m *mixture) draw(rows int, seed uint64) (x []float32, y []int) {
	rng := rand.New(rand.NewPCG(seed, uint64(m.classes)))
	x, y = make([]float32, rows*m.features), make([]int, rows)
	for i := range y {
		if y[i] = i % m.classes; rows < m.classes {
			y[i] = rng.IntN(m.classes)
		}
		for j, centre := range m.centres[y[i]*m.features:][:m.features] {
			x[i*m.features+j] = float32(centre + rng.NormFloat64())
		}
	}
	return x, y
}
